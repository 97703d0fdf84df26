/**
 * Warp messages in a transaction's access list, where the C-chain verifies them before it executes the transaction. Each entry for the
 * precompile's address is one message, packed into keys of 32 bytes: the message, the delimiter 0xff, and zeros. Texts are the node's.
 */

import { countSigners, parseWarpMessage, parseWarpPayload, type WarpMessage } from "../../../chains/platform/warp/message.ts";
import { RuleError, within } from "../../../network/execution.ts";

const DELIMITER = 0xff;
const KEY_BYTES = 32;

/** Gas for verifying a message, and for reading it once. */
interface WarpGas {
  readonly verify: bigint;
  readonly perSigner: bigint;
  readonly read: bigint;
  /** each for verifying and for reading */
  readonly perKey: bigint;
}

const BEFORE_GRANITE: WarpGas = { verify: 200_000n, perSigner: 500n, read: 2n, perKey: 3_200n };
const SINCE_GRANITE: WarpGas = { verify: 125_000n, perSigner: 250n, read: 750n, perKey: 512n };

export function packPredicate(message: Uint8Array): Buffer {
  const keys = Math.floor(message.length / KEY_BYTES) + 1;
  const packed = Buffer.alloc(keys * KEY_BYTES);
  packed.set(message);
  packed[message.length] = DELIMITER;
  return packed;
}

export function unpackPredicate(packed: Uint8Array): Buffer {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const keys = bytes.length / KEY_BYTES;
  if (end === 0) throw new RuleError("predicate", `no delimiter found: length (${keys})`);
  const expected = Math.ceil(end / KEY_BYTES);
  if (expected !== keys) {
    throw new RuleError("predicate", `predicate included excess padding: got length (${keys}), expected length (${expected})`);
  }
  if (bytes[end - 1] !== DELIMITER) throw new RuleError("predicate", "wrong delimiter");
  return bytes.subarray(0, end - 1);
}

/** What verifying a message costs a transaction before it begins. Throws if the bytes are no message: such a transaction is refused. */
export function predicateGas(packed: Uint8Array, { isGranite }: { isGranite: boolean }): bigint {
  const gas = gasRules(isGranite);
  const message = messageOf(packed);
  within("cannot unpack warp message payload", () => parseWarpPayload(message.payload));
  const signers = within("cannot fetch num signers from warp message", () => countSigners(message.signature.signers));
  return gas.verify + gas.perKey * keysOf(packed) + gas.perSigner * BigInt(signers);
}

/** What reading a verified message costs. */
export function readingGas(packed: Uint8Array, { isGranite }: { isGranite: boolean }): bigint {
  const gas = gasRules(isGranite);
  return gas.read + gas.perKey * keysOf(packed);
}

export function messageOf(packed: Uint8Array): WarpMessage {
  const bytes = within("cannot unpack predicate bytes", () => unpackPredicate(packed));
  return within("cannot unpack warp message", () => parseWarpMessage(bytes));
}

function gasRules(isGranite: boolean): WarpGas {
  return isGranite ? SINCE_GRANITE : BEFORE_GRANITE;
}

function keysOf(packed: Uint8Array): bigint {
  return BigInt(packed.length / KEY_BYTES);
}
