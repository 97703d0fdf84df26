/** Vitest's global setup: one seed for all that a run draws, so that a run can be repeated. */
import { randomInt } from "node:crypto";

export function setup(): void {
  // once, not for each project again
  if (process.env.FIRN_TEST_SEED !== undefined) return;
  process.env.FIRN_TEST_SEED = String(randomInt(2 ** 31));
  console.log(`FIRN_TEST_SEED=${process.env.FIRN_TEST_SEED} repeats what this run draws`);
}
