/**
 * The warp precompile as a contract. `warp.yul` has its code; what it cannot know, the verified messages of a transaction, Firn writes
 * into the state before the block.
 */

import { keccak256 } from "../../../base/bytes/hash.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { parseWarpPayload, type WarpMessage } from "../../../chains/platform/warp/message.ts";
import type { EvmEdit } from "../sealing/evm-edits.ts";
import { WARP_CODE } from "./bytecode.ts";

const WORD = 32;

/** The parts of Solidity's ABI that precompiles answer with: words of 32 bytes. */
function word(value: bigint | number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * WORD, "0"), "hex");
}

/** The last bytes of a value, filled with zeros on the left. */
function rightAligned(value: Uint8Array, bytes = WORD): Buffer {
  const aligned = Buffer.alloc(WORD);
  const kept = value.subarray(Math.max(0, value.length - bytes));
  aligned.set(kept, WORD - kept.length);
  return aligned;
}

/** Bytes of any length: the length, then the bytes, filled with zeros. */
function dynamicBytes(value: Uint8Array): Buffer {
  const filled = Buffer.alloc(Math.ceil(value.length / WORD) * WORD);
  filled.set(value);
  return Buffer.concat([word(value.length), filled]);
}

export const WARP_ADDRESS: ShortId = "0200000000000000000000000000000000000005";
/** `SendWarpMessage(address,bytes32,bytes)` */
export const SEND_WARP_MESSAGE = "56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d";

/** code of an account that nobody should call */
const STOP = 0x00;
const TYPES = { Hash: 0, AddressedCall: 1 };

/** The contract's code on a chain. */
function warpCode(networkId: number, chainId: Id): Buffer {
  const network = Buffer.alloc(4);
  network.writeUInt32BE(networkId);
  return Buffer.concat([Buffer.from(WARP_CODE, "hex"), network, Buffer.from(chainId, "hex")]);
}

/** A genesis in which the contract stands. The precompile's account has a nonce, so that it is not empty. */
export function withWarp(genesis: Readonly<Record<string, unknown>>, networkId: number, chainId: Id): Record<string, unknown> {
  const account = { balance: "0x0", nonce: "0x1", code: `0x${warpCode(networkId, chainId).toString("hex")}` };
  return { ...genesis, alloc: { ...(genesis.alloc as object | undefined), [WARP_ADDRESS]: account } };
}

/** What puts the contract into the state of a chain that has begun. */
export function warpEdits(networkId: number, chainId: Id): EvmEdit[] {
  return [{ kind: "code", address: WARP_ADDRESS, code: warpCode(networkId, chainId) }];
}

interface VerifiedMessage {
  /** of the block */
  readonly height: bigint;
  /** sender of the transaction */
  readonly origin: ShortId;
  /** among the transaction's messages */
  readonly index: number;
  readonly message: WarpMessage;
  /** what an answer with it costs */
  readonly gas: bigint;
}

/** Where the contract looks for a message. */
export function messageSlot({ height, origin, index }: Pick<VerifiedMessage, "height" | "origin" | "index">): ShortId {
  return keccak256(Buffer.concat([word(height), rightAligned(Buffer.from(origin, "hex")), word(index)])).toString("hex", 12);
}

/** What stands there. */
export function verifiedCode({ message, gas }: Pick<VerifiedMessage, "message" | "gas">): Buffer {
  const payload = parseWarpPayload(message.payload);
  const header = Buffer.alloc(10);
  header.writeUInt8(STOP, 0);
  header.writeUInt8(TYPES[payload.kind], 1);
  header.writeBigUInt64BE(gas, 2);
  const source = Buffer.from(message.sourceChainId, "hex");
  if (payload.kind === "Hash") return Buffer.concat([header, source, Buffer.from(payload.hash, "hex"), word(1)]);
  const sender = rightAligned(payload.sourceAddress, 20);
  return Buffer.concat([header, word(64), word(1), source, sender, word(96), dynamicBytes(payload.payload)]);
}

export function verifiedEdit(verified: VerifiedMessage): EvmEdit {
  return { kind: "code", address: messageSlot(verified), code: verifiedCode(verified) };
}
