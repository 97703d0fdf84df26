import type { Transferable, Worker } from "node:worker_threads";

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A worker thread that answers each message with one of its own, in order. It keeps the process alive only while an answer is awaited. */
export class AnsweringThread<Question, Answer> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Answer>[] = [];

  /** @param onEnd called when the thread has ended; those who wait are then told why */
  constructor(worker: Worker, onEnd: () => void) {
    this.#worker = worker;
    const end = (error: Error) => {
      onEnd();
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    worker.unref();
    worker.on("message", (answer: Answer) => {
      this.#waiting.shift()?.resolve(answer);
      if (this.load === 0) worker.unref();
    });
    worker.on("error", end);
    worker.on("exit", () => end(new Error("a worker thread has ended")));
  }

  /** number of answers that are awaited */
  get load(): number {
    return this.#waiting.length;
  }

  ask(question: Question, transferred: readonly Transferable[] = []): Promise<Answer> {
    this.#worker.ref();
    this.#worker.postMessage(question, transferred);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}
