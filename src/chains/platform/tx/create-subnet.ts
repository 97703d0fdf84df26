/** Creates a subnet with the transaction's ID. Rules: chain-rules 10.2. */

import { type Value, variant } from "../../../base/codec/codec.ts";
import { baseComplexity, ownerComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";

const codec = variant("CreateSubnetTx", { ...baseFields, owner });
export type CreateSubnetTx = Value<typeof codec>;

export const createSubnet = defineTx<CreateSubnetTx>({
  name: "CreateSubnetTx",
  typeId: 16,
  codec,
  // type ID of the owner; the owner's row
  complexity: (tx) => sum({ bandwidth: 4, writes: 1 }, baseComplexity(tx), ownerComplexity(tx.owner)),
  names: () => [],
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyBase(tx, network);
    verifyOwner(tx.owner);
  },
  execute(tx, context) {
    verifyFlow(tx, context);
    applyBase(tx, context.state);
    const { kind: _, ...subnetOwner } = tx.unsigned.owner;
    context.state.addSubnet(tx.id, subnetOwner);
  },
});
