/** Faults of a replayed node's messages: at most one per message, chosen by a seed. */
import { randomOf } from "../../random.ts";
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
