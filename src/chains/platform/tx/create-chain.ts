/** Creates a blockchain on a subnet, with the transaction's ID. Rules: chain-rules 10.3. */

import { EMPTY_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { list, str, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { verifyPermissionedSubnetAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { base64Bytes, id } from "../output.ts";
import { ascends, verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import { applyBase, baseFields, defineTx, subnetTxKeys, verifyBase } from "./base.ts";

const codec = variant("CreateChainTx", {
  ...baseFields,
  subnetId: id,
  chainName: str,
  vmId: id,
  fxIds: list(id),
  genesisData: base64Bytes,
  subnetAuthorization: authorization,
});
export type CreateChainTx = Value<typeof codec>;

const MAX_NAME_BYTES = 128;
const MAX_GENESIS_BYTES = 1024 * 1024;

export const createChain = defineTx<CreateChainTx>({
  name: "CreateChainTx",
  typeId: 15,
  codec,
  complexity: (tx) =>
    sum(
      {
        bandwidth:
          32 + // subnet
          2 + // length of the name
          32 + // VM
          4 + // number of fxs
          4 + // length of the genesis
          4 + // type ID of the authorization
          4 + // type ID of its credential
          32 * tx.fxIds.length +
          tx.chainName.length +
          tx.genesisData.length,
        reads: 3,
        writes: 1,
      },
      baseComplexity(tx),
      authorizationComplexity(tx.subnetAuthorization),
    ),
  names: ({ subnetId }) => [subnetId],
  keysRead: subnetTxKeys,
  verifyForm(tx, network) {
    if (tx.subnetId === PRIMARY_NETWORK_ID) {
      throw new RuleError("primary-network", "new blockchain can't be validated by primary network");
    }
    if (tx.chainName.length > MAX_NAME_BYTES) throw new RuleError("name-too-long", "name too long");
    if (tx.vmId === EMPTY_ID) throw new RuleError("invalid-vm", "invalid VM ID");
    if (!ascends(tx.fxIds)) throw new RuleError("fx-order", "feature extensions IDs must be sorted and unique");
    if (tx.genesisData.length > MAX_GENESIS_BYTES) throw new RuleError("genesis-too-long", "genesis too long");
    if (!/^[A-Za-z0-9 ]*$/.test(tx.chainName)) throw new RuleError("illegal-name", "illegal name character");
    verifyBase(tx, network);
    verifySignatureIndices(tx.subnetAuthorization);
  },
  execute(tx, context) {
    const credentials = verifyPermissionedSubnetAuthorization(tx, tx.unsigned, context);
    verifyFlow(tx, context, { credentials });
    applyBase(tx, context.state);
    const { subnetId, chainName, vmId, fxIds, genesisData } = tx.unsigned;
    context.state.addChain(tx.id, { subnetId, name: chainName, vmId, fxIds, genesis: genesisData });
  },
});
