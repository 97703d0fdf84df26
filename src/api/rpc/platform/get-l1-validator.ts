import { formatId } from "../../../base/bytes/cb58.ts";
import { platformL1Validators } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { chainState } from "./chain-state.ts";
import { l1ValidatorJson } from "./l1-validator-json.ts";

export const getL1Validator = method({
  name: "platform.getL1Validator",
  summary: "One L1 validator by its validation ID.",
  cost: "two rows",
  computeUnits: 10,
  params: { validationID: id },
  async handler({ validationID: validationId }, context) {
    const row = await context.reader.get(platformL1Validators, { validationId });
    if (row === undefined) throw new RpcError(`fetching L1 validator "${formatId(validationId)}" failed: not found`);
    const { height, accruedFees } = await chainState(context);
    return {
      ...l1ValidatorJson(context, { ...row, validationId }, accruedFees),
      subnetID: formatId(row.subnetId),
      height: `${height}`,
    };
  },
});
