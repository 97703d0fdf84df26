/** Messages between the P-chain and L1 managers, inside addressed calls (ACP-77; chain-formats 7.3, 7.4). */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { sha256Hex } from "../../../base/bytes/hash.ts";
import { EMPTY_SHORT_ID, type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { bool, bytes, decodeVersioned, encodeVersioned, list, struct, u64, union, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { blsPublicKey, id } from "../output.ts";
import { verifyOwner } from "../output-rules.ts";
import { l1Owner } from "../owner.ts";
import { readable } from "../readable.ts";

const l1Message = union(
  {
    0: variant("SubnetToL1Conversion", { id }),
    1: variant("RegisterL1Validator", {
      subnetId: id,
      nodeId: bytes,
      blsPublicKey,
      expiry: u64,
      remainingBalanceOwner: l1Owner,
      disableOwner: l1Owner,
      weight: u64,
    }),
    2: variant("L1ValidatorRegistration", { validationId: id, registered: bool }),
    3: variant("L1ValidatorWeight", { validationId: id, nonce: u64, weight: u64 }),
  },
  new Set([0, 1, 2, 3]),
);
export type L1Message = Value<typeof l1Message>;
export type RegisterL1Validator = Extract<L1Message, { kind: "RegisterL1Validator" }>;
export type L1ValidatorWeight = Extract<L1Message, { kind: "L1ValidatorWeight" }>;

export function encodeL1Message(message: L1Message): Buffer {
  return encodeVersioned(l1Message, message);
}

export function parseL1Message(input: Uint8Array): L1Message {
  return readable(() => decodeVersioned(l1Message, input));
}

export function parseRegisterL1Validator(input: Uint8Array): RegisterL1Validator {
  const message = parseL1Message(input);
  if (message.kind !== "RegisterL1Validator") throw wrongType(message);
  if (message.subnetId === PRIMARY_NETWORK_ID) throw new RuleError("invalid-subnet", "invalid subnet ID");
  if (message.weight === 0n) throw new RuleError("invalid-weight", "invalid weight");
  within("invalid node ID", () => {
    if (toNodeId(message.nodeId) === EMPTY_SHORT_ID) throw new RuleError("empty-node-id", "empty nodeID is disallowed");
  });
  within("invalid owner", () => {
    verifyOwner(message.remainingBalanceOwner);
    verifyOwner(message.disableOwner);
  });
  return message;
}

export function parseL1ValidatorWeight(input: Uint8Array): L1ValidatorWeight {
  const message = parseL1Message(input);
  if (message.kind !== "L1ValidatorWeight") throw wrongType(message);
  if (message.nonce === MAX_U64 && message.weight !== 0n) {
    throw new RuleError("reserved-nonce", "maxUint64 nonce is reserved for removal");
  }
  return message;
}

function wrongType(message: L1Message): RuleError {
  return new RuleError("l1-message-type", `wrong payload type: *message.${message.kind}`);
}

/** The ID of a registration: the hash of its message. */
export function registrationId(message: Uint8Array): Id {
  return sha256Hex(message);
}

/** L1 messages contain node IDs as byte strings of any length. */
export function toNodeId(value: Uint8Array): NodeId {
  if (value.length === 20) return Buffer.from(value.buffer, value.byteOffset, 20).toString("hex");
  throw new RuleError("node-id-length", `invalid hash length: expected 20 bytes but got ${value.length}`);
}

const conversion = struct({
  subnetId: id,
  managerChainId: id,
  managerAddress: bytes,
  validators: list(struct({ nodeId: bytes, blsPublicKey, weight: u64 })),
});
type Conversion = Value<typeof conversion>;

/** The ID of a conversion, with which an L1's manager verifies its first validators. */
export function conversionId(value: Conversion): Id {
  return sha256Hex(encodeVersioned(conversion, value));
}
