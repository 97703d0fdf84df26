import { method } from "../method.ts";

export const getGenesis = method({
  name: "firn.getGenesis",
  summary: "The bytes of the network's genesis as hex. `firn follow` takes them, and so does its `--genesis` from a file.",
  cost: "no row",
  computeUnits: 10,
  params: {},
  handler: (_params, { network }) => ({ genesis: `0x${Buffer.from(network.genesisBytes).toString("hex")}` }),
});
