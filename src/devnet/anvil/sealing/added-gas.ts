/** The gas that was charged beyond what the child counted: stored with its block, and shown in the child's answers about receipts. */

import type { Id } from "../../../base/bytes/id.ts";
import type { Change } from "../../../base/table/table.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import { toHex } from "../header.ts";
import { evmAddedGas } from "../tables.ts";
import type { AddedGas, ReceiptJson } from "./gas-charge.ts";

/** They answer with a receipt or with those of a block. */
const METHODS: ReadonlySet<string> = new Set(["eth_getTransactionReceipt", "eth_getBlockReceipts"]);
/** The child writes an answer without spaces. */
const RESULT = '"result":';

interface AddedGasParts {
  readonly store: StoreReader;
  readonly spec: { readonly chainId: Id };
}

export function rowsOfAddedGas(chainId: Id, height: bigint, added: AddedGas): Change[] {
  return [...added].map(([index, gas]) => ({ table: evmAddedGas, key: { chainId, height, index }, value: { gas } }) as Change);
}

export async function storedAddedGas({ store, spec }: AddedGasParts, height: bigint): Promise<AddedGas> {
  const added = new Map<number, bigint>();
  for await (const { key, value } of scanAll(store, evmAddedGas, { chainId: spec.chainId, height })) added.set(key.index, value.gas);
  return added;
}

/** @param receipts of a whole block, in its order */
export function withAddedGas(receipts: readonly ReceiptJson[], added: AddedGas): readonly ReceiptJson[] {
  if (added.size === 0) return receipts;
  let sum = 0n;
  return receipts.map((receipt, index) => {
    const gas = added.get(index) ?? 0n;
    sum += gas;
    return charged(receipt, gas, sum);
  });
}

/** The child's result of a method, with the gas that was charged. */
export async function resultWithAddedGas(parts: AddedGasParts, method: string, result: unknown): Promise<unknown> {
  const [receipt] = Array.isArray(result) ? (result as unknown[]) : [result];
  if (!METHODS.has(method) || typeof receipt !== "object" || receipt === null) return result;
  const added = await storedAddedGas(parts, BigInt((receipt as ReceiptJson).blockNumber));
  return Array.isArray(result) ? withAddedGas(result as ReceiptJson[], added) : chargedAlone(receipt as ReceiptJson, added);
}

/** The child's answer to a client's call, with the gas that was charged. */
export async function answerWithAddedGas(parts: AddedGasParts, method: string | undefined, answer: Buffer): Promise<Buffer> {
  const at = answer.indexOf(RESULT);
  if (method === undefined || !METHODS.has(method) || at === -1) return answer;
  const start = at + RESULT.length;
  const result = await resultWithAddedGas(parts, method, JSON.parse(answer.toString("utf8", start, answer.lastIndexOf("}"))));
  return Buffer.concat([answer.subarray(0, start), Buffer.from(`${JSON.stringify(result)}}`)]);
}

/** @param sum of the added gas of this transaction and those before it in the block */
function charged(receipt: ReceiptJson, gas: bigint, sum: bigint): ReceiptJson {
  if (sum === 0n) return receipt;
  const { gasUsed, cumulativeGasUsed } = receipt;
  return { ...receipt, cumulativeGasUsed: toHex(BigInt(cumulativeGasUsed) + sum), gasUsed: toHex(BigInt(gasUsed) + gas) };
}

function chargedAlone(receipt: ReceiptJson, added: AddedGas): ReceiptJson {
  const at = Number(receipt.transactionIndex);
  const sum = [...added].reduce((before, [index, gas]) => (index <= at ? before + gas : before), 0n);
  return charged(receipt, added.get(at) ?? 0n, sum);
}
