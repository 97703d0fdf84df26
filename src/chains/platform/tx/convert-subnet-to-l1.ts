/** Converts a subnet to an L1, whose validators a contract manages from then on. Rules: chain-rules 10.15, 8.4. */

import { sha256Hex } from "../../../base/bytes/hash.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { bytes, list, struct, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { verifyPermissionedSubnetAuthorization } from "../authorization.ts";
import { authorizationComplexity, baseComplexity, l1ValidatorComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { verifyOwner, verifySignatureIndices } from "../output-rules.ts";
import { authorization, l1Owner } from "../owner.ts";
import { proofOf, proofOfPossession, verifyProofOfPossession } from "../signer.ts";
import { conversionId, toNodeId } from "../warp/l1-messages.ts";
import { applyBase, baseFields, defineTx, subnetTxKeys, type TxContext, verifyBase } from "./base.ts";
import { endOfBalance } from "./l1-rules.ts";
import type { Signed } from "./signed.ts";
import { verifyNodeId } from "./staker-rules.ts";

const validator = struct({
  nodeId: bytes,
  weight: u64,
  balance: u64,
  signer: proofOfPossession,
  remainingBalanceOwner: l1Owner,
  deactivationOwner: l1Owner,
});
type ConvertedValidator = Value<typeof validator>;

const codec = variant("ConvertSubnetToL1Tx", {
  ...baseFields,
  subnetId: id,
  chainId: id,
  address: bytes,
  validators: list(validator),
  subnetAuthorization: authorization,
});
export type ConvertSubnetToL1Tx = Value<typeof codec>;

const MAX_ADDRESS_BYTES = 4096;

export const convertSubnetToL1 = defineTx<ConvertSubnetToL1Tx>({
  name: "ConvertSubnetToL1Tx",
  typeId: 35,
  since: "etna",
  codec,
  complexity: (tx) =>
    sum(
      {
        bandwidth:
          32 + // subnet
          32 + // chain of the manager
          4 + // length of its address
          4 + // number of validators
          4 + // type ID of the authorization
          4 + // type ID of its credential
          tx.address.length,
        reads: 3,
        writes: 2,
      },
      baseComplexity(tx),
      ...tx.validators.map(l1ValidatorComplexity),
      authorizationComplexity(tx.subnetAuthorization),
    ),
  names: ({ subnetId, chainId, validators }) => [subnetId, chainId, ...validators.map((_, index) => validationIdOf(subnetId, index))],
  balances: ({ validators }) => validators.map(({ balance }) => balance),
  proofs: ({ validators }) => validators.map(({ signer }) => proofOf(signer)),
  keysRead: subnetTxKeys,
  verifyForm(tx, network) {
    if (tx.subnetId === PRIMARY_NETWORK_ID) throw new RuleError("primary-network", "cannot convert a permissionless subnet");
    if (tx.address.length > MAX_ADDRESS_BYTES) throw new RuleError("address-too-long", "address is too long");
    if (tx.validators.length === 0) throw new RuleError("no-validators", "conversion must include at least one validator");
    if (!areNodesSorted(tx.validators)) {
      throw new RuleError("validators-order", "conversion validators must be sorted and unique");
    }
    verifyBase(tx, network);
    for (const converted of tx.validators) verifyConverted(converted);
    verifySignatureIndices(tx.subnetAuthorization);
  },
  execute(tx, context) {
    const { subnetId, chainId, address, validators } = tx.unsigned;
    const credentials = verifyPermissionedSubnetAuthorization(tx, tx.unsigned, context);
    for (const index of validators.keys()) putValidator(tx, index, context);
    verifyFlow(tx, context, { credentials });
    applyBase(tx, context.state);
    const members = validators.map(({ nodeId, signer, weight }) => ({ nodeId, blsPublicKey: signer.publicKey, weight }));
    const manager = { managerChainId: chainId, managerAddress: address };
    const conversion = { conversionId: conversionId({ subnetId, ...manager, validators: members }), ...manager };
    context.state.convertSubnet(subnetId, conversion, tx.id);
  },
});

function areNodesSorted(validators: readonly ConvertedValidator[]): boolean {
  return validators.every((next, i) => i === 0 || Buffer.compare(validators[i - 1]!.nodeId, next.nodeId) < 0);
}

function verifyConverted({ weight, nodeId, signer, remainingBalanceOwner, deactivationOwner }: ConvertedValidator): void {
  if (weight === 0n) throw new RuleError("zero-weight", "validator weight must be non-zero");
  verifyNodeId(toNodeId(nodeId));
  verifyProofOfPossession(signer);
  verifyOwner(remainingBalanceOwner);
  verifyOwner(deactivationOwner);
}

function putValidator({ id: txId, unsigned }: Signed<ConvertSubnetToL1Tx>, index: number, context: TxContext): void {
  const { subnetId, validators } = unsigned;
  const { nodeId, weight, balance, signer, remainingBalanceOwner, deactivationOwner } = validators[index]!;
  const row = {
    subnetId,
    nodeId: toNodeId(nodeId),
    publicKey: signer.publicKey,
    remainingBalanceOwner,
    deactivationOwner,
    startTime: context.state.timestamp,
    weight,
    minNonce: 0n,
    endAccumulatedFee: endOfBalance(balance, context),
  };
  context.state.putL1Validator(validationIdOf(subnetId, index), row, txId);
}

/** The validation ID of the validator at a position in a conversion (chain-formats 2.3). */
export function validationIdOf(subnetId: Id, index: number): Id {
  const preimage = Buffer.alloc(36);
  preimage.write(subnetId, "hex");
  preimage.writeUInt32BE(index, 32);
  return sha256Hex(preimage);
}
