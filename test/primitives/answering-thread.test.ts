import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { AnsweringThread } from "../../src/primitives/answering-thread.ts";

const PARENT = `const { parentPort } = require("node:worker_threads");`;

function start(onMessage: string) {
  const ends: string[] = [];
  const worker = new Worker(`${PARENT} parentPort.on("message", (question) => { ${onMessage} });`, { eval: true });
  return { ends, thread: new AnsweringThread<number, number>(worker, () => ends.push("ended")), worker };
}

test("each question gets its answer, in order", async () => {
  const { thread, worker } = start("parentPort.postMessage(question * 2);");
  const answers = [1, 2, 3].map((question) => thread.ask(question));
  expect(thread.load).toBe(3);
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  expect(thread.load).toBe(0);
  await worker.terminate();
});

test("who waits is told that the thread failed, and its owner that it ended", async () => {
  const { thread, ends } = start(`if (question === 2) throw new Error("no twos"); parentPort.postMessage(question);`);
  expect(await thread.ask(1)).toBe(1);
  const answers = [2, 3].map((question) => thread.ask(question));
  await expect(answers[0]).rejects.toThrow("no twos");
  await expect(answers[1]).rejects.toThrow("no twos");
  expect(ends).toContain("ended");
});
