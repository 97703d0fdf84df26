/** Remembers what was sent to nodes, so that clients can ask what became of it. Bounded in number and in time. */
import type { Id } from "../../base/bytes/id.ts";
import type { LiveStatus } from "./live-node.ts";

export interface SentTx {
  readonly chainId: Id;
  readonly txId: Id;
  /** place of the upstream that answered; undefined: none did in time */
  readonly upstream: number | undefined;
  readonly sentAt: number;
  /** what a node said last; undefined: nothing, or that it does not know it */
  known: LiveStatus | undefined;
  /** the last question, whose answer everybody gets for a moment */
  asked?: { readonly at: number; readonly answer: Promise<LiveStatus | undefined> };
}

/** some 2 MB */
const MOST = 4096;
const KEPT_MS = 3_600_000;

export class SentTxs {
  /** in the order of sending */
  readonly #txs = new Map<string, SentTx>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** those that are not forgotten */
  get size(): number {
    this.#forgetOld();
    return this.#txs.size;
  }

  add(tx: Omit<SentTx, "sentAt">): void {
    const name = nameOf(tx.chainId, tx.txId);
    this.#txs.delete(name);
    this.#txs.set(name, { ...tx, sentAt: this.#now() });
    this.#forgetOld();
  }

  get(chainId: Id, txId: Id): SentTx | undefined {
    const tx = this.#txs.get(nameOf(chainId, txId));
    return tx !== undefined && this.#now() - tx.sentAt < KEPT_MS ? tx : undefined;
  }

  #forgetOld(): void {
    for (const [oldest, { sentAt }] of this.#txs) {
      if (this.#txs.size <= MOST && this.#now() - sentAt < KEPT_MS) return;
      this.#txs.delete(oldest);
    }
  }
}

function nameOf(chainId: Id, txId: Id): string {
  return chainId + txId;
}
