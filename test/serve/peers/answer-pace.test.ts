/** Answers to peers, by a clock that the tests move. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { AnswerPace } from "../../../src/serve/peers/answer-pace.ts";
import { ManualClock } from "../../p2p/peers.ts";

const MIB = 2 ** 20;
const [GREEDY, OTHER] = ["aa".repeat(20), "bb".repeat(20)];
const answerOf = (bytes: number): SentMessage => ({
  case: "ancestors",
  value: { chainId: new Uint8Array(32), requestId: 1, containers: [new Uint8Array(bytes)] },
});

/** Moves time in steps, and lets whatever is due happen. */
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let ms = 0; ms < seconds * 1000; ms += 100) {
    clock.move(100);
    await nextTurn();
  }
}

/** A peer that asks again as soon as it was answered, or had no answer. */
function asking(pace: AnswerPace, nodeId: string, bytes = MIB) {
  const got = { answers: 0, none: 0, isOver: false };
  void (async () => {
    while (!got.isOver) got[(await pace.answer(nodeId, async () => answerOf(bytes))) === undefined ? "none" : "answers"]++;
  })();
  return got;
}

test("a peer gets two MiB in a second, after eight at once", async () => {
  const clock = new ManualClock();
  const got = asking(new AnswerPace(clock), GREEDY);
  await nextTurn();
  expect(got.answers).toBe(8);
  await pass(clock, 10);
  expect(got.answers).toBeGreaterThanOrEqual(26);
  expect(got.answers).toBeLessThanOrEqual(28);
  got.isOver = true;
});

test("all peers together get eight MiB in a second, each its share, and none waits for another's limit", async () => {
  const clock = new ManualClock();
  const pace = new AnswerPace(clock);
  const all = Array.from({ length: 8 }, (_, i) => asking(pace, `${i}`.repeat(40)));
  await pass(clock, 20);
  const before = all.map(({ answers }) => answers);
  const other = pace.answer(OTHER, async () => answerOf(100));
  await pass(clock, 10);
  expect(await other).toBeDefined();
  const added = all.map(({ answers }, i) => answers - before[i]!);
  expect(added.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(82);
  for (const count of added) expect(count).toBeGreaterThanOrEqual(8);
  for (const got of all) got.isOver = true;
});

test("an answer that would come too late is not made, and a failure keeps nobody from the next", async () => {
  const clock = new ManualClock();
  const pace = new AnswerPace(clock);
  expect(await pace.answer(GREEDY, async () => answerOf(100 * MIB))).toBeDefined();
  let isMade = false;
  const late = pace.answer(GREEDY, async () => {
    isMade = true;
    return answerOf(1);
  });
  await pass(clock, 9);
  expect([await late, isMade]).toEqual([undefined, false]);
  await pass(clock, 60);
  await expect(pace.answer(OTHER, async () => Promise.reject(new Error("the store is gone")))).rejects.toThrow("the store is gone");
  expect(await pace.answer(OTHER, async () => answerOf(1))).toBeDefined();
});
