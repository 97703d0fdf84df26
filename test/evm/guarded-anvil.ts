import type { ReadWriteLock } from "../../src/base/work/read-write-lock.ts";
import type { Anvil } from "./anvil.ts";

/** A node that takes calls from one side at a time, because anvil sometimes locks up if it is read while its chain changes. */
export function guarded(anvil: Anvil, lock: ReadWriteLock): Anvil {
  return {
    ...anvil,
    async call(method, ...params) {
      await lock.lock();
      try {
        return await anvil.call(method, ...params);
      } finally {
        lock.unlock();
      }
    },
  };
}
