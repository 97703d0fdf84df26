/**
 * How fast peers are answered: each of them so many bytes in a second, and all of them together. Who asks for more waits, and its connection is not
 * read meanwhile; an answer that would be too late is not made.
 */
import type { NodeId } from "../../base/bytes/id.ts";
import type { PeerClock } from "../../p2p/peer-clock.ts";
import type { SentMessage } from "../../p2p/wire/message-codec.ts";

const MIB = 2 ** 20;
/** bytes in a second, and at once after a rest */
const [PEER_RATE, PEER_BURST] = [2 * MIB, 8 * MIB];
const [RATE, BURST] = [8 * MIB, 16 * MIB];
/** a container is a row, and reading it costs as much as sending so many bytes */
const CONTAINER_COST = 1024;
/** of any answer */
const ANSWER_COST = 2048;
/** for which peers wait for an answer */
const LONGEST_WAIT_MS = 8_000;

/** Holds the bytes that may be spent, and refills with time. */
class Budget {
  readonly #rate: number;
  readonly #burst: number;
  #left: number;
  #at: number;

  constructor(rate: number, burst: number, nowMs: number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#left = burst;
    this.#at = nowMs;
  }

  /** Milliseconds until there is something to spend. */
  waitMs(nowMs: number): number {
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#at) * this.#rate) / 1000);
    this.#at = nowMs;
    return this.#left > 0 ? 0 : ((1 - this.#left) * 1000) / this.#rate;
  }

  /** The last answer may take more than there is. */
  spend(cost: number): void {
    this.#left -= cost;
  }

  isFull(nowMs: number): boolean {
    return this.waitMs(nowMs) === 0 && this.#left >= this.#burst;
  }
}

interface Asker {
  readonly budget: Budget;
  /** its requests are answered one after the other */
  turn: Promise<unknown>;
}

export class AnswerPace {
  readonly #clock: PeerClock;
  readonly #all: Budget;
  /** those who asked longest ago first */
  readonly #askers = new Map<NodeId, Asker>();
  /** and one peer after the other */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(clock: PeerClock) {
    this.#clock = clock;
    this.#all = new Budget(RATE, BURST, clock.nowMs());
  }

  /** Makes an answer when it is the peer's turn; undefined: it would come too late, or there is none. */
  answer(from: NodeId, make: () => Promise<SentMessage | undefined>): Promise<SentMessage | undefined> {
    const lateAt = this.#clock.nowMs() + LONGEST_WAIT_MS;
    const asker = this.#askerOf(from);
    const answered = asker.turn.then(async () => {
      await this.#affordable(asker.budget, lateAt);
      return this.#inTurn(() => this.#make(asker.budget, lateAt, make));
    });
    asker.turn = answered.catch(() => {});
    return answered;
  }

  async #make(own: Budget, lateAt: number, make: () => Promise<SentMessage | undefined>): Promise<SentMessage | undefined> {
    await this.#affordable(this.#all, lateAt);
    if (this.#clock.nowMs() >= lateAt) return undefined;
    const answer = await make();
    for (const budget of [own, this.#all]) budget.spend(costOf(answer));
    return answer;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Resolves once there is something to spend, or it is too late. */
  async #affordable(budget: Budget, lateAt: number): Promise<void> {
    const now = this.#clock.nowMs();
    const waitMs = Math.min(budget.waitMs(now), lateAt - now);
    if (waitMs > 0) await new Promise<void>((resolve) => this.#clock.after(waitMs, resolve));
  }

  /** Whoever has all that may be spent is as good as unknown. */
  #askerOf(nodeId: NodeId): Asker {
    const now = this.#clock.nowMs();
    for (const [known, { budget }] of this.#askers) {
      if (!budget.isFull(now)) break;
      this.#askers.delete(known);
    }
    const asker = this.#askers.get(nodeId) ?? { budget: new Budget(PEER_RATE, PEER_BURST, now), turn: Promise.resolve() };
    this.#askers.delete(nodeId);
    this.#askers.set(nodeId, asker);
    return asker;
  }
}

function costOf(answer: SentMessage | undefined): number {
  if (answer?.case === "ancestors") {
    const { containers = [] } = answer.value;
    return containers.reduce((sum, { length }) => sum + length, ANSWER_COST + containers.length * CONTAINER_COST);
  }
  if (answer?.case === "put") return ANSWER_COST + (answer.value.container?.length ?? 0);
  return ANSWER_COST + (answer?.case === "accepted" ? (answer.value.containerIds?.length ?? 0) * CONTAINER_COST : 0);
}
