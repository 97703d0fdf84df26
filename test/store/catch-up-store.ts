/** A store that catches up in layers of a few pages, merged in the thread of the test. */
import { setImmediate } from "node:timers/promises";
import type { CatchUpBounds, CatchUpStore } from "../../src/store/catch-up/catch-up-store.ts";
import { type MergeTask, mergeLayers } from "../../src/store/catch-up/merge-layers.ts";
import type { Merger } from "../../src/store/catch-up/merger.ts";
import { openCatchUpStore } from "../../src/store/open.ts";

export const TINY: CatchUpBounds = {
  startBytes: 0,
  startShare: 2 ** 40,
  looseBytes: 2 ** 40,
  layerBytes: 24 * 1024,
  restBytes: 2 ** 20,
  quietBytes: 0,
  quietMs: 2 ** 30,
};

/** @param beforeMerge called before each task is done */
export function inProcess(beforeMerge: (task: MergeTask) => void = () => {}): Merger {
  return {
    async run(task, tell) {
      await setImmediate();
      beforeMerge(task);
      mergeLayers(task, tell);
    },
    async close() {},
  };
}

export function openTiny(directory: string, bounds: Partial<CatchUpBounds> = {}, merger: Merger = inProcess()): Promise<CatchUpStore> {
  return openCatchUpStore({ directory, isTemporary: true }, { bounds: { ...TINY, ...bounds }, merger });
}
