/** For longer runs use `npm run faults -- --kills 100 --flood 1300`. */
import { expect, test } from "vitest";
import { flood } from "./devnet-flood.ts";
import { killDevnet, VICTIMS } from "./devnet-kill.ts";

test("a devnet that is killed under load has everything it reported as accepted, and all its AVAX", async () => {
  const { accepted, kills, unanswered, cheats, onL1s, compared } = await killDevnet({ kills: VICTIMS.length, seed: 20_261_121 });
  expect(kills).toEqual({ firn: 1, child: 1, both: 1 });
  expect(Object.keys(accepted)).toEqual(["C", "EVM", "P", "X"]);
  expect(cheats.edits + cheats.sends).toBeGreaterThanOrEqual(10);
  expect(onL1s.every((payments) => payments >= 5)).toBe(true);
  expect(compared).toBeGreaterThan(50);
  // some were sent and never answered: the kills came amidst
  expect(unanswered).toBeGreaterThan(0);
});

test("a flood of P-chain transactions is refused in the node's words once no gas is left for more", async () => {
  const { taken, refusals, accepted } = await flood({ chain: "P", count: 230, outputs: 2 });
  expect(taken).toBeLessThan(230);
  expect([...refusals]).toEqual([["couldn't issue tx: not enough gas", 230 - taken]]);
  expect(accepted).toBeGreaterThan(taken / 2);
});
