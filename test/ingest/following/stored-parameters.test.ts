/** A network's upgrades are scheduled while it is followed: the store takes those that are yet to come, and nothing else. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Change } from "../../../src/base/table/table.ts";
import { platformChain } from "../../../src/chains/platform/tables.ts";
import { storeSource } from "../../../src/index/tables.ts";
import { adoptParameters } from "../../../src/ingest/following/stored-parameters.ts";
import { storeNetwork } from "../../../src/ingest/store-network.ts";
import { openStoreReplay } from "../../../src/ingest/store-replay.ts";
import type { Network, NetworkInstance } from "../../../src/network/network.ts";
import { formatNetworkFile, parseNetworkFile } from "../../../src/network/network-file.ts";
import { fuji, UNSCHEDULED } from "../../../src/network/presets.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";

let directory: string;
let store: Store;
let network: NetworkInstance;
let now: bigint;

beforeEach(async () => {
  directory = scratchDirectory();
  await importUntil(recordingFolder("live-1"), directory, { P: 5, X: 0, C: 0 }, "replay");
  store = await openStore({ directory, mode: "write" });
  network = (await storeNetwork(store, directory)).network;
  now = (await store.get(platformChain, { slot: 0 }))!.timestamp;
});
afterEach(() => store.close());

function adopt(changed: Partial<Network>): Promise<void> {
  const next = { ...network, ...changed };
  return adoptParameters(store, { network: next, networkFile: Buffer.from(formatNetworkFile(next)) });
}

function withHelicon(time: bigint): Partial<Network> {
  return { upgrades: { ...network.upgrades, times: { ...network.upgrades.times, helicon: time } } };
}

const stored = async () => (await storeNetwork(store, directory)).network;

test("an upgrade that is scheduled, moved or taken back before its time is taken over", async () => {
  for (const time of [now + 1000n, now + 500n, 253_399_622_400n]) {
    await adopt(withHelicon(time));
    expect((await stored()).upgrades.times.helicon).toBe(time);
  }
});

test("an upgrade at a time that blocks were executed for is refused", async () => {
  const before = await stored();
  await expect(adopt(withHelicon(now))).rejects.toThrow(
    /the store cannot be continued: its blocks were executed with helicon at 9999-12-01T00:00:00Z, not at/,
  );
  expect(await stored()).toEqual(before);
});

test("other staking rules and fees are refused", async () => {
  await expect(adopt({ staking: { ...network.staking, minStakeDuration: 30n } })).rejects.toThrow(
    "its parameters are not those of the network",
  );
  await expect(adopt({ txFee: 1n })).rejects.toThrow("follow the network into an empty --data-dir");
});

describe("a store of Fuji from before Helicon was scheduled", () => {
  const rowOf = async () => (await store.get(storeSource, { slot: 0 }))!;
  const heliconInRow = async () => parseNetworkFile(JSON.parse(Buffer.from((await rowOf()).network).toString())).upgrades.times.helicon;
  const follow = () => adoptParameters(store, { network: { ...network, ...fuji }, networkFile: Buffer.from(formatNetworkFile(fuji)) });

  beforeEach(async () => {
    const times = { ...fuji.upgrades.times, helicon: UNSCHEDULED };
    const file = Buffer.from(formatNetworkFile({ ...fuji, upgrades: { ...fuji.upgrades, times } }));
    await store.commit([{ table: storeSource, key: { slot: 0 }, value: { ...(await rowOf()), network: file } } as Change]);
  });

  test("has its time for whoever reads it, and keeps it once it is followed, if its blocks are older", async () => {
    const chain = (await store.get(platformChain, { slot: 0 }))!;
    const value = { ...chain, timestamp: fuji.upgrades.times.helicon - 1n };
    await store.commit([{ table: platformChain, key: { slot: 0 }, value } as Change]);
    expect((await stored()).upgrades.times).toEqual(fuji.upgrades.times);
    expect(await heliconInRow()).toBe(UNSCHEDULED);
    await follow();
    expect(await heliconInRow()).toBe(fuji.upgrades.times.helicon);
  });

  test("is to be indexed again if blocks of Helicon's time were executed without it; that has the right time", async () => {
    await expect(follow()).rejects.toThrow(
      "its blocks were executed with helicon at 9999-12-01T00:00:00Z, not at 2026-07-28T15:00:00Z; run firn reindex",
    );
    expect(await heliconInRow()).toBe(UNSCHEDULED);
    const again = await openStoreReplay(store, directory);
    expect(again.network.upgrades.times).toEqual(fuji.upgrades.times);
    expect(parseNetworkFile(JSON.parse(Buffer.from(again.networkFile).toString()))).toEqual(fuji);
  });
});
