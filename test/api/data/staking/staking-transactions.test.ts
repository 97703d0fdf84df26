/** Compares transactions of active and pending stakers with loops over all blocks of a recording. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listActiveStakingTransactions } from "../../../../src/api/data/staking/list-active-staking-transactions.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { importUntil } from "../../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../../conformance/recordings.ts";
import type { History } from "../oracle/history.ts";
import { readHistory } from "../oracle/read-history.ts";
import { listTxs } from "../oracle/transactions.ts";
import { walk } from "./request.ts";

const ALL = 1_000_000;
const MOMENTS: readonly [RecordingName, Record<string, number>][] = [
  ["latest-1", { P: 60, X: ALL, C: ALL }],
  ["p-eras-old", { P: 300 }],
];

describe.each(MOMENTS)("%s", (name, heights) => {
  const directory = mkdtempSync(join(tmpdir(), "firn-staking-"));
  let store: Store;
  let history: History;

  beforeAll(async () => {
    const folder = recordingFolder(name);
    await importUntil(folder, directory, heights, "replay");
    history = await readHistory(folder, { heights });
    store = await openStore({ directory, mode: "read" });
  });

  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("lists staking transactions of addresses, types and times, in pages of any size", async () => {
    const staking = history.txs.filter(({ staker, chain }) => chain === "P" && staker !== undefined);
    const owners = [
      ...new Set(staking.flatMap(({ consumed, produced }) => [...consumed, ...produced].flatMap(({ addresses }) => addresses))),
    ];
    const times = fc.constantFrom(0, ...staking.map(({ time }) => Number(time)), Number(history.time) + 1);
    const queries = fc.record(
      {
        addresses: fc.uniqueArray(fc.constantFrom(...owners, "99".repeat(20)), { minLength: 1, maxLength: 4 }),
        txTypes: fc.constantFrom(
          "AddValidatorTx",
          "AddDelegatorTx",
          "AddPermissionlessValidatorTx",
          "AddSubnetValidatorTx",
          "UNKNOWN",
          "BaseTx",
        ),
        startTimestamp: times,
        endTimestamp: times,
        sortOrder: fc.constantFrom("asc" as const, "desc" as const),
      },
      { requiredKeys: [] },
    );
    const run = async (
      { addresses, txTypes, startTimestamp, endTimestamp, sortOrder }: typeof queries extends fc.Arbitrary<infer Q> ? Q : never,
      pageSize: number,
    ) => {
      const query = {
        ...(addresses && { addresses: addresses.map((address) => encodeBech32(history.network.hrp, address)).join(",") }),
        ...(txTypes && { txTypes }),
        ...(startTimestamp !== undefined && { startTimestamp: `${startTimestamp}` }),
        ...(endTimestamp !== undefined && { endTimestamp: `${endTimestamp}` }),
        ...(sortOrder && { sortOrder }),
        pageSize: `${pageSize}`,
      };
      const asked = { network: history.network, clock: history.time };
      const items = await walk(listActiveStakingTransactions, store, asked, query, "transactions");
      const expected = listTxs(history, {
        ...{ chain: "P", isStaking: true, sortOrder, startTimestamp, endTimestamp },
        ...(addresses && { addresses: addresses.map((address) => ({ address, isEvm: false })) }),
        ...(txTypes && { txTypes: [txTypes] }),
      } as Parameters<typeof listTxs>[1]);
      expect(items).toEqual(expected);
    };
    await fc.assert(fc.asyncProperty(queries, fc.integer({ min: 1, max: 20 }), run), { numRuns: 60 });
  });
});
