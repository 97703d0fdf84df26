/**
 * Answers about the blocks of one chain that two readers need: whoever comes to a height first asks, and the other one takes its answer. An
 * answer is kept until it was taken, or memory is full: then the other reader asks for itself. So does one that was kept waiting, or that cannot
 * use what the other one got.
 */

import { setMaxListeners } from "node:events";
import { settledWithin } from "./insist.ts";
import type { RpcOutcome } from "./upstream-rpc.ts";

/** Outcomes in the order of the heights; one that was taken from the other reader has no upstream. */
interface SharedReading {
  /** ascending */
  readonly heights: readonly bigint[];
  readonly ask: (heights: readonly bigint[]) => Promise<readonly RpcOutcome[]>;
  /** Whether an answer may be given to the other reader, or be taken from it; by default any. */
  readonly isSound?: (result: unknown, height: bigint) => boolean;
  readonly signal: AbortSignal;
}

export interface SharedReader {
  read(reading: SharedReading): Promise<readonly RpcOutcome[]>;
  /** Says whether it reads at present. Nothing is kept for one that does not. */
  reads(isReading: boolean): void;
}

interface SharedAnswersOptions {
  /** of the answers that wait to be taken */
  readonly maxBytes: number;
  /** how long a reader waits for an answer that the other one has asked for, before it asks for itself; default 5,000 */
  readonly waitMs?: number;
}

interface Entry {
  readonly by: Side;
  /** undefined: it cannot be used */
  readonly answer: Promise<RpcOutcome | undefined>;
  bytes: number;
}

const WAIT_MS = 5_000;
/** An answer that lies this far behind a reader will not be taken any more. */
const PASSED_BLOCKS = 4096n;

export class SharedAnswers {
  /** the two readers */
  readonly readers: readonly [SharedReader, SharedReader];
  readonly #entries = new Map<bigint, Entry>();
  readonly #maxBytes: number;
  readonly #waitMs: number;
  #bytes = 0;

  constructor({ maxBytes, waitMs = WAIT_MS }: SharedAnswersOptions) {
    this.#maxBytes = maxBytes;
    this.#waitMs = waitMs;
    const one = new Side((reading) => this.#read(one, other, reading));
    const other = new Side((reading) => this.#read(other, one, reading));
    one.onStopped = () => this.#dropFor(one);
    other.onStopped = () => this.#dropFor(other);
    this.readers = [one, other];
  }

  /** estimated bytes of the answers that wait to be taken */
  get bytes(): number {
    return this.#bytes;
  }

  async #read(side: Side, other: Side, { heights, ask, isSound = () => true, signal }: SharedReading): Promise<readonly RpcOutcome[]> {
    // each answer that is waited for adds a listener
    setMaxListeners(0, signal);
    const askSelf = (missing: readonly bigint[]) => this.#ask(side, other, { heights: missing, ask, isSound, signal });
    const taken = new Map<bigint, Promise<RpcOutcome | undefined>>();
    for (const height of heights) {
      const entry = this.#entries.get(height);
      if (entry === undefined || entry.by === side) continue;
      this.#drop(height, entry);
      taken.set(height, settledWithin(entry.answer, this.#waitMs, signal));
    }
    side.goTo(heights);
    this.#dropFor(side, (heights[0] ?? 0n) - PASSED_BLOCKS);
    const found = new Map<bigint, RpcOutcome>();
    const note = (asked: readonly bigint[], outcomes: readonly RpcOutcome[]) => {
      for (const [index, height] of asked.entries()) found.set(height, outcomes[index]!);
    };
    const own = heights.filter((height) => !taken.has(height));
    await Promise.all([
      askSelf(own).then((outcomes) => note(own, outcomes)),
      ...[...taken].map(async ([height, answer]) => {
        const outcome = await answer;
        if (outcome !== undefined && "result" in outcome && isSound(outcome.result, height)) found.set(height, outcome);
      }),
    ]);
    const missing = heights.filter((height) => !found.has(height));
    note(missing, await askSelf(missing));
    return heights.map((height) => found.get(height)!);
  }

  /** Answers that the other reader has yet to come to are kept for it. */
  async #ask(side: Side, other: Side, { heights, ask, isSound = () => true }: SharedReading): Promise<readonly RpcOutcome[]> {
    if (heights.length === 0) return [];
    const asked = ask(heights);
    for (const [index, height] of heights.entries()) {
      if (!other.isReading || other.hasPassed(height)) continue;
      const answer = asked.then(
        (outcomes) => soundOf(outcomes[index], (result) => isSound(result, height)),
        () => undefined,
      );
      const before = this.#entries.get(height);
      if (before !== undefined) this.#drop(height, before);
      const entry: Entry = { by: side, answer, bytes: 0 };
      this.#entries.set(height, entry);
      void answer.then((outcome) => this.#keep(height, entry, outcome));
    }
    return asked;
  }

  #keep(height: bigint, entry: Entry, outcome: RpcOutcome | undefined): void {
    if (this.#entries.get(height) !== entry) return;
    const bytes = outcome !== undefined && "result" in outcome ? bytesOf(outcome.result) : 0;
    if (outcome === undefined || this.#bytes + bytes > this.#maxBytes) this.#drop(height, entry);
    else {
      entry.bytes = bytes;
      this.#bytes += bytes;
    }
  }

  #drop(height: bigint, entry: Entry): void {
    this.#entries.delete(height);
    this.#bytes -= entry.bytes;
  }

  /** What is kept for a reader; only below a height, if one is given. */
  #dropFor(side: Side, below?: bigint): void {
    for (const [height, entry] of this.#entries) {
      if (entry.by !== side && (below === undefined || height < below)) this.#drop(height, entry);
    }
  }
}

class Side implements SharedReader {
  readonly read: SharedReader["read"];
  isReading = true;
  onStopped: () => void = () => {};
  /** the highest height that it came to */
  #highest = -1n;

  constructor(read: SharedReader["read"]) {
    this.read = read;
  }

  reads(isReading: boolean): void {
    this.isReading = isReading;
    if (!isReading) this.onStopped();
  }

  goTo(heights: readonly bigint[]): void {
    for (const height of heights) if (height > this.#highest) this.#highest = height;
  }

  hasPassed(height: bigint): boolean {
    return height <= this.#highest;
  }
}

/** Without who said so: the readers have upstreams of their own. */
function soundOf(outcome: RpcOutcome | undefined, isSound: (result: unknown) => boolean): RpcOutcome | undefined {
  if (outcome === undefined || "error" in outcome || outcome.result === null || outcome.result === undefined) return undefined;
  return isSound(outcome.result) ? { result: outcome.result } : undefined;
}

/** an empty object, list or member */
const VALUE_BYTES = 48;

/** Memory of parsed JSON, estimated. */
function bytesOf(json: unknown): number {
  let bytes = 0;
  for (const open = [json]; open.length > 0; ) {
    const value = open.pop();
    bytes += VALUE_BYTES;
    if (typeof value === "string") bytes += value.length;
    else if (typeof value === "object" && value !== null) for (const member of Object.values(value)) open.push(member);
  }
  return bytes;
}
