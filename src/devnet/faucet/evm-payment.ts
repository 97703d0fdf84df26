/** Payments on the C-chain: a plain signed EVM transaction (EIP-155). */
import { encodeRlpString } from "../../atomic/rlp.ts";
import type { EvmNode } from "../../evm-node/evm-node.ts";
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

/** aAVAX */
const PER_NANO_AVAX = 1_000_000_000n;

/** Returns the transaction's hash once the child has taken it, which is after its block if blocks are built at once. */
export async function payOnEvm(evm: EvmNode, { key, to, amount }: EvmPayment): Promise<Id> {
  const from = `0x${evmAddressOf(key)}`;
  const value = amount * PER_NANO_AVAX;
  const ask = async (method: string, ...params: unknown[]) => BigInt((await evm.request(method, params)) as string);
  const balance = await ask("eth_getBalance", from, "latest");
  const gasPrice = await ask("eth_gasPrice");
  const gas = await ask("eth_estimateGas", { from, to: `0x${to}`, value: `0x${(balance < value ? 0n : value).toString(16)}` });
  const needed = value + gas * gasPrice;
  if (balance < needed) {
    throw new FirnError("no-funds", `the pre-funded key has ${balance} aAVAX on the C-chain, ${needed} are needed`, { balance, needed });
  }
  const chainId = await ask("eth_chainId");
  const nonce = await ask("eth_getTransactionCount", from, "pending");
  const fields = [number(nonce), number(gasPrice), number(gas), Buffer.from(to, "hex"), number(value), Buffer.alloc(0)];
  const signature = signDigest(keccak256(list([...fields, number(chainId), number(0n), number(0n)])), key);
  const v = chainId * 2n + 35n + BigInt(signature[64]!);
  const raw = list([...fields, number(v), trimmed(signature.subarray(0, 32)), trimmed(signature.subarray(32, 64))]);
  const body = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [`0x${raw.toString("hex")}`] };
  const { result, error } = JSON.parse(await evm.forward(JSON.stringify(body))) as { result?: string; error?: { message: string } };
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

/** The RLP of a list of strings; its prefix is that of a string, one range of values higher. */
function list(strings: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(strings.map(encodeRlpString));
  if (payload.length === 1) return Buffer.concat([Uint8Array.of(0xc1), payload]);
  const encoded = encodeRlpString(payload);
  encoded[0]! += 0x40;
  return encoded;
}
