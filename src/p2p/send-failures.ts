/** How many messages to peers are dropped, as a node reports it: an average in which what is ten seconds old counts half (p2p.md 18.4). */
const HALF_LIFE_MS = 10_000;

export class SendFailures {
  #weightedSum = 0;
  #weight = 1;
  #at: number;

  /** @param nowMs by the clock that never goes back */
  constructor(nowMs: number) {
    this.#at = nowMs;
  }

  /** from 0 to 1 */
  get rate(): number {
    return this.#weightedSum / this.#weight;
  }

  count(isDropped: boolean, nowMs: number): void {
    const kept = 2 ** (-(nowMs - this.#at) / HALF_LIFE_MS);
    this.#weightedSum = (isDropped ? 1 : 0) + kept * this.#weightedSum;
    this.#weight = 1 + kept * this.#weight;
    this.#at = nowMs;
  }
}
