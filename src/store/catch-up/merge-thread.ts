/** The thread of `merger.ts`: merges files one task after the other. */
import { parentPort } from "node:worker_threads";
import { type MergeTask, mergeLayers } from "./merge-layers.ts";

parentPort!.on("message", (task: MergeTask) => {
  try {
    mergeLayers(task, (entries, of) => parentPort!.postMessage({ entries, of }));
    parentPort!.postMessage({ isDone: true });
  } catch (error) {
    const { message, stack } = error as Error;
    parentPort!.postMessage({ error: { message, stack } });
  }
});
