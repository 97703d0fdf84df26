/** A transaction in the P-chain's mempool: its gas price, its inputs, and the transactions that it builds on. */

import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import type { RowKey } from "../../../base/table/view.ts";
import { RuleError, within } from "../../../network/execution.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { Ancestry, type ChainedTx, Claims, DroppedTxs, type MempoolTx } from "../../mempool/mempool.ts";
import { txKeys } from "../block.ts";
import { gasOf } from "../complexity.ts";
import { complexityOf } from "../fee.ts";
import { addAmounts } from "../flow.ts";
import { unlockedInput, unlockedOutput } from "../output.ts";
import { SortedList } from "../state/staker-set.ts";
import { balancesOf, definitionOf, inputsOf, outputsOf, type SignedTx, type UnsignedTx } from "../tx/registry.ts";

/**
 * The P-chain's mempool with the reference node's limits and texts: highest gas price first, 1,000,000 gas in total; cheaper transactions
 * make room for others. It verifies nothing.
 */
const MAX_GAS = 1_000_000n;

export class PlatformMempool {
  readonly #txs = new Map<Id, PendingTx>();
  readonly #byPrice = new SortedList(compareByPrice);
  readonly #claims = new Claims<PendingTx>();
  readonly #ancestry = new Ancestry<PendingTx>();
  readonly #dropped = new DroppedTxs();
  #gasLeft = MAX_GAS;

  get size(): number {
    return this.#txs.size;
  }

  has(txId: Id): boolean {
    return this.#txs.has(txId);
  }

  get(txId: Id): PendingTx | undefined {
    return this.#txs.get(txId);
  }

  /** The waiting transactions that a new one may build on, in execution order. */
  ancestorsOf(tx: SignedTx): PendingTx[] {
    return this.size === 0 ? [] : this.#ancestry.of(namesNeeded(tx), ({ id }) => this.has(id));
  }

  checkConflicts(inputs: readonly Id[]): void {
    if (this.#claims.isClaimed(inputs)) throw new RuleError("mempool-conflict", "tx conflicts with other tx");
  }

  add(tx: PendingTx): void {
    this.checkConflicts(tx.inputs);
    this.#makeRoom(tx);
    this.#txs.set(tx.id, tx);
    this.#byPrice.add(tx);
    this.#claims.add(tx);
    this.#ancestry.add(tx);
    this.#dropped.delete(tx.id);
    this.#gasLeft -= tx.gas;
  }

  /** In the order of blocks: highest gas price first, but each after those it builds on. */
  *inOrder(): Generator<PendingTx> {
    const seen = new Set<PendingTx>();
    for (const tx of this.#byPrice.items.toReversed()) {
      for (const next of [...tx.ancestors, tx]) {
        if (seen.has(next) || !this.has(next.id)) continue;
        seen.add(next);
        yield next;
      }
    }
  }

  remove(txId: Id): void {
    const tx = this.#txs.get(txId);
    if (tx === undefined) return;
    this.#txs.delete(txId);
    this.#byPrice.remove(tx);
    this.#claims.delete(tx);
    this.#ancestry.delete(tx);
    this.#gasLeft += tx.gas;
  }

  /** Removes a transaction, if present, and remembers the reason. */
  drop(txId: Id, reason: Error): void {
    this.remove(txId);
    this.#dropped.set(txId, reason);
  }

  dropReason(txId: Id): Error | undefined {
    return this.#dropped.get(txId);
  }

  clear(): void {
    for (const txId of [...this.#txs.keys()]) this.remove(txId);
    this.#dropped.clear();
  }

  /** Drops the cheapest transactions, if all of them are cheaper than the new one. */
  #makeRoom({ gas, gasPrice }: PendingTx): void {
    let missing = gas - this.#gasLeft;
    const leaving: PendingTx[] = [];
    for (const tx of this.#byPrice.items) {
      if (missing <= 0n || tx.gasPrice >= gasPrice) break;
      leaving.push(tx);
      missing -= tx.gas;
    }
    if (missing > 0n) throw new RuleError("not-enough-gas", "not enough gas");
    for (const tx of leaving) this.remove(tx.id);
  }
}

function compareByPrice(a: PendingTx, b: PendingTx): number {
  if (a.gasPrice !== b.gasPrice) return a.gasPrice - b.gasPrice;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** The values that the mempool sorts by. */
export interface Meter {
  readonly gas: bigint;
  /** nAVAX burned per gas, in floating point as on the node */
  readonly gasPrice: number;
}

export class PendingTx implements MempoolTx, ChainedTx {
  readonly tx: SignedTx;
  readonly id: Id;
  readonly size: number;
  readonly inputs: readonly Id[];
  /** rows that executing it reads, except resident ones */
  readonly keys: readonly RowKey[];
  readonly makes: readonly string[];
  ancestors: readonly this[];
  readonly gas: bigint;
  readonly gasPrice: number;
  /** height of the validator sets that its warp message was last verified with */
  warpHeight: bigint | undefined;

  constructor(tx: SignedTx, { gas, gasPrice }: Meter, ancestors: readonly PendingTx[]) {
    this.tx = tx;
    this.id = tx.id;
    this.size = tx.bytes.length;
    this.inputs = inputsOf(tx.unsigned).map(utxoIdOf);
    this.keys = txKeys(tx);
    this.makes = namesMade(tx);
    this.ancestors = ancestors as readonly this[];
    this.gas = gas;
    this.gasPrice = gasPrice;
  }
}

/** Throws for a transaction that cannot be metered, which the release's mempool refuses in every era. */
export function meter(tx: UnsignedTx, network: NetworkInstance): Meter {
  return within("failed to meter tx", () => {
    const burned = burnedAvax(tx, network);
    const gas = gasOf(complexityOf(tx), network.dynamicFees);
    if (gas === 0n) throw new RuleError("no-gas", "no gas used");
    return { gas, gasPrice: Number(burned) / Number(gas) };
  });
}

function burnedAvax(tx: UnsignedTx, { avaxAssetId }: NetworkInstance): bigint {
  let consumed = 0n;
  for (const { assetId, input } of inputsOf(tx)) {
    if (assetId === avaxAssetId) consumed = addAmounts(consumed, unlockedInput(input).amount);
  }
  let produced = balancesOf(tx).reduce(addAmounts, 0n);
  for (const { assetId, output } of outputsOf(tx)) {
    if (assetId === avaxAssetId) produced = addAmounts(produced, unlockedOutput(output).amount);
  }
  if (consumed < produced) throw new RuleError("avax-minted", "AVAX minted");
  return consumed - produced;
}

// The names that transactions refer to: a transaction whose outputs are spent, a subnet, a validator's node, a validation. A transaction
// that is not yet valid may become so by waiting ones with the same names.

/** Names that others may refer to after its execution. */
function namesMade({ id, unsigned }: SignedTx): string[] {
  return [id, ...subjects(unsigned)];
}

export function namesNeeded({ unsigned }: SignedTx): Set<string> {
  const spent = "inputs" in unsigned ? unsigned.inputs.map(({ txId }) => txId) : [];
  return new Set([...spent, ...subjects(unsigned)]);
}

/** The names in its definition, without the primary network, which no transaction creates. */
function subjects(tx: UnsignedTx): string[] {
  return definitionOf(tx.kind)
    .names(tx)
    .filter((name) => name !== PRIMARY_NETWORK_ID);
}
