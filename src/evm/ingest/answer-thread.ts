/** The worker thread of `answer-threads.ts`: reads answers, and asks for the classes of tokens that it does not know. */

import { parentPort } from "node:worker_threads";
import { Recent } from "../../base/collections/bounded-cache.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { TokenClass } from "../facts.ts";
import type { FromThread, ToThread } from "./answer-threads.ts";
import { type ReadTask, readAnswers } from "./read-answers.ts";

const MOST_CLASSES = 50_000;

/** by chain and token; the ingester compares them with what it knows */
const known = new Recent<string, TokenClass>(MOST_CLASSES);
/** what waits for classes */
const waiting = new Map<number, (classes: ReadonlyMap<Address, TokenClass>) => void>();

parentPort!.on("message", (message: ToThread) => {
  if ("classes" in message) waiting.get(message.id)?.(message.classes);
  else void read(message.id, message.task);
});

async function read(id: number, task: ReadTask): Promise<void> {
  send({ id, answers: await readAnswers(task, (tokens) => classesOf(id, task.chain, tokens)) });
}

async function classesOf(id: number, chain: number, tokens: readonly Address[]): Promise<ReadonlyMap<Address, TokenClass>> {
  const classes = new Map<Address, TokenClass>();
  for (const token of tokens) {
    const found = known.get(`${chain}/${token}`);
    if (found !== undefined) classes.set(token, found);
  }
  const wanted = tokens.filter((token) => !classes.has(token));
  if (wanted.length === 0) return classes;
  const told = await new Promise<ReadonlyMap<Address, TokenClass>>((resolve) => {
    waiting.set(id, resolve);
    send({ id, wanted });
  });
  waiting.delete(id);
  for (const [token, tokenClass] of told) {
    known.set(`${chain}/${token}`, tokenClass);
    classes.set(token, tokenClass);
  }
  return classes;
}

function send(message: FromThread): void {
  const answers = "answers" in message ? message.answers : undefined;
  const memory = answers && [answers.summaries, answers.rows, answers.ends].map(({ buffer }) => buffer as ArrayBuffer);
  parentPort!.postMessage(message, memory);
}
