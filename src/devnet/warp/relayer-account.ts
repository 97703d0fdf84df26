/** The account that delivers a devnet's warp messages. Its key is public, and it is paid by an edit of the state, so it needs nobody's funds. */

import { keccak256 } from "../../base/bytes/hash.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../base/codec/rlp.ts";
import { evmAddressOf, signDigest } from "../../base/signatures/secp256k1.ts";
import { type EvmCall, evmCall } from "../anvil/evm-call.ts";
import { EvmRequestError } from "../anvil/evm-error.ts";
import { packPredicate } from "../anvil/precompiles/predicate.ts";
import { WARP_ADDRESS } from "../anvil/precompiles/warp-contract.ts";

const KEY = keccak256(Buffer.from("firn devnet relayer", "ascii"));
export const relayerAddress: ShortId = evmAddressOf(KEY);
/** aAVAX: more than any delivery costs, and what it is filled up to */
export const LEAST_FUNDS = 10n ** 20n;
export const FUNDS = 10n ** 21n;

const KEY_BYTES = 32;
const TYPE = Uint8Array.of(2);

export interface Caller {
  forward(call: EvmCall): Promise<Buffer>;
}

interface Delivery {
  readonly evmChainId: bigint;
  readonly nonce: bigint;
  readonly maxFee: bigint;
  readonly gas: bigint;
  readonly to: ShortId;
  /** hex */
  readonly data: string;
  /** signed */
  readonly message: Uint8Array;
}

/** Asks a chain as a client does. Throws an EvmRequestError if it refuses. */
export async function askChain(evm: Caller, method: string, ...params: unknown[]): Promise<unknown> {
  const answer = JSON.parse((await evm.forward(evmCall(1, method, params))).toString()) as {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  };
  if (answer.error !== undefined) throw new EvmRequestError(method, answer.error);
  return answer.result;
}

/** The keys under which the message stands in an access list. */
export function accessListOf(message: Uint8Array): { readonly address: string; readonly storageKeys: readonly string[] }[] {
  return [{ address: `0x${WARP_ADDRESS}`, storageKeys: keysOf(message).map((key) => `0x${key.toString("hex")}`) }];
}

/** A signed transaction (EIP-1559) with the message in its access list. */
export function signDelivery({ evmChainId, nonce, maxFee, gas, to, data, message }: Delivery): string {
  const list = encodeRlpList([
    encodeRlpList([encodeRlpString(Buffer.from(WARP_ADDRESS, "hex")), encodeRlpList(keysOf(message).map(encodeRlpString))]),
  ]);
  const [none, tip] = [encodeRlpInteger(0n), encodeRlpInteger(1n)];
  const fields = [
    ...[encodeRlpInteger(evmChainId), encodeRlpInteger(nonce), tip, encodeRlpInteger(maxFee), encodeRlpInteger(gas)],
    ...[encodeRlpString(Buffer.from(to, "hex")), none, encodeRlpString(Buffer.from(data.slice(2), "hex")), list],
  ];
  const signature = signDigest(keccak256(Buffer.concat([TYPE, encodeRlpList(fields)])), KEY);
  const scalar = (at: number) => encodeRlpInteger(BigInt(`0x${signature.toString("hex", at, at + 32)}`));
  const signed = encodeRlpList([...fields, encodeRlpInteger(BigInt(signature[64]!)), scalar(0), scalar(32)]);
  return `0x${Buffer.concat([TYPE, signed]).toString("hex")}`;
}

function keysOf(message: Uint8Array): Buffer[] {
  const packed = packPredicate(message);
  return Array.from({ length: packed.length / KEY_BYTES }, (_, n) => packed.subarray(n * KEY_BYTES, (n + 1) * KEY_BYTES));
}
