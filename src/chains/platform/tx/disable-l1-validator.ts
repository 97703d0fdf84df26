/** Deactivates an L1 validator and refunds its balance, at the request of its deactivation owner. Rules: chain-rules 10.19, 8.4. */

import { type Value, variant } from "../../../base/codec/codec.ts";
import { within } from "../../../network/execution.ts";
import { verifyAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";
import { findL1Validator, refundBalance } from "./l1-rules.ts";

const codec = variant("DisableL1ValidatorTx", { ...baseFields, validationId: id, disableAuthorization: authorization });
export type DisableL1ValidatorTx = Value<typeof codec>;

export const disableL1Validator = defineTx<DisableL1ValidatorTx>({
  name: "DisableL1ValidatorTx",
  typeId: 39,
  since: "etna",
  codec,
  complexity: (tx) =>
    sum(
      // validation ID, type IDs of authorization and credential
      { bandwidth: 32 + 4 + 4, reads: 1, writes: 6 },
      baseComplexity(tx),
      authorizationComplexity(tx.disableAuthorization),
    ),
  names: ({ validationId }) => [validationId],
  mayRefund: true,
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyBase(tx, network);
    verifySignatureIndices(tx.disableAuthorization);
  },
  execute(tx, context) {
    const { state } = context;
    const { validationId, disableAuthorization } = tx.unsigned;
    const validator = within("could not load L1 validator", () => findL1Validator(validationId, state));
    const owner = { locktime: 0n, ...validator.deactivationOwner };
    const credentials = verifyAuthorization(tx, owner, disableAuthorization, context);
    verifyFlow(tx, context, { credentials });
    applyBase(tx, state);
    if (validator.endAccumulatedFee === 0n) return;
    refundBalance(tx, validator, context);
    const { validationId: _, ...row } = validator;
    state.putL1Validator(validationId, { ...row, endAccumulatedFee: 0n }, tx.id);
  },
});
