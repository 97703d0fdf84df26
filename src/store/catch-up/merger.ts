/** Merges files on a thread of its own, which is started by the first task and does not keep the process alive. */
import type { Worker } from "node:worker_threads";
import { startWorker } from "../../primitives/start-worker.ts";
import type { MergeTask, TellMerged } from "./merge-layers.ts";

/** One task at a time. */
export interface Merger {
  run(task: MergeTask, tell: TellMerged): Promise<void>;
  /** Ends it. What a running task has written stays incomplete. */
  close(): Promise<void>;
}

type Message = { readonly entries: number; readonly of: number } | { readonly isDone: true } | { readonly error: Error };

export class ThreadMerger implements Merger {
  #worker: Worker | undefined;

  run(task: MergeTask, tell: TellMerged): Promise<void> {
    this.#worker ??= startWorker("./merge-thread.js", import.meta.url);
    const worker = this.#worker;
    worker.ref();
    return new Promise<void>((resolve, reject) => {
      const settled = (settle: () => void) => {
        worker.removeAllListeners();
        worker.unref();
        settle();
      };
      const failed = (error: Error) => {
        this.#worker = undefined;
        settled(() => reject(error));
      };
      worker.on("message", (message: Message) => {
        if ("entries" in message) tell(message.entries, message.of);
        else if ("error" in message) settled(() => reject(Object.assign(new Error(message.error.message), message.error)));
        else settled(resolve);
      });
      worker.on("error", failed);
      worker.on("exit", () => failed(new Error("the thread that merges the store's files has ended")));
      worker.postMessage(task);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
