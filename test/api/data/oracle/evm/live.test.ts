/**
 * Compares a development node, on which the workload runs while Firn follows it, with the oracle; for longer runs use `npm run oracle:evm
 * -- --live`.
 */
import { expect, test } from "vitest";
import { sized } from "../../../../share.ts";
import { hold } from "./court.ts";
import { openLive } from "./trials.ts";

const SEED = Number(process.env.FIRN_ORACLE_SEED ?? 1);
const MOST_CASES = Number(process.env.FIRN_ORACLE_CASES ?? sized({ whole: 500, share: 160 }));

test("a chain that is indexed while it grows is the chain that is there in the end", async () => {
  const { court, close } = await openLive({ seed: SEED, txs: 300 });
  const { failures, asked } = await hold(court, { seed: SEED, most: MOST_CASES }).finally(close);
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(MOST_CASES / 2);
});
