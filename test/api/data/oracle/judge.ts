/**
 * Compares the Data API with the oracle: imports a recording up to each of some heights, serves it, sends random queries of every kind,
 * walks their pages to the end, and expects the results of loops over the whole history.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { RecordingName } from "../../../conformance/recordings.ts";
import { removeStore } from "../../../conformance/stores.ts";
import { drawn } from "../../../share.ts";
import { Court, type Moment } from "./court.ts";
import { judgeNetwork } from "./judge-network.ts";
import { judgeStaking } from "./judge-staking.ts";
import { judgeTransactions } from "./judge-transactions.ts";
import { judgeUtxos } from "./judge-utxos.ts";

/** @param moments in ascending order: each goes on with the import of the one before */
export function judge(name: RecordingName, moments: readonly Moment[]): void {
  const directory = mkdtempSync(join(tmpdir(), "firn-oracle-"));
  afterAll(() => removeStore(directory));
  const chosen = drawn(name, moments, 1);
  for (const [i, moment] of chosen.entries()) {
    describe(`${name} ${moment.label}: the Data API says what the blocks say of`, () => {
      let opened: Court;
      beforeAll(async () => {
        opened = await Court.open(name, moment, directory);
      });
      afterAll(async () => {
        await opened?.close();
        if (process.env.FIRN_ORACLE_RUNS) console.log(`${name} ${moment.label}: ${opened?.queryCount} queries compared`);
      });
      const court = () => opened;
      judgeUtxos(court, { isLast: i === chosen.length - 1 });
      judgeTransactions(court);
      judgeStaking(court);
      judgeNetwork(court);
    });
  }
}
