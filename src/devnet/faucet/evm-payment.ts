/** Payments on the C-chain: a plain signed EVM transaction (EIP-155). */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { evmAddressOf } from "../../base/signatures/secp256k1.ts";
import { evmCall } from "../anvil/evm-call.ts";
import type { EvmNode } from "../anvil/evm-node.ts";
import { toHex } from "../anvil/header.ts";
import { signTransaction } from "../anvil/pool/sign-transaction.ts";

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
  const quantities = { nonce: toHex(nonce), gasPrice: toHex(gasPrice), gas: toHex(gas), value: toHex(value) };
  const raw = signTransaction({ type: "0x0", chainId: toHex(chainId), ...quantities, to: `0x${to}`, input: "0x" }, key);
  const call = evmCall(1, "eth_sendRawTransaction", [`0x${raw.toString("hex")}`]);
  const { result, error } = JSON.parse((await evm.forward(call)).toString()) as { result?: string; error?: { message: string } };
  if (result === undefined) throw new FirnError("evm-refused", `the C-chain refused the payment: ${error?.message}`);
  return result.slice(2);
}
