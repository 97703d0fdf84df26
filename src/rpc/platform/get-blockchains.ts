import { formatId } from "../../primitives/cb58.ts";
import { method } from "../method.ts";
import { chainsBySubnet } from "./snapshot.ts";

export const getBlockchains = method({
  name: "platform.getBlockchains",
  summary: "All blockchains except the P-chain.",
  cost: "O(answer)",
  isRenderedOncePerHeight: true,
  params: {},
  async handler(_params, context) {
    const chains = [...(await chainsBySubnet(context)).values()].flat();
    return {
      blockchains: chains.map(({ chainId, name, subnetId, vmId }) => ({
        id: formatId(chainId),
        // names are held byte for byte
        name: Buffer.from(name, "latin1").toString("utf8"),
        subnetID: formatId(subnetId),
        vmID: formatId(vmId),
      })),
    };
  },
});
