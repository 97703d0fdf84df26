/** What goes wrong with a message of a replayed node: at most one thing, drawn from a seed. */
import { randomOf } from "./random.ts";
import type { ReplayFaults } from "./replay-rpc.ts";

export const FAULTS = ["late", "inPieces", "rateLimited", "serverError", "wrongIds", "cutOff", "garbage"] as const;
export type Fault = (typeof FAULTS)[number];

export function faultsOf(faults: ReplayFaults): () => Fault | undefined {
  const random = randomOf(faults.seed ?? 1);
  return () => {
    let drawn = random();
    for (const fault of FAULTS) {
      const probability = faults[fault] ?? 0;
      if (drawn < probability) return fault;
      drawn -= probability;
    }
    return undefined;
  };
}
