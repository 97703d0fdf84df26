/**
 * Threads that read the answers of nodes, for all EVM chains of a process. The first message starts them. A message of a thread that ends is
 * read as if there were no threads, and the next one starts another thread.
 */
import type { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { defaultThreads, startWorker } from "../../base/signatures/start-worker.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { ReadRun } from "../../sources/evm/read-block.ts";
import type { StoreReader } from "../../store/store.ts";
import type { TokenClass } from "../facts.ts";
import { classIn } from "../index/evm-index.ts";
import { evmTokens } from "../index/tables.ts";
import { encodedBlocks } from "./encoded-block.ts";
import { type ClassesOf, type ReadAnswers, type ReadTask, readAnswers } from "./read-answers.ts";

export type ToThread =
  | { readonly id: number; readonly task: ReadTask }
  | { readonly id: number; readonly classes: ReadonlyMap<Address, TokenClass> };

export type FromThread =
  | { readonly id: number; readonly answers: ReadAnswers | undefined }
  | { readonly id: number; readonly wanted: readonly Address[] };

/** if more end, there is no use in starting others */
const MOST_ENDED = 5;

function startThread(): Worker {
  return startWorker("./answer-thread.js", import.meta.url);
}

export class AnswerThreads {
  readonly #most: number;
  readonly #log: Logger;
  readonly #start: () => Worker;
  readonly #threads = new Set<Thread>();
  #isClosed = false;
  /** threads that have ended on their own */
  #ended = 0;

  /** @param threads 0: answers are read on this thread. @param start starts one; for tests of threads that end */
  constructor(log: Logger, threads = defaultThreads(), start = startThread) {
    this.#log = log;
    this.#most = threads;
    this.#start = start;
  }

  /** How to read the answers about a chain. @param reader the classes of tokens are asked there */
  readerOf(chain: number, reader: StoreReader): ReadRun {
    const classesOf: ClassesOf = (tokens) => storedClasses(reader, chain, tokens);
    return async (run) => {
      const task = { ...run, chain };
      const answers = this.#most === 0 ? await readAnswers(task, classesOf) : await this.#leastBusy()?.read(task, classesOf);
      return answers && encodedBlocks(run, answers);
    };
  }

  /** Messages that are being read are read without threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #leastBusy(): Thread | undefined {
    if (this.#isClosed || this.#ended > MOST_ENDED) return undefined;
    const threads = [...this.#threads];
    const [least] = threads.sort((a, b) => a.load - b.load);
    if (least !== undefined && (least.load === 0 || threads.length >= this.#most)) return least;
    const thread = new Thread(this.#start(), (reason) => {
      this.#threads.delete(thread);
      if (this.#isClosed) return;
      const next = ++this.#ended > MOST_ENDED ? "answers are read without threads from now on" : "another one is started";
      this.#log.error({ err: reason }, `A thread that reads answers of nodes has ended; ${next}`);
    });
    this.#threads.add(thread);
    return thread;
  }
}

async function storedClasses(reader: StoreReader, chain: number, tokens: readonly Address[]): Promise<Map<Address, TokenClass>> {
  const rows = await reader.getMany(
    evmTokens,
    tokens.map((token) => ({ chain, token })),
  );
  return new Map(
    tokens.flatMap((token, index) => {
      const found = classIn(rows[index]);
      return found === undefined ? [] : [[token, found] as const];
    }),
  );
}

interface Reading {
  readonly classesOf: ClassesOf;
  resolve(answers: ReadAnswers | undefined): void;
}

class Thread {
  readonly #worker: Worker;
  readonly #readings = new Map<number, Reading>();
  #nextId = 0;

  constructor(worker: Worker, onEnd: (reason: Error) => void) {
    this.#worker = worker;
    this.#worker.unref();
    this.#worker.on("message", (message: FromThread) => void this.#take(message));
    let reason = new Error("it has ended");
    this.#worker.on("error", (error) => {
      reason = error;
    });
    this.#worker.on("exit", () => {
      onEnd(reason);
      for (const id of this.#readings.keys()) this.#end(id, undefined);
    });
  }

  get load(): number {
    return this.#readings.size;
  }

  read(task: ReadTask, classesOf: ClassesOf): Promise<ReadAnswers | undefined> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      // while an answer is awaited, the process must stay alive
      this.#worker.ref();
      this.#readings.set(id, { classesOf, resolve });
      this.#send({ id, task });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #take(message: FromThread): Promise<void> {
    const { id } = message;
    if ("answers" in message) return this.#end(id, message.answers);
    // without classes, the blocks are read here when it is their turn
    const classes = await this.#readings
      .get(id)
      ?.classesOf(message.wanted)
      .catch(() => new Map());
    if (classes !== undefined) this.#send({ id, classes });
  }

  #end(id: number, answers: ReadAnswers | undefined): void {
    const reading = this.#readings.get(id);
    this.#readings.delete(id);
    if (this.load === 0) this.#worker.unref();
    reading?.resolve(answers);
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
