/** What goes wrong between nodes and who asks them, drawn from a seed: for a while some kinds of faults often, then others. */
import { encodeHexChecksummed } from "../../../src/base/bytes/hex.ts";
import type { Fault } from "./replay-faults.ts";

export const FAULT_KINDS = [
  ...["delay", "hang", "drop", "truncate", "corrupt", "rate-limit", "server-error", "page"],
  // answers that are well-formed and wrong
  ...["forge", "reverse", "stale", "wrong-id"],
  // of other nodes
  ...["foreign", "old", "fork"],
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Kinds whose messages go to another node: one of another network, one that stands still, one on another branch. */
export const ELSEWHERE = ["foreign", "old", "fork"] as const satisfies readonly FaultKind[];

type Random = () => number;

const LONGEST_DELAY_MS = 150;
const LONG_HEX = /0x[0-9a-f]{200,}/g;
const ID = /"id":(\d+)/g;

/** Draws, message by message, which kind of fault it meets. */
export class FaultWeather {
  readonly #random: Random;
  readonly #kinds: readonly FaultKind[];
  #left = 0;
  #rate = 0;
  #present: readonly FaultKind[] = [];
  readonly #always: boolean;

  /** @param always every message meets a fault */
  constructor(random: Random, kinds: readonly FaultKind[], always = false) {
    this.#random = random;
    this.#kinds = kinds;
    this.#always = always;
  }

  next(): FaultKind | undefined {
    if (this.#always) return pick(this.#kinds, this.#random);
    if (this.#left-- === 0) this.#change();
    return this.#random() < this.#rate ? pick(this.#present, this.#random) : undefined;
  }

  #change(): void {
    this.#left = 3 + Math.floor(this.#random() * 30);
    this.#rate = pick([0, 0.1, 0.4, 1], this.#random)!;
    this.#present = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => pick(this.#kinds, this.#random)!);
  }
}

/** What becomes of an answer. @param earlier an answer to the same method, if there was one */
export function faultOf(kind: FaultKind, random: Random, earlier: string | undefined): Fault | undefined {
  switch (kind) {
    case "delay":
      return { kind, ms: Math.ceil(random() * LONGEST_DELAY_MS) };
    case "hang":
    case "drop":
    case "truncate":
      return { kind };
    case "corrupt":
      return { kind, at: random() };
    case "rate-limit":
      return { kind: "status", status: 429, retryAfterSeconds: pick([0, 0, 1], random)! };
    case "server-error":
      return { kind: "status", status: pick([500, 502, 503], random)! };
    case "page":
      return { kind: "status", status: 200 };
    case "forge":
      return { kind: "change", answer: (body) => forged(body, random) };
    case "reverse":
      return { kind: "change", answer: reversed };
    case "stale":
      return { kind: "change", answer: (body) => (earlier === undefined ? body : withIdsOf(earlier, body)) };
    case "wrong-id":
      return { kind: "change", answer: (body) => body.replace(ID, '"id":987654321') };
    case "foreign":
    case "old":
    case "fork":
      // the message goes to another node
      return undefined;
  }
}

export function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[Math.floor(random() * values.length)];
}

/** One byte of a block is another one, and the checksum behind it is right. */
function forged(body: string, random: Random): string {
  const found = pick([...body.matchAll(LONG_HEX)], random);
  if (found === undefined) return body;
  const bytes = Buffer.from(found[0].slice(2), "hex").subarray(0, -4);
  bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
  return `${body.slice(0, found.index)}${encodeHexChecksummed(bytes)}${body.slice(found.index + found[0].length)}`;
}

/** Containers of a range; other answers hold no list whose order means anything. */
function reversed(body: string): string {
  const answer = JSON.parse(body) as { result?: { containers?: unknown[] } };
  answer.result?.containers?.reverse();
  return JSON.stringify(answer);
}

function withIdsOf(earlier: string, body: string): string {
  const ids = [...body.matchAll(ID)].map(([id]) => id);
  return earlier.replace(ID, () => ids.shift() ?? '"id":0');
}
