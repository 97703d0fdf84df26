/**
 * EVM transactions that the child holds and that are in no committed block. The child loses its own pool when it dies, so Firn keeps
 * them here and sends them again.
 */

import type { ShortId } from "../../../base/bytes/id.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../base/limits.ts";
import { EvmRequestError } from "../evm-error.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import { PredicatedPool } from "../precompiles/predicated-pool.ts";
import type { PredicatedTransaction } from "../precompiles/predicated-transaction.ts";
import { setBaseFee } from "../sealing/seal.ts";
import { nonceOf } from "./pool-rules.ts";
import { signerOf } from "./signer.ts";
import { type SentTransaction, sendToChild } from "./unsigned-transaction.ts";

/** geth's limits: one slot per 32 KiB; 4,096 slots for executable transactions and 1,024 for those that must still wait. */
const SLOT_BYTES = 32 * 1024;
const CAPACITY = 5_120;
const MOST_BYTES = 128 * 1024;

type PoolContent = Record<"pending" | "queued", Record<string, Record<string, { hash: string }>>>;

export class TransactionPool {
  /** in order of arrival, by hash */
  readonly #transactions = new Map<string, SentTransaction>();
  /** those in blocks that are sealed but not committed */
  readonly #sealed = new Map<string, SentTransaction>();
  /** withheld from the child until a block was made without them, because one of them may kill it */
  readonly #held = new Map<string, SentTransaction>();
  /** likewise, because they cannot be paid in one block with others */
  readonly #late = new Map<string, SentTransaction>();
  readonly #predicated = new PredicatedPool();
  /** whether the child has a transaction with warp messages, and nothing else */
  #isAlone = false;
  /** whether the last block was made of the others */
  #wasOfOthers = false;
  readonly #mostBytes: number;
  /** whether a new block may contain something that the last one did not */
  #hasNew = false;
  /** slots and bytes */
  #reserved = { slots: 0, bytes: 0 };

  constructor({ evmPoolBytes }: Pick<Limits, "evmPoolBytes"> = DEFAULT_LIMITS) {
    this.#mostBytes = evmPoolBytes;
  }

  get size(): number {
    return this.#transactions.size;
  }

  /** Whether there is room for these slots and bytes. */
  #hasRoom(more: { readonly slots: number; readonly bytes: number }): boolean {
    let slots = this.#reserved.slots + more.slots;
    let bytes = this.#reserved.bytes + more.bytes;
    for (const { raw } of [...this.#transactions.values(), ...this.#late.values(), ...this.#held.values(), ...this.#predicated.signed]) {
      slots += slotsOf(raw);
      bytes += bytesOf(raw);
    }
    return slots <= CAPACITY && bytes <= this.#mostBytes;
  }

  get hasNew(): boolean {
    return this.#hasNewOfChild || this.#predicated.hasNew;
  }

