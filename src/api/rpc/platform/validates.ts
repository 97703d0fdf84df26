import { formatId } from "../../../base/bytes/cb58.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { chainsBySubnet } from "./snapshot.ts";
import { wrongKind } from "./subnet-errors.ts";

export const validates = method({
  name: "platform.validates",
  summary: "Blockchains that a subnet validates.",
  cost: "O(blockchains), read once per height",
  computeUnits: 20,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    const chains = (await chainsBySubnet(context)).get(subnetId);
    if (chains === undefined) {
      throw new RpcError((await wrongKind(context, subnetId, "subnet")) ?? `problem retrieving subnet "${formatId(subnetId)}": not found`);
    }
    return { blockchainIDs: chains.map(({ chainId }) => formatId(chainId)) };
  },
});
