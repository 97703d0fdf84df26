/**
 * Seals blocks whose transactions are charged as on the C-chain since Helicon. The index's questions about a sealed block were answered for this, and
 * is kept until the block is committed.
 */

import { type BlockAnswers, readBlockAnswers } from "../block-answers.ts";
import type { BlockTraces } from "../block-traces.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import { EvmDownError } from "../evm-error.ts";
import { type BlockJson, toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import type { TransactionPool } from "../pool/transaction-pool.ts";
import { withAddedGas } from "./added-gas.ts";
import { type AddedGas, addedGas, balancesOf, charge, type ReceiptJson, type TransactionJson } from "./gas-charge.ts";
import { type SealPlan, sealBlock, unseal } from "./seal.ts";

interface ChargedSealingParts {
  readonly spec: EvmChainSpec;
  readonly pool: TransactionPool;
  readonly traces: BlockTraces;
}

interface Charged {
  readonly block: BlockJson;
  readonly added: AddedGas;
}

const NOTHING: AddedGas = new Map();

export class ChargedSealing {
  readonly #parts: ChargedSealingParts;
  #sealed: { readonly height: bigint; readonly answers: BlockAnswers } | undefined;

  constructor(parts: ChargedSealingParts) {
    this.#parts = parts;
  }

  /** Answers for the block that was sealed last, if it is not committed. */
  answersOf(height: bigint): BlockAnswers | undefined {
    return this.#sealed?.height === height ? this.#sealed.answers : undefined;
  }

  /** Call this when the sealed block was committed or discarded. */
  forget(): void {
    this.#sealed = undefined;
  }

  /** Transactions that cannot be paid after those before them are withheld: the child gets them again by `widen` of the pool. */
  async seal(rpc: JsonRpcClient, plan: SealPlan): Promise<Charged> {
    const { spec, pool } = this.#parts;
    let block = await sealBlock(rpc, plan);
    while (spec.isSaevmAt(plan.timestamp) && block.transactions.length > 0) {
      const { unpayable, added } = await this.#charge(rpc, block);
      if (unpayable.length === 0) return { block, added };
      await unseal(rpc);
      if (!(await pool.withhold(rpc, unpayable))) throw new EvmDownError(`${spec.name}'s EVM made a block of unknown transactions`);
      // the accounts keep what the atomic transactions did before the block
      block = await sealBlock(rpc, { ...plan, atomicTxs: [] });
    }
    return { block, added: NOTHING };
  }

  async #charge(rpc: JsonRpcClient, block: BlockJson): Promise<{ unpayable: readonly string[]; added: AddedGas }> {
    const height = BigInt(block.number);
    const answers = await readBlockAnswers(rpc, height, this.#parts.traces);
    const added = addedGas(answers);
    const late = await beyondWorstCase(rpc, answers);
    if (late.length > 0) return { unpayable: late, added };
    const receipts = answers.receipts as readonly ReceiptJson[];
    const poor = await charge(rpc, block, receipts, added);
    if (poor !== undefined) return { unpayable: oneByOne(bySender(answers).get(poor)!), added };
    this.#sealed = { height, answers: { ...answers, receipts: withAddedGas(receipts, added) } };
    return { unpayable: [], added };
  }
}

/** The account that a test sends for can be a contract, whose balance other transactions take. Alone in a block, a transaction can be paid. */
function oneByOne(sent: readonly { readonly hash: string }[]): string[] {
  return (sent.length === 1 ? sent : sent.slice(1)).map(({ hash }) => hash);
}

// Which transactions the C-chain leaves to a later block, because their sender could not pay for all of them if each used up its gas
// (saevm/worstcase). Amounts that senders receive in the block do not count.

interface Mined extends TransactionJson {
  readonly price: bigint;
}

/** Returns their hashes: in a sender's order, the first one that cannot be paid, and all after it. A sender's first one can. */
async function beyondWorstCase(rpc: JsonRpcClient, answers: BlockAnswers): Promise<string[]> {
  const { number } = answers.block as BlockJson;
  const several = [...bySender(answers)].filter(([, sent]) => sent.length > 1);
  const senders = several.map(([sender]) => sender);
  const balances = await balancesOf(rpc, senders, toHex(BigInt(number) - 1n));
  return several.flatMap(([, sent], at) => beyond(balances[at]!, sent));
}

/** What a sender has in the block, by the sender's address. */
function bySender({ block, receipts }: BlockAnswers): ReadonlyMap<string, readonly Mined[]> {
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
