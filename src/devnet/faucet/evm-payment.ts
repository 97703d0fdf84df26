/** Payments on the C-chain: a plain signed EVM transaction (EIP-155). */

import { evmCall } from "../../c-chain/development-evm/evm-call.ts";
import type { EvmNode } from "../../c-chain/development-evm/evm-node.ts";
import { encodeRlpString } from "../../primitives/codec/rlp.ts";
import { FirnError } from "../../primitives/errors.ts";
import { keccak256 } from "../../primitives/hash.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { evmAddressOf, signDigest } from "../../primitives/secp256k1.ts";

export interface EvmPayment {
  readonly key: Uint8Array;
  readonly to: ShortId;
  /** nAVAX */
  readonly amount: bigint;
}

/** aAVAX per nAVAX */
const PER_NANO_AVAX = 1_000_000_000n;

/** Returns the transaction's hash once the child has accepted it; if blocks are built at once, that is after its block. */
export async function payOnEvm(evm: EvmNode, { key, to, amount }: EvmPayment): Promise<Id> {
  const from = `0x${evmAddressOf(key)}`;
  const value = amount * PER_NANO_AVAX;
  const ask = async (method: string, ...params: unknown[]) => BigInt((await evm.request(method, params)) as string);
  const balance = await ask("eth_getBalance", from, "latest");
  const gasPrice = await ask("eth_gasPrice");
  const gas = await ask("eth_estimateGas", { from, to: `0x${to}`, value: `0x${(balance < value ? 0n : value).toString(16)}` });
  const needed = value + gas * gasPrice;
  if (balance < needed) {
    throw new FirnError("no-funds", `the pre-funded key has ${balance} aAVAX on the C-chain, but needs ${needed}`, { balance, needed });
  }
  const chainId = await ask("eth_chainId");
  const nonce = await ask("eth_getTransactionCount", from, "pending");
  const fields = [number(nonce), number(gasPrice), number(gas), Buffer.from(to, "hex"), number(value), Buffer.alloc(0)];
  const signature = signDigest(keccak256(list([...fields, number(chainId), number(0n), number(0n)])), key);
  const v = chainId * 2n + 35n + BigInt(signature[64]!);
  const raw = list([...fields, number(v), trimmed(signature.subarray(0, 32)), trimmed(signature.subarray(32, 64))]);
  const call = evmCall(1, "eth_sendRawTransaction", [`0x${raw.toString("hex")}`]);
  const { result, error } = JSON.parse((await evm.forward(call)).toString()) as { result?: string; error?: { message: string } };
  if (result === undefined) throw new FirnError("evm-refused", `the C-chain refused the payment: ${error?.message}`);
  return result.slice(2);
}

function number(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex");
}

function trimmed(bytes: Buffer): Buffer {
  return number(BigInt(`0x${bytes.toString("hex")}`));
}

/** The RLP of a list of strings. A list's prefix is a string's plus 0x40. */
function list(strings: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(strings.map(encodeRlpString));
  if (payload.length === 1) return Buffer.concat([Uint8Array.of(0xc1), payload]);
  const encoded = encodeRlpString(payload);
  encoded[0]! += 0x40;
  return encoded;
}
