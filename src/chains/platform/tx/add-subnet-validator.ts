/** Adds a validator that a subnet's owner permits. A proposal before Banff, a decision since. Rules: chain-rules 10.8. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { struct, type Value, variant } from "../../../base/codec/codec.ts";
import { rowKey } from "../../../base/table/view.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifyPermissionedSubnetAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import { Priority } from "../state/staker.ts";
import { platformTxs } from "../tables.ts";
import { baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { proposedOrDecided } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import {
  SUBNET_VALIDATOR_BYTES,
  stakingPeriod,
  subnetValidatorFields,
  tooLowWeight,
  verifyDuration,
  verifyPrimaryValidator,
  verifyStart,
} from "./staker-rules.ts";

const codec = variant("AddSubnetValidatorTx", {
  ...baseFields,
  validator: struct(subnetValidatorFields),
  subnetAuthorization: authorization,
});
export type AddSubnetValidatorTx = Value<typeof codec>;

export const addSubnetValidator = defineTx<AddSubnetValidatorTx>({
  name: "AddSubnetValidatorTx",
  typeId: 13,
  codec,
  complexity: (tx) =>
    sum(
      {
        bandwidth:
          SUBNET_VALIDATOR_BYTES +
          4 + // type ID of the authorization
          4, // type ID of its credential
        reads: 3,
        writes: 3,
      },
      baseComplexity(tx),
      authorizationComplexity(tx.subnetAuthorization),
    ),
  names: ({ validator }) => [validator.nodeId, validator.subnetId],
  keysRead: (tx) => [...inputKeys(tx), rowKey(platformTxs, { txId: tx.validator.subnetId })],
  verifyForm(tx, network) {
    if (tx.validator.subnetId === PRIMARY_NETWORK_ID) {
      throw new RuleError("primary-network", "can't add primary network validator with AddSubnetValidatorTx");
    }
    verifyBase(tx, network);
    if (tx.validator.weight === 0n) throw tooLowWeight();
    verifySignatureIndices(tx.subnetAuthorization);
  },
  ...proposedOrDecided({ verify, staker }),
});

function verify(tx: Signed<AddSubnetValidatorTx>, context: TxContext): void {
  const { validator, subnetAuthorization } = tx.unsigned;
  const { subnetId, nodeId } = validator;
  const { minStakeDuration, maxStakeDuration } = context.network.staking;
  const period = stakingPeriod(validator, context);
  verifyDuration(period.duration, { min: minStakeDuration, max: maxStakeDuration });
  if (context.level === "replay") return;
  verifyStart(period.start, context);
  if (context.state.validator(subnetId, nodeId) !== undefined) {
    const text = `attempted to issue duplicate validator for ${formatNodeId(nodeId)} on subnet ${formatId(subnetId)}`;
    throw new RuleError("duplicate-validator", text);
  }
  verifyPrimaryValidator(nodeId, period, context);
  const credentials = verifyPermissionedSubnetAuthorization(tx, { subnetId, subnetAuthorization }, context);
  within("flow check failed", () => verifyFlow(tx, context, { credentials }));
}

function staker({ validator }: AddSubnetValidatorTx) {
  return {
    subnetId: validator.subnetId,
    staking: validator,
    pendingPriority: Priority.permissionedValidatorPending,
    currentPriority: Priority.permissionedValidatorCurrent,
  };
}
