import { formatId } from "../../../base/bytes/cb58.ts";
import { mapInTurns } from "../../../base/work/work.ts";
import { method } from "../method.ts";
import { chainsBySubnet } from "./snapshot.ts";

export const getBlockchains = method({
  name: "platform.getBlockchains",
  summary: "All blockchains except the P-chain.",
  cost: "O(answer)",
  computeUnits: 20,
  isRenderedOncePerHeight: true,
  params: {},
  async handler(_params, context) {
    const chains = [...(await chainsBySubnet(context)).values()].flat();
    return {
      blockchains: await mapInTurns(context.work, chains, ({ chainId, name, subnetId, vmId }) => ({
        id: formatId(chainId),
        // Names are stored as bytes, which need not be UTF-8.
        name: Buffer.from(name, "latin1").toString("utf8"),
        subnetID: formatId(subnetId),
        vmID: formatId(vmId),
      })),
    };
  },
});
