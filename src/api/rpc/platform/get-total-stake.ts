import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { totalWeights } from "./snapshot.ts";

export const getTotalStake = method({
  name: "platform.getTotalStake",
  summary: "Weight of a subnet's current validators and delegators.",
  cost: "O(1); the validators are read once per height",
  computeUnits: 10,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    const total = (await totalWeights(context)).get(subnetId) ?? 0n;
    if (total > MAX_U64) throw new RpcError(`couldn't get total weight: total weight is not a uint64, total weight: ${total}`);
    return { stake: `${total}`, weight: `${total}` };
  },
});
