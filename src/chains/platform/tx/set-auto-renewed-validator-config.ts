/** Sets an auto-renewed validator's restaked share and the length of its next cycle; 0 ends it. Rules: chain-rules 12.2. */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { u32, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { rowKey } from "../../../base/table/view.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifyAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import type { Staker } from "../state/staker.ts";
import { platformTxs } from "../tables.ts";
import { toNodeId } from "../warp/l1-messages.ts";
import { type AddAutoRenewedValidatorTx, addAutoRenewedValidator } from "./add-auto-renewed-validator.ts";
import { anyOf, applyBase, baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { type Signed, signed, storedTx } from "./signed.ts";
import { validatorRules, verifyDuration, verifyRestakedShares } from "./staker-rules.ts";

const codec = variant("SetAutoRenewedValidatorConfigTx", {
  ...baseFields,
  txId: id,
  auth: authorization,
  autoCompoundRewardShares: u32,
  period: u64,
});
export type SetAutoRenewedValidatorConfigTx = Value<typeof codec>;

const autoRenewed = signed(anyOf([addAutoRenewedValidator]));

export const setAutoRenewedValidatorConfig = defineTx<SetAutoRenewedValidatorConfigTx>({
  name: "SetAutoRenewedValidatorConfigTx",
  typeId: 41,
  since: "helicon",
  codec,
  complexity: (tx) =>
    sum(
      // transaction, type IDs of authorization and credential, shares, period
      { bandwidth: 32 + 4 + 4 + 4 + 8, reads: 1, writes: 1 },
      baseComplexity(tx),
      authorizationComplexity(tx.auth),
    ),
  names: ({ txId }) => [txId],
  keysRead: (tx) => [...inputKeys(tx), rowKey(platformTxs, { txId: tx.txId })],
  verifyForm(tx, network) {
    if (tx.txId === EMPTY_ID) throw new RuleError("missing-tx-id", "missing tx id");
    verifyRestakedShares(tx.autoCompoundRewardShares);
    verifyBase(tx, network);
    verifySignatureIndices(tx.auth);
  },
  execute(tx, context) {
    const { txId, autoCompoundRewardShares, period } = tx.unsigned;
    const origin = findOrigin(txId, context);
    const validator = findValidator(txId, origin, context);
    if (context.level === "full") verify(tx, origin, context);
    context.state.setStakingInfo(validator.subnetId, validator.nodeId, { autoCompoundRewardShares, nextPeriod: period });
    applyBase(tx, context.state);
  },
});

function findOrigin(txId: Id, { state, kindOf }: TxContext): AddAutoRenewedValidatorTx {
  const row = state.tx(txId);
  if (row === undefined) throw new RuleError("not-found", "getting staker tx: not found", { txId });
  if (row.typeId === addAutoRenewedValidator.typeId) return storedTx(autoRenewed, row.bytes).unsigned;
  throw new RuleError("wrong-staker-tx", `invalid staker tx type: *txs.${kindOf(row.typeId)}`);
}

function findValidator(txId: Id, { nodeId }: AddAutoRenewedValidatorTx, { state }: TxContext): Staker {
  const node = toNodeId(nodeId);
  const validator = state.currentValidator(PRIMARY_NETWORK_ID, node);
  if (validator === undefined) {
    throw new RuleError("not-found", `getting validator ${formatNodeId(node)} from state: not found`);
  }
  if (validator.txId !== txId) throw new RuleError("wrong-tx-id", "invalid staker tx: wrong tx id");
  return validator;
}

function verify(tx: Signed<SetAutoRenewedValidatorConfigTx>, origin: AddAutoRenewedValidatorTx, context: TxContext): void {
  const { period, auth } = tx.unsigned;
  if (period > 0n) verifyDuration(period, validatorRules(PRIMARY_NETWORK_ID, context).duration);
  const credentials = verifyAuthorization(tx, origin.validatorAuthority, auth, context);
  within("flow check failed", () => verifyFlow(tx, context, { credentials }));
}