  get #hasNewOfChild(): boolean {
    return this.#hasNew && this.size > 0;
  }

  get(hash: string): SentTransaction | undefined {
    return this.#transactions.get(hash) ?? this.#late.get(hash) ?? this.#held.get(hash) ?? this.#predicated.get(hash);
  }

  /** Whether the child has only some of the transactions, to find the one that kills it. */
  get isNarrowed(): boolean {
    return this.#held.size > 0;
  }

  /** Whether any are withheld from the child. */
  get isWithholding(): boolean {
    return this.isNarrowed || this.#late.size > 0;
  }

  /**
   * Reserves room for a transaction; call the returned function once it was added or refused. Throws with geth's text if the transaction is
   * too large or the pool is full. @param raw hex
   */
  reserve(raw: string): () => void {
    const [bytes, slots] = [bytesOf(raw), slotsOf(raw)];
    if (bytes > MOST_BYTES) {
      throw new FirnError("tx-too-large", `oversized data: transaction size ${bytes}, limit ${MOST_BYTES}`, { bytes });
    }
    if (!this.#hasRoom({ slots, bytes })) throw new FirnError("txpool-full", "txpool is full");
    this.#reserved.slots += slots;
    this.#reserved.bytes += bytes;
    return () => {
      this.#reserved.slots -= slots;
      this.#reserved.bytes -= bytes;
    };
  }

  /** @param sender of a transaction that is not signed */
  add(hash: string, raw: string, sender?: ShortId): void {
    this.#transactions.set(hash, { raw, sender, nonce: nonceOf(raw) });
    this.#hasNew = true;
  }

  /** The transaction that another one would replace: of the same sender, with the same nonce. */
  replacedBy(transaction: SentTransaction): SentTransaction | undefined {
    const nonce = nonceOf(transaction.raw);
    if (nonce === undefined) return undefined;
    const all = [this.#transactions, this.#late, this.#held].flatMap((part) => [...part.values()]);
    const candidates = [...all, ...this.#predicated.signed].filter((waiting) => waiting.nonce === nonce);
    return candidates.length === 0 ? undefined : sentBy(senderOf(transaction), candidates);
  }

  /** Adds a transaction with warp messages, which the child does not have. */
  addPredicated(hash: string, raw: string, transaction: PredicatedTransaction): void {
    this.#predicated.add(hash, raw, transaction);
  }

  /**
   * Gives the child a transaction with warp messages, and nothing else, if one can be executed and the others had the last block. After the
   * block, `rejoin` gives it the others again.
   * @param baseFee of the block
   */
  async takeAlone(rpc: JsonRpcClient, baseFee: bigint): Promise<PredicatedTransaction | undefined> {
    const isTurn = !this.isNarrowed && (this.#wasOfOthers || !this.#hasNewOfChild);
    this.#wasOfOthers = !isTurn;
    if (!isTurn) return undefined;
    const transaction = await this.#predicated.takeAlone(rpc, async () => {
      await setBaseFee(rpc, baseFee);
      if (!this.#isAlone && this.size > 0) await rpc.call("anvil_dropAllTransactions");
      this.#isAlone = true;
    });
    if (transaction === undefined) await this.rejoin(rpc);
    return transaction;
  }

  async rejoin(rpc: JsonRpcClient): Promise<void> {
    if (this.#isAlone && this.size > 0) await this.sendAgain(rpc);
    this.#isAlone = false;
  }

  /** Forgets a transaction; returns whether it was there. */
  drop(hash: string): boolean {
    return this.#transactions.delete(hash) || this.#late.delete(hash) || this.#held.delete(hash) || this.#predicated.drop(hash);
  }

  /** Forgets all transactions, or those of a sender; returns whether there were any. */
  async dropOf(rpc: JsonRpcClient, sender?: ShortId): Promise<boolean> {
    const { size } = this;
    if (sender === undefined) await rpc.call("anvil_dropAllTransactions");
    else await rpc.call("anvil_removePoolTransactions", `0x${sender}`);
    await this.settle(rpc, { movesNonces: false });
    return this.#predicated.dropOf(sender) > 0 || this.size < size;
  }

  /** A block was sealed with these. If it was full, the next one may contain more. */
  seal(hashes: readonly string[]): void {
    for (const hash of hashes) {
      const transaction = this.#transactions.get(hash);
      if (transaction !== undefined) this.#sealed.set(hash, transaction);
      this.#transactions.delete(hash);
    }
    this.#predicated.seal(hashes);
    this.#hasNew = hashes.length > 0;
  }

  /** The sealed transactions are now in committed blocks. */
  committed(): void {
    this.#sealed.clear();
    this.#predicated.committed();
  }

  /** The sealed blocks were discarded: their transactions wait again, before all others. */
  unseal(): void {
    replace(this.#transactions, [...this.#sealed, ...this.#late, ...this.#transactions]);
    this.#sealed.clear();
    this.#late.clear();
    this.#predicated.unseal();
    this.#isAlone = false;
  }

  /** The child died of a block with these: withholds half of them. A transaction that was alone is dropped; returns its hash. */
  narrow(): string | undefined {
    const alone = this.#predicated.dropAlone();
    if (alone !== undefined) return alone;
    const all = [...this.#transactions];
    const held = all.length > 1 ? [...all.slice(all.length >> 1), ...this.#held] : [];
    const next = all.length > 1 ? all.slice(0, all.length >> 1) : [...this.#held];
    replace(this.#transactions, next);
    replace(this.#held, held);
    return all.length === 1 ? all[0]![0] : undefined;
  }

  /** Withholds transactions of a block that was discarded; the child gets the others again. Returns whether any of them was there. */
  async withhold(rpc: JsonRpcClient, hashes: readonly string[]): Promise<boolean> {
    const { size } = this.#late;
    for (const hash of hashes) {
      const transaction = this.#transactions.get(hash);
      if (transaction !== undefined) this.#late.set(hash, transaction);
      this.#transactions.delete(hash);
    }
    await rpc.call("anvil_dropAllTransactions");
    await this.sendAgain(rpc);
    return this.#late.size > size;
  }

  /** A block was made without the withheld transactions. They are sent now, before those that it left over, which do not kill the child. */
  async widen(rpc: JsonRpcClient): Promise<void> {
    const held = [...this.#late, ...this.#held];
    replace(this.#transactions, [...held, ...this.#transactions]);
    this.#late.clear();
    this.#held.clear();
    await this.#send(rpc, held);
  }

  /**
   * Forgets transactions that the child dropped. If an export used a nonce, transactions that could now be included stay queued in the
   * child, so they are sent again.
   * @param options `movesNonces`: whether the block may have contained such an export
   */
  async settle(rpc: JsonRpcClient, { movesNonces }: { movesNonces: boolean }): Promise<void> {
    if (this.size === 0) return;
    const counts = (await rpc.call("txpool_status")) as Record<"pending" | "queued", string>;
    const isWhole = Number(counts.pending) + Number(counts.queued) === this.size;
    // the content can reach 70 MB, so it is read only where it is needed
    if (isWhole && !(movesNonces && Number(counts.queued) > 0)) return;
    const { pending, queued } = (await rpc.call("txpool_content")) as PoolContent;
    const held = new Set(
      [pending, queued].flatMap((part) => Object.values(part).flatMap((byNonce) => Object.values(byNonce))).map(({ hash }) => hash),
    );
    for (const hash of this.#transactions.keys()) if (!held.has(hash)) this.#transactions.delete(hash);
    if (!movesNonces || Object.keys(queued).length === 0) return;
    await rpc.call("anvil_dropAllTransactions");
    await this.sendAgain(rpc);
  }

  /** Sends all transactions to a child that has none of them, and forgets those that it refuses. */
  sendAgain(rpc: JsonRpcClient): Promise<void> {
    return this.#send(rpc, [...this.#transactions]);
  }

  async #send(rpc: JsonRpcClient, transactions: readonly (readonly [hash: string, transaction: SentTransaction])[]): Promise<void> {
    for (const [hash, transaction] of transactions) {
      try {
        await sendToChild(rpc, transaction);
      } catch (error) {
        if (!(error instanceof EvmRequestError)) throw error;
        this.#transactions.delete(hash);
      }
    }
    this.#hasNew = true;
  }

  clear(): void {
    this.#transactions.clear();
    this.#late.clear();
    this.#held.clear();
    this.#sealed.clear();
    this.#predicated.clear();
    this.#isAlone = false;
    this.#hasNew = false;
  }
}

function replace<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

function sentBy(sender: ShortId | undefined, transactions: readonly SentTransaction[]): SentTransaction | undefined {
  return sender === undefined ? undefined : transactions.find((transaction) => senderOf(transaction) === sender);
}

/** Undefined for what is no transaction. */
function senderOf({ raw, sender }: SentTransaction): ShortId | undefined {
  try {
    return sender ?? signerOf(Buffer.from(raw.slice("0x".length), "hex"));
  } catch (error) {
    if (error instanceof FirnError) return undefined;
    throw error;
  }
}

function bytesOf(raw: string): number {
  return raw.length / 2 - 1;
}

function slotsOf(raw: string): number {
  return Math.ceil(bytesOf(raw) / SLOT_BYTES);
}
