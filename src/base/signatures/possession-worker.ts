/** The worker thread of `proofs-ahead.ts`: receives lists of proofs of possession and returns the valid ones. */
import { parentPort } from "node:worker_threads";
import { pointsProblem } from "./bls.ts";
import { allHold, loadPairings } from "./possession.ts";
import type { Possession } from "./possession-equation.ts";

await loadPairings();
parentPort!.on("message", (possessions: readonly Possession[]) => {
  const sound = possessions.filter((possession) => pointsProblem(possession) === undefined);
  const holding = new Set(holdingOnes(sound));
  parentPort!.postMessage(possessions.map((possession) => holding.has(possession)));
});

/** Tests all proofs at once; if one is invalid, it finds it by halving. */
function holdingOnes(possessions: readonly Possession[]): readonly Possession[] {
  if (possessions.length === 0 || allHold(possessions)) return possessions;
  if (possessions.length === 1) return [];
  const middle = possessions.length >> 1;
  return [...holdingOnes(possessions.slice(0, middle)), ...holdingOnes(possessions.slice(middle))];
}
