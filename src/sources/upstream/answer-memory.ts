/**
 * One memory budget for all answers that are being read. An answer beyond the budget waits, unread in its connection, until others are
 * done. The oldest answer always continues, so that one of them makes progress.
 */
export interface AnswerShare {
  /** Sets how much memory the answer uses; resolves when it may use more. */
  hold(bytes: number): Promise<void> | undefined;
  /** Releases all of it. */
  release(): void;
}

export class AnswerMemory {
  readonly #capacity: number;
  /** oldest first */
  readonly #shares = new Set<Share>();
  #used = 0;
  #mostUsed = 0;

  /** @param capacity bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** most bytes that answers used at once so far */
  get mostUsed(): number {
    return this.#mostUsed;
  }

  open(): AnswerShare {
    const share = new Share((change) => this.#change(share, change));
    this.#shares.add(share);
    return share;
  }

  /** Returns whether the answer may continue. */
  #change(share: Share, change: number): boolean {
    this.#used += change;
    this.#mostUsed = Math.max(this.#mostUsed, this.#used);
    if (share.isReleased) this.#shares.delete(share);
    if (change < 0 || share.isReleased) for (const each of this.#shares) if (this.#mayGoOn(each)) each.wake();
    return this.#mayGoOn(share);
  }

  #mayGoOn(share: Share): boolean {
    const [first] = this.#shares;
    return this.#used <= this.#capacity || share === first;
  }
}

class Share implements AnswerShare {
  isReleased = false;
  readonly #change: (change: number) => boolean;
  #held = 0;
  #wake: (() => void) | undefined;

  constructor(change: (change: number) => boolean) {
    this.#change = change;
  }

  hold(bytes: number): Promise<void> | undefined {
    const change = bytes - this.#held;
    this.#held = bytes;
    if (this.isReleased || this.#change(change)) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.#change(-this.#held);
    this.wake();
  }
}
