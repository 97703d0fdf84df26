/**
 * Signed EVM transactions that the child holds and no committed block has. The child's own pool is gone when it dies, so they are remembered
 * here and sent again.
 */
import { FirnError } from "../primitives/errors.ts";
import { EvmRequestError } from "./evm-error.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** As many as geth takes from everybody: 4,096 that can be in a block and 1,024 that cannot yet. */
const CAPACITY = 5_120;

type PoolContent = Record<"pending" | "queued", Record<string, Record<string, { hash: string }>>>;

export class TransactionPool {
  /** signed, by hash, in the order in which they came; hex */
  readonly #transactions = new Map<string, string>();
  /** in blocks that are sealed and not committed */
  readonly #sealed = new Map<string, string>();
  /** whether a block may take something that the last one did not */
  #hasNew = false;

  get size(): number {
    return this.#transactions.size;
  }

  get hasNew(): boolean {
    return this.#hasNew && this.size > 0;
  }

  get(hash: string): string | undefined {
    return this.#transactions.get(hash);
  }

  checkRoom(): void {
    if (this.size >= CAPACITY) throw new FirnError("txpool-full", "txpool is full");
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
