/**
 * Keeps issued transactions of one asset chain in its mempool and builds blocks from them, as the reference node does (chain-rules 15.4,
 * rpc-avm-info-health 3.7). On an asset chain a transaction stays valid until one of its inputs is spent, and no two in the mempool share
 * an input, so a verified transaction goes into a block without another check.
 */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import type { RowKey, View } from "../../../base/table/view.ts";
import { type ExecutionContext, RuleError } from "../../../network/execution.ts";
import type { AdmitOptions, BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../../mempool/issuer.ts";
import { Ancestry, type ChainedTx, isForNow, Mempool, type MempoolTx } from "../../mempool/mempool.ts";
import type { AssetChain } from "../chain.ts";
import type { SignedTx } from "../tx/registry.ts";
import { assetsOf, consumedBy, spentHere } from "../tx/value.ts";
import { WalletQueue } from "./wallet-queue.ts";

const REFUSED = 1024;
const SPENT = 16 * 1024;

/**
 * Finds refused transactions that can never be accepted, because an accepted transaction spent one of their inputs. Its memory is bounded
 * to the last 1,024 refused transactions and the most recently spent inputs.
 */
class DoubleSpends {
  /** inputs of refused transactions, the oldest first */
  readonly #refused = new Map<Id, readonly Id[]>();
  /** input → transaction that spent it */
  #spent = new Recent<Id, Id>(SPENT);

  refused({ id, inputs }: MempoolTx): void {
    this.#refused.delete(id);
    this.#refused.set(id, inputs);
    if (this.#refused.size > REFUSED) this.#refused.delete(this.#refused.keys().next().value!);
  }

  accepted({ id, inputs }: MempoolTx): void {
    for (const input of inputs) this.#spent.set(input, id);
  }

  isRejected(txId: Id): boolean {
    const inputs = this.#refused.get(txId) ?? [];
    return inputs.some((input) => (this.#spent.get(input) ?? txId) !== txId);
  }

  clear(): void {
    this.#refused.clear();
    this.#spent = new Recent(SPENT);
  }
}

/** Limit on the bytes of transactions in a block. It exceeds the size of any transaction, so none waits forever. */
const BLOCK_TX_BYTES = 128 * 1024;
/** Number of invalid wallet transactions after which one build leaves the rest to the next. */
const WALLET_TXS_PER_BUILD = 64;

export class AssetIssuer implements ChainIssuer<SignedTx> {
  readonly chainId: Id;
  readonly #chain: AssetChain;
  readonly #view: View;
  readonly #mempool = new Mempool<WaitingTx>();
  /** verified transactions only */
  readonly #ancestry = new Ancestry<WaitingTx>();
  readonly #wallet = new WalletQueue((tx) => this.#addUnverified(tx));
  readonly #doubleSpends = new DoubleSpends();

  constructor(chain: AssetChain, view: View) {
    this.chainId = chain.instance.chainId;
    this.#chain = chain;
    this.#view = view;
  }

  parse(bytes: Uint8Array): SignedTx {
    return this.#chain.codec.parseTx(bytes);
  }

  admissionKeys(tx: SignedTx): RowKey[] {
    return this.#keysToVerify(tx, this.#ancestorsOf(tx));
  }

  admit(tx: SignedTx, context: ExecutionContext, { viaWallet = false }: AdmitOptions = {}): void {
    if (viaWallet) {
      this.#wallet.issue(tx);
      return;
    }
    if (this.#mempool.has(tx.id)) return;
    const dropped = this.#mempool.dropReason(tx.id);
    if (dropped !== undefined && !isForNow(dropped)) throw dropped;
    const waiting = waitingTx(tx, { ancestors: this.#ancestorsOf(tx), isVerified: true });
    this.#rememberIfRefused(waiting, () => {
      this.#verify(waiting, context);
      this.#mempool.add(waiting);
    });
    this.#ancestry.add(waiting);
  }

  buildKeys(): RowKey[] {
    const keys: RowKey[] = [];
    let left = WALLET_TXS_PER_BUILD;
    for (const tx of this.#wallet.waiting()) {
      if (left-- === 0) break;
      keys.push(...this.#keysToVerify(tx, this.#ancestorsOf(tx)));
    }
    return keys;
  }

  build(context: BuildContext): BuiltBlock | undefined {
    const txs = this.#nextTxs(context);
    if (txs.length === 0) return undefined;
    const parent = this.#chain.tip;
    const { bytes, height, time } = this.#chain.codec.makeBlock({
      parentId: parent.lastAccepted,
      height: parent.height + 1n,
      time: later(context.clock, parent.timestamp),
      merkleRoot: EMPTY_ID,
      txs: txs.map(({ tx }) => tx),
    });
    return { bytes, height, timestamp: time, isOption: false, txIds: txs.map(({ id }) => id) };
  }

  accepted({ txIds }: BuiltBlock): void {
    for (const txId of txIds) {
      const accepted = this.#mempool.get(txId);
      if (accepted === undefined) continue;
      this.#remove(accepted);
      this.#doubleSpends.accepted(accepted);
      this.#wallet.decided(txId);
    }
  }

  drop(txIds: readonly Id[], reason: string): void {
    const dropped = new Set(txIds);
    for (const waiting of this.#mempool) {
      if (!dropped.has(waiting.id) && !waiting.ancestors.some(({ id }) => dropped.has(id))) continue;
      this.#giveUp(waiting, new RuleError("dropped", reason));
    }
  }

  /** Nothing on an asset chain becomes due by time alone. */
  nextChange(): undefined {
    return undefined;
  }

  status(txId: Id): PendingStatus | undefined {
    if (this.#mempool.has(txId)) return { kind: "processing" };
    if (this.#doubleSpends.isRejected(txId)) return { kind: "rejected" };
    const dropped = this.#mempool.dropReason(txId);
    return dropped && { kind: "dropped", reason: dropped.message };
  }

  clear(): void {
    this.#mempool.clear();
    this.#ancestry.clear();
    this.#wallet.clear();
    this.#doubleSpends.clear();
  }

  /** The oldest transactions that fit, in order of arrival, so that none comes before one it builds on. */
  #nextTxs(context: ExecutionContext): WaitingTx[] {
    const next: WaitingTx[] = [];
    let bytesLeft = BLOCK_TX_BYTES;
    let walletTxsLeft = WALLET_TXS_PER_BUILD;
    for (const waiting of this.#mempool) {
      if (waiting.size > bytesLeft) break;
      if (!waiting.isVerified && (walletTxsLeft-- === 0 || !this.#holds(waiting, context))) continue;
      bytesLeft -= waiting.size;
      next.push(waiting);
    }
    return next;
  }

  /** Whether a wallet transaction is valid. If not, it is dropped, and the wallet's next one joins the end of the mempool. */
  #holds(waiting: WaitingTx, context: ExecutionContext): boolean {
    try {
      this.#verify(waiting, context);
      return true;
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      this.#giveUp(waiting, error);
      return false;
    }
  }

  #giveUp(waiting: WaitingTx, reason: RuleError): void {
    this.#remove(waiting);
    this.#markDropped(waiting, reason);
    this.#wallet.decided(waiting.id);
  }

  /** Verifies on the accepted state plus the waiting transactions that this one builds on. */
  #verify({ tx, ancestors }: WaitingTx, context: ExecutionContext): void {
    this.#view.tryOut(() => {
      for (const ancestor of ancestors) if (this.#isWaiting(ancestor)) this.#chain.executeAlone(ancestor.tx);
      this.#chain.verifyTx(tx, context);
    });
  }

  #ancestorsOf(tx: SignedTx): WaitingTx[] {
    return this.#ancestry.of(needsOf(tx), this.#isWaiting);
  }

  readonly #isWaiting = ({ id }: WaitingTx) => this.#mempool.has(id);

  #keysToVerify(tx: SignedTx, ancestors: readonly WaitingTx[]): RowKey[] {
    return [...ancestors.map((ancestor) => ancestor.tx), tx].flatMap((one) => this.#chain.keysRead(one));
  }

  /** For the wallet's queue, which must not fail because the transaction is already in the mempool. */
  #addUnverified(tx: SignedTx): void {
    if (this.#mempool.has(tx.id)) return;
    const waiting = waitingTx(tx, { ancestors: this.#ancestorsOf(tx), isVerified: false });
    this.#rememberIfRefused(waiting, () => this.#mempool.add(waiting));
  }

  #rememberIfRefused(waiting: WaitingTx, take: () => void): void {
    try {
      take();
    } catch (error) {
      if (error instanceof RuleError) this.#markDropped(waiting, error);
      throw error;
    }
  }

  #markDropped(waiting: WaitingTx, reason: RuleError): void {
    this.#doubleSpends.refused(waiting);
    this.#mempool.markDropped(waiting.id, reason);
  }

  #remove(waiting: WaitingTx): void {
    this.#mempool.remove(waiting);
    this.#ancestry.delete(waiting);
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

interface WaitingTx extends MempoolTx, ChainedTx {
  readonly tx: SignedTx;
  /** the transaction's ID, which is also the ID of an asset that it creates */
  readonly makes: readonly [Id];
  /** false for a transaction from the wallet, which verifies nothing: it must be verified before it goes into a block */
  readonly isVerified: boolean;
}

/** A transaction of an asset chain as its mempool stores it: the inputs it spends, what it creates, and what it may build on. */
function waitingTx(tx: SignedTx, rest: Pick<WaitingTx, "ancestors" | "isVerified">): WaitingTx {
  const inputs = consumedBy(tx.unsigned).map(utxoIdOf);
  return { id: tx.id, size: tx.bytes.length, inputs, makes: [tx.id], tx, ...rest };
}

/** The transactions of this chain whose outputs it spends or whose assets it moves. Each of them may still be waiting. */
function needsOf({ unsigned }: SignedTx): Set<Id> {
  return new Set([...spentHere(unsigned).map(({ txId }) => txId), ...assetsOf(unsigned)]);
}
