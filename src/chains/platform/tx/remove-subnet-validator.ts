/** Removes a permissioned validator from a subnet. Rules: chain-rules 10.13. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifySubnetAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id, nodeId } from "../output.ts";
import { verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import { isPermissioned } from "../state/staker.ts";
import { applyBase, baseFields, defineTx, subnetTxKeys, verifyBase } from "./base.ts";

const codec = variant("RemoveSubnetValidatorTx", { ...baseFields, nodeId, subnetId: id, subnetAuthorization: authorization });
export type RemoveSubnetValidatorTx = Value<typeof codec>;

export const removeSubnetValidator = defineTx<RemoveSubnetValidatorTx>({
  name: "RemoveSubnetValidatorTx",
  typeId: 23,
  codec,
  complexity: (tx) =>
    sum(
      // node ID, subnet, type IDs of authorization and credential
      { bandwidth: 20 + 32 + 4 + 4, reads: 1, writes: 3 },
      baseComplexity(tx),
      authorizationComplexity(tx.subnetAuthorization),
    ),
  names: ({ nodeId, subnetId }) => [nodeId, subnetId],
  keysRead: subnetTxKeys,
  verifyForm(tx, network) {
    if (tx.subnetId === PRIMARY_NETWORK_ID) {
      throw new RuleError("primary-network", "can't remove primary network validator with RemoveSubnetValidatorTx");
    }
    verifyBase(tx, network);
    verifySignatureIndices(tx.subnetAuthorization);
  },
  execute(tx, context) {
    const { state, level } = context;
    const { subnetId, nodeId: node } = tx.unsigned;
    const staker = state.validator(subnetId, node);
    if (staker === undefined) {
      const text = `${formatNodeId(node)} isn't a current or pending validator of ${formatId(subnetId)}: not found`;
      throw new RuleError("not-a-validator", text);
    }
    if (!isPermissioned(staker)) throw new RuleError("permissionless-validator", "attempting to remove permissionless validator");
    if (level === "full") {
      const credentials = verifySubnetAuthorization(tx, tx.unsigned, context);
      within("flow check failed", () => verifyFlow(tx, context, { credentials }));
    }
    state.deleteStaker(staker, { reason: "removed", txId: tx.id });
    applyBase(tx, state);
  },
});
