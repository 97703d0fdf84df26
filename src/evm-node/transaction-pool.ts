/**
 * Signed EVM transactions that the child holds and no committed block has. The child's own pool is gone when it dies, so they are remembered
 * here and sent again.
 */
import { FirnError } from "../primitives/errors.ts";
import { EvmRequestError } from "./evm-error.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** As geth counts: a slot for every 32 KiB, 4,096 slots for what can be in a block and 1,024 for what cannot yet. */
const SLOT_BYTES = 32 * 1024;
const CAPACITY = 5_120;
const MOST_BYTES = 128 * 1024;

type PoolContent = Record<"pending" | "queued", Record<string, Record<string, { hash: string }>>>;

export class TransactionPool {
  /** signed, by hash, in the order in which they came; hex */
  readonly #transactions = new Map<string, string>();
  /** in blocks that are sealed and not committed */
  readonly #sealed = new Map<string, string>();
  /** whether a block may take something that the last one did not */
  #hasNew = false;
  /** slots */
  #reserved = 0;

  get size(): number {
    return this.#transactions.size;
  }

  get #slots(): number {
    let slots = 0;
    for (const raw of this.#transactions.values()) slots += slotsOf(raw);
    return slots;
  }

  get hasNew(): boolean {
    return this.#hasNew && this.size > 0;
  }

  get(hash: string): string | undefined {
    return this.#transactions.get(hash);
  }

  /**
   * Keeps room for a transaction until what is returned is called: it is added by then, or refused. Throws geth's text if it is too large,
   * or one too many. @param raw hex
   */
  reserve(raw: string): () => void {
    const [bytes, slots] = [bytesOf(raw), slotsOf(raw)];
    if (bytes > MOST_BYTES) {
      throw new FirnError("tx-too-large", `oversized data: transaction size ${bytes}, limit ${MOST_BYTES}`, { bytes });
    }
    if (this.#slots + this.#reserved + slots > CAPACITY) throw new FirnError("txpool-full", "txpool is full");
    this.#reserved += slots;
    return () => {
      this.#reserved -= slots;
    };
  }

  add(hash: string, raw: string): void {
    this.#transactions.set(hash, raw);
    this.#hasNew = true;
  }

  /** A block was sealed with these; if it was full, more of them may be in the next. */
  seal(hashes: readonly string[]): void {
    for (const hash of hashes) {
      const raw = this.#transactions.get(hash);
      if (raw !== undefined) this.#sealed.set(hash, raw);
      this.#transactions.delete(hash);
    }
    this.#hasNew = hashes.length > 0;
  }

  /** What was sealed is in committed blocks. */
  committed(): void {
    this.#sealed.clear();
  }

  /** What was sealed is void: its transactions wait again, before all others. */
  unseal(): void {
    const others = [...this.#transactions];
    this.#transactions.clear();
    for (const [hash, raw] of [...this.#sealed, ...others]) this.#transactions.set(hash, raw);
    this.#sealed.clear();
  }

  /** Forgets what the child gave up. A nonce that an export used leaves transactions waiting there that could go: they are sent again. */
  async settle(rpc: JsonRpcClient): Promise<void> {
    if (this.size === 0) return;
    const { pending, queued } = (await rpc.call("txpool_content")) as PoolContent;
    const held = new Set(
      [pending, queued].flatMap((part) => Object.values(part).flatMap((byNonce) => Object.values(byNonce))).map(({ hash }) => hash),
    );
    for (const hash of this.#transactions.keys()) if (!held.has(hash)) this.#transactions.delete(hash);
    if (Object.keys(queued).length === 0) return;
    await rpc.call("anvil_dropAllTransactions");
    await this.sendAgain(rpc);
  }

  /** Sends all to a child that has none of them; what it refuses is forgotten. */
  async sendAgain(rpc: JsonRpcClient): Promise<void> {
    for (const [hash, raw] of this.#transactions) {
      try {
        await rpc.call("eth_sendRawTransaction", raw);
      } catch (error) {
        if (!(error instanceof EvmRequestError)) throw error;
        this.#transactions.delete(hash);
      }
    }
    this.#hasNew = true;
  }

  clear(): void {
    this.#transactions.clear();
    this.#sealed.clear();
    this.#hasNew = false;
  }
}

function bytesOf(raw: string): number {
  return raw.length / 2 - 1;
}

function slotsOf(raw: string): number {
  return Math.ceil(bytesOf(raw) / SLOT_BYTES);
}
