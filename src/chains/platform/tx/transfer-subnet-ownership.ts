/** Changes the owner of a subnet. Rules: chain-rules 10.14. */

import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifySubnetAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, ownerComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { verifyOwner, verifySignatureIndices } from "../output-rules.ts";
import { authorization, owner } from "../owner.ts";
import { applyBase, baseFields, defineTx, subnetTxKeys, verifyBase } from "./base.ts";

const codec = variant("TransferSubnetOwnershipTx", {
  ...baseFields,
  subnetId: id,
  subnetAuthorization: authorization,
  newOwner: owner,
});
export type TransferSubnetOwnershipTx = Value<typeof codec>;

export const transferSubnetOwnership = defineTx<TransferSubnetOwnershipTx>({
  name: "TransferSubnetOwnershipTx",
  typeId: 33,
  since: "durango",
  codec,
  complexity: (tx) =>
    sum(
      // subnet, type IDs of authorization, owner and credential
      { bandwidth: 32 + 4 + 4 + 4, reads: 1, writes: 1 },
      baseComplexity(tx),
      authorizationComplexity(tx.subnetAuthorization),
      ownerComplexity(tx.newOwner),
    ),
  names: ({ subnetId }) => [subnetId],
  keysRead: subnetTxKeys,
  verifyForm(tx, network) {
    if (tx.subnetId === PRIMARY_NETWORK_ID) {
      throw new RuleError("primary-network", "cannot transfer ownership of a permissionless subnet");
    }
    verifyBase(tx, network);
    verifySignatureIndices(tx.subnetAuthorization);
    verifyOwner(tx.newOwner);
  },
  execute(tx, context) {
    const { subnetId, newOwner } = tx.unsigned;
    if (context.level === "full") {
      const credentials = verifySubnetAuthorization(tx, tx.unsigned, context);
      within("flow check failed", () => verifyFlow(tx, context, { credentials }));
    }
    const { kind: _, ...subnetOwner } = newOwner;
    context.state.setSubnetOwner(subnetId, subnetOwner, tx.id);
    applyBase(tx, context.state);
  },
});
