/** A file that leaves the process changed for the files after it must have a process of its own. */
import { ALONE } from "./tiers.ts";

const FETCH = Symbol.for("firn.test.fetch");
const processWide = globalThis as { [FETCH]?: typeof fetch };
/** as it was before any test file ran */
processWide[FETCH] ??= globalThis.fetch;

/** @param file relative to the repository */
export function refuseChangedFetch(file: string): void {
  if (globalThis.fetch === processWide[FETCH] || ALONE.some((place) => file.startsWith(place))) return;
  globalThis.fetch = processWide[FETCH]!;
  throw new Error(`${file} replaces fetch for the files that run after it in this process; add it to ALONE in test/tiers.ts`);
}
