/**
 * Which transactions the C-chain leaves to a later block, because their sender could not pay for all of them if each used up its gas
 * (saevm/worstcase). What senders receive in the block does not count.
 */
import type { BlockAnswers } from "../block-answers.ts";
import { type BlockJson, toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import { balancesOf, type ReceiptJson, type TransactionJson } from "./gas-charge.ts";

interface Mined extends TransactionJson {
  readonly price: bigint;
}

/** Returns their hashes: in a sender's order, the first one that cannot be paid, and all after it. A sender's first one can. */
export async function beyondWorstCase(rpc: JsonRpcClient, answers: BlockAnswers): Promise<string[]> {
  const { number } = answers.block as BlockJson;
  const several = [...bySender(answers)].filter(([, sent]) => sent.length > 1);
  const senders = several.map(([sender]) => sender);
  const balances = await balancesOf(rpc, senders, toHex(BigInt(number) - 1n));
  return several.flatMap(([, sent], at) => beyond(balances[at]!, sent));
}

/** What a sender has in the block, by the sender's address. */
export function bySender({ block, receipts }: BlockAnswers): ReadonlyMap<string, readonly Mined[]> {
  const { transactions } = block as { readonly transactions: readonly TransactionJson[] };
  const sent = new Map<string, Mined[]>();
  for (const [index, transaction] of transactions.entries()) {
    const mined = { ...transaction, price: BigInt((receipts as readonly ReceiptJson[])[index]!.effectiveGasPrice) };
    const earlier = sent.get(transaction.from);
    if (earlier === undefined) sent.set(transaction.from, [mined]);
    else earlier.push(mined);
  }
  return sent;
}

function beyond(balance: bigint, sent: readonly Mined[]): string[] {
  let left = balance;
  for (const [n, { gas, value, gasPrice, maxFeePerGas = gasPrice!, price }] of sent.entries()) {
    const [limit, amount] = [BigInt(gas), BigInt(value)];
    if (n > 0 && left < limit * BigInt(maxFeePerGas) + amount) return sent.slice(n).map(({ hash }) => hash);
    left -= limit * price + amount;
  }
  return [];
}
