/**
 * Streams of messages over many connections at once, pipelined and cut at odd places. The server must answer or close: no status from 500
 * on but 503; valid requests that it reaches get the right answer; and a separate client is always answered.
 */
import { connect } from "node:net";
import { noted } from "./http-fuzz.ts";
import { messages } from "./http-messages.ts";
import type { RecordedRequest } from "./json-mutation.ts";
import { Random } from "./mutate.ts";

export interface StreamFuzzOptions {
  readonly url: string;
  readonly recorded: readonly RecordedRequest[];
  /** messages */
  readonly count: number;
  readonly seed: number;
  readonly unanswered?: Set<Buffer>;
}

export interface StreamFuzzResult {
  readonly problems: readonly string[];
  /** answers by status */
  readonly statuses: Readonly<Record<string, number>>;
  /** right requests behind others that were reached and answered */
  readonly reached: number;
}

const PARALLEL = 24;
const MOST_OF_A_CONNECTION = 40;
/** Without a byte for so long the client says that it sends no more. */
const QUIET_MS = 300;

export async function fuzzStreams({ url, recorded, count, seed, unanswered }: StreamFuzzOptions): Promise<StreamFuzzResult> {
  const random = new Random(seed);
  const port = Number(new URL(url).port);
  const problems: string[] = [];
  const statuses: Record<string, number> = {};
  let reached = 0;
  let left = count;
  let connections = 0;
  const work = async () => {
    while (left > 0) {
      const size = Math.min(left, 1 + random.below(MOST_OF_A_CONNECTION));
      left -= size;
      const marker = `good-${connections++}`;
      const sent = messages(random, recorded, size, marker);
      const answer = await noted(unanswered, sent, exchange(port, pieces(sent, random), QUIET_MS));
      for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d\d\d) /g)) {
        statuses[status!] = (statuses[status!] ?? 0) + 1;
        if (Number(status) >= 500 && status !== "503") problems.push(`${status}: ${sent.toString("latin1").slice(0, 3000)}`);
      }
      if (answer.endsWith(goodAnswer(marker))) reached++;
      if (connections % 50 === 0 && !(await isAlive(port))) problems.push("a right request was not answered");
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return { problems, statuses, reached };
}

function goodAnswer(marker: string): string {
  return `"id":"${marker}"}\n`;
}

async function isAlive(port: number): Promise<boolean> {
  const answer = await exchange(port, [messages(new Random(1), [], 0, "alive")], 0);
  return answer.endsWith(goodAnswer("alive")) && answer.includes('"result":{"networkID"');
}

/** At most five, each of at least one byte. */
function pieces(bytes: Buffer, random: Random): Buffer[] {
  const all: Buffer[] = [];
  let rest = bytes;
  for (let cuts = random.below(5); cuts > 0 && rest.length > 1; cuts--) {
    const at = 1 + random.below(rest.length - 1);
    all.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...all, rest];
}

/** What came until the server closed. @param quietMs without a byte for so long the client says that it sends no more; 0: it never does */
function exchange(port: number, parts: readonly Buffer[], quietMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, async () => {
      for (const part of parts) {
        if (socket.destroyed) return;
        socket.write(part);
        await new Promise((next) => setImmediate(next));
      }
    });
    socket.setNoDelay(true);
    socket.setTimeout(quietMs, () => socket.end());
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}
