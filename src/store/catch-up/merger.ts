/** Merges files on a thread of its own, which is started by the first task and does not keep the process alive. */
import type { Worker } from "node:worker_threads";
import { startWorker } from "../../base/signatures/start-worker.ts";
import type { MergeTask, TellMerged } from "./merge-layers.ts";

/** One task at a time. */
export interface Merger {
  run(task: MergeTask, tell: TellMerged): Promise<void>;
  /** Ends it. The file of a running task stays incomplete. */
  close(): Promise<void>;
}

type Message = { readonly entries: number; readonly of: number } | { readonly isDone: true } | { readonly error: Error };

interface Running {
  readonly tell: TellMerged;
  resolve(): void;
  reject(error: Error): void;
}

export class ThreadMerger implements Merger {
  #worker: Worker | undefined;
  #running: Running | undefined;

  run(task: MergeTask, tell: TellMerged): Promise<void> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // while a result is awaited, the process must stay alive
    worker.ref();
    worker.postMessage(task);
    return new Promise<void>((resolve, reject) => {
      this.#running = { tell, resolve, reject };
    }).finally(() => {
      this.#running = undefined;
      worker.unref();
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = startWorker("./merge-thread.js", import.meta.url);
    worker.on("message", (message: Message) => {
      if ("entries" in message) this.#running?.tell(message.entries, message.of);
      else if ("error" in message) this.#running?.reject(Object.assign(new Error(message.error.message), message.error));
      else this.#running?.resolve();
    });
    const ended = (error: Error) => {
      this.#worker = undefined;
      this.#running?.reject(error);
    };
    worker.on("error", ended);
    worker.on("exit", () => ended(new Error("the thread that merges the store's files has ended")));
    return worker;
  }
}
