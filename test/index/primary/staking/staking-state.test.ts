/** Compares the rows of stakers with the chain's own state at heights of the recordings. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import type { Row, Table } from "../../../../src/base/table/table.ts";
import { isCurrent, isValidator, type Staker, stakerOf } from "../../../../src/chains/platform/state/staker.ts";
import { platformStakers } from "../../../../src/chains/platform/tables.ts";
import { shareOf } from "../../../../src/index/primary/staking/delegation-rows.ts";
import { stakingListScope } from "../../../../src/index/primary/staking/staking-scope.ts";
import {
  ACTIVE,
  currentValidations,
  delegations,
  PENDING,
  stakingLists,
  stakingTotals,
  validations,
} from "../../../../src/index/primary/staking/staking-tables.ts";
import { stakingPlaces } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import { openStore } from "../../../../src/store/open.ts";
import { type Store, scanAll } from "../../../../src/store/store.ts";
import { importUntil } from "../../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../../conformance/recordings.ts";
import { drawn } from "../../../share.ts";

async function all<T extends Table>(store: Store, table: T): Promise<Row<T>[]> {
  const rows: Row<T>[] = [];
  for await (const row of scanAll(store, table)) rows.push(row);
  return rows;
}

const byTx = <T extends { txId: string }>(rows: T[]) => rows.sort((a, b) => (a.txId < b.txId ? -1 : 1));

function expectedOf(staker: Staker) {
  const { txId, subnetId, nodeId, weight, startTime: start, endTime: end, potentialReward: reward } = staker;
  return { txId, subnetId, nodeId, weight, start, end, reward, status: isCurrent(staker) ? ACTIVE : PENDING };
}

async function compare(store: Store): Promise<void> {
  const stakers = (await all(store, platformStakers)).map(({ key, value }) => stakerOf(key.txId, value));
  const live = (status: number) => status === ACTIVE || status === PENDING;
  const validators = (await all(store, validations)).filter(({ value }) => live(value.status));
  const delegators = (await all(store, delegations)).filter(({ value }) => live(value.status));
  const validatorRows = validators.map(({ key, value: { subnetId, nodeId, weight, start, end, potentialReward, status } }) => ({
    ...{ txId: key.txId, subnetId, nodeId, weight, start, end, reward: potentialReward, status },
  }));
  const delegatorRows = delegators.map(({ key, value: { subnetId, nodeId, weight, start, end, reward, status } }) => ({
    ...{ txId: key.txId, subnetId, nodeId, weight, start, end, reward, status },
  }));
  expect(byTx(validatorRows)).toEqual(byTx(stakers.filter(isValidator).map(expectedOf)));
  expect(byTx(delegatorRows)).toEqual(byTx(stakers.filter((staker) => !isValidator(staker)).map(expectedOf)));

  for (const { key, value } of validators) {
    const own = delegators.filter((delegator) => delegator.value.validation === key.txId && delegator.value.status === ACTIVE);
    const weight = own.reduce((sum, delegator) => sum + delegator.value.weight, 0n);
    const fees = own.reduce((sum, delegator) => sum + shareOf(delegator.value).fee, 0n);
    expect(value.delegators).toEqual({ count: own.length, weight, fees });
  }
  const current = (await all(store, currentValidations)).map(({ value }) => value.txId);
  expect(current.sort()).toEqual(validators.map(({ key }) => key.txId).sort());
  const listed = (await all(store, stakingPlaces)).filter(({ value }) => value.listedUnder !== undefined);
  expect(listed.map(({ key }) => key.txId).sort()).toEqual(stakers.map(({ txId }) => txId).sort());
  const rows = listed.flatMap(({ value: { class: type, timestamp, ordinal, listedUnder } }) =>
    [undefined, ...listedUnder!].map((address) => [stakingListScope(type, address), timestamp, ordinal].join()),
  );
  expect((await all(store, stakingLists)).map(({ key }) => Object.values(key).join()).sort()).toEqual(rows.sort());

  const active = stakers.filter((staker) => isCurrent(staker) && staker.subnetId === PRIMARY_NETWORK_ID);
  const own = active.filter(isValidator);
  expect(await store.get(stakingTotals, { slot: 0 })).toMatchObject({
    validatorCount: own.length,
    validatorStake: own.reduce((sum, { weight }) => sum + weight, 0n),
    delegatorCount: active.length - own.length,
    potentialRewards: active.reduce((sum, { potentialReward }) => sum + potentialReward, 0n),
  });
}

const MOMENTS: Record<string, readonly Record<string, number>[]> = {
  "latest-1": [{ P: 40 }, { P: 1_000_000, X: 1_000_000, C: 1_000_000 }],
  "eras-1": [{ P: 40 }, { P: 1_000_000, X: 1_000_000, C: 1_000_000 }],
  "p-eras-old": [0, 50, 150, 300, 500, 800, 1_000_000].map((P) => ({ P })),
};

describe.each(drawn("states of staking", Object.keys(MOMENTS) as RecordingName[], 1))("%s", (name) => {
  const directory = mkdtempSync(join(tmpdir(), "firn-staking-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("has the stakers of the state, with their delegators, at every moment", async () => {
    for (const heights of MOMENTS[name]!) {
      await importUntil(recordingFolder(name), directory, heights, "replay");
      const store = await openStore({ directory, mode: "read" });
      try {
        await compare(store);
      } finally {
        await store.close();
      }
    }
  });
});
