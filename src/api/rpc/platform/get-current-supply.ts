import { platformSupplies } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { chainState } from "./chain-state.ts";

export const getCurrentSupply = method({
  name: "platform.getCurrentSupply",
  summary: "Upper bound of the tokens that can stake a subnet.",
  cost: "two rows",
  computeUnits: 10,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    const row = await context.reader.get(platformSupplies, { subnetId });
    if (row === undefined) throw new RpcError("fetching current supply failed: not found");
    return { supply: `${row.supply}`, height: `${(await chainState(context)).height}` };
  },
});
