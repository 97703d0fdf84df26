/**
 * Snapshots and reverts: they cover the whole state, the store stays one object throughout, and an interruption leaves no intermediate
 * state.
 */
import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../src/base/bytes/id.ts";
import { platformChain } from "../../src/chains/platform/tables.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { key } from "../chains/asset/wallet.ts";
import { delay } from "../patience.ts";
import { AVAX, DAY, heightOf, NOW, startNetwork, stranger, textOf, utxoCount } from "./engine-network.ts";
import { spendEach } from "./engine-wallet.ts";

const bob = stranger("bob", "P");
const NODE = "f29bce5f34a74301eb0de716d5194e4a4aea5d7a";
const SLOT = { slot: 0 };

/** A network with one payment, a copy of it, and a second payment on another day. */
async function copied() {
  const started = await startNetwork();
  const { devnet } = started;
  await devnet.fund(bob.text, AVAX);
  const id = await devnet.snapshot();
  await devnet.advanceTime(DAY);
  await devnet.setUptime(NODE, 500_000);
  await devnet.fund(bob.text, AVAX);
  return { ...started, id };
}

describe("copies", () => {
  const ids = async (devnet: Devnet) => (await devnet.snapshots()).map(({ id }) => id);

  test("are deleted one by one, and their IDs do not come again", async () => {
    const { devnet, directory, id } = await copied();
    const other = await devnet.snapshot();
    await devnet.deleteSnapshot(other);
    expect(await ids(devnet)).toEqual([id]);
    expect(existsSync(join(directory, "snapshots", other))).toBe(false);
    await expect(devnet.deleteSnapshot(other)).rejects.toThrow(`there is no snapshot ${other}; there are ${id}`);
    await expect(devnet.deleteSnapshot("../store")).rejects.toThrow("there is no snapshot ../store");
    expect(await devnet.snapshot()).toBe(`${Number(other) + 1}`);
  });

  test("that were made for once go with the future that a revert takes back; others stay", async () => {
    const { devnet, id } = await copied();
    const once = await devnet.snapshot({ isForOnce: true });
    const kept = await devnet.snapshot();
    const late = await devnet.snapshot({ isForOnce: true });
    await devnet.revert(once);
    expect(await ids(devnet)).toEqual([id, once, kept]);
    await devnet.revert(kept);
    expect(await ids(devnet)).toEqual([id, once, kept]);
    await devnet.revert(id);
    expect(await ids(devnet)).toEqual([id, kept]);
    expect(late).toBe("4");
  });

  test("that were made for once are kept up to a hundred, the newest", async () => {
    const { devnet, id } = await copied();
    for (let i = 0; i < 102; i++) await devnet.snapshot({ isForOnce: true });
    const left = await ids(devnet);
    expect([left.length, left[0], left[1], left.at(-1)]).toEqual([101, id, "4", "103"]);
  });
});

describe("a revert", () => {
  test("puts blocks, clock and uptimes back, as often as one likes, and the clock runs on from there", async () => {
    const { devnet, id, wallClock } = await copied();
    for (let round = 0; round < 2; round++) {
      const { generation, store } = devnet;
      expect(await heightOf(devnet, "P")).toBe(2n);
      await devnet.revert(id);
      expect(devnet.store).toBe(store);
      expect(devnet.generation).toBeGreaterThan(generation);
      expect(await heightOf(devnet, "P")).toBe(1n);
      expect(await utxoCount(devnet, "P", bob.address)).toBe(1);
      expect(devnet.clock.seconds()).toBe(NOW);
      expect(devnet.uptime(PRIMARY_NETWORK_ID, NODE)).toBe(1_000_000);
      wallClock.now += 7_000_000_000n;
      expect(devnet.clock.seconds()).toBe(NOW + 7n);
      await devnet.fund(bob.text, AVAX);
      expect(await utxoCount(devnet, "P", bob.address)).toBe(2);
    }
  });

  test("forgets what waited for a block", async () => {
    const { devnet } = await startNetwork({}, { blockTimeMs: 3_600_000 });
    const ada = key("ada");
    await devnet.fund(textOf(ada, "X"), AVAX);
    const [tx] = await spendEach(devnet, ada, key("bob"));
    const id = await devnet.snapshot();
    const { xChainId } = devnet.network;
    await devnet.issue(xChainId, tx!.bytes);
    await devnet.revert(id);
    expect(devnet.status(xChainId, tx!.id)).toBeUndefined();
    await devnet.mine();
    expect(await heightOf(devnet, "X")).toBe(1n);
    await devnet.issue(xChainId, tx!.bytes);
    await devnet.mine();
    expect(await heightOf(devnet, "X")).toBe(2n);
  });

  test("waits for those who read the old state", async () => {
    const { devnet, id } = await copied();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const reading = devnet.store.snapshot(async (reader) => {
      await finished;
      return (await reader.get(platformChain, SLOT))!.height;
    });
    const reverting = devnet.revert(id);
    const later = reverting.then(() => devnet.store.get(platformChain, SLOT));
    void delay(50).then(finish);
    expect(await reading).toBe(2n);
    expect((await later)!.height).toBe(1n);
  });

  test("is possible after a restart, to copies that were made before it", async () => {
    const { devnet, directory, id, wallClock } = await copied();
    await devnet.stop();
    const { devnet: again } = await startNetwork({ directory, wallClock });
    expect(again.clock.seconds()).toBe(NOW + DAY);
    expect(again.uptime(PRIMARY_NETWORK_ID, NODE)).toBe(500_000);
    expect(await again.snapshots()).toEqual([{ id, time: NOW, heights: expect.any(Map) }]);
    await again.revert(id);
    expect(await heightOf(again, "P")).toBe(1n);
    expect(await again.snapshot()).toBe("2");
  });

  test("to a snapshot that does not exist says which there are, and changes nothing", async () => {
    const { devnet, id } = await copied();
    await expect(devnet.revert("7")).rejects.toThrow(`there is no snapshot 7; there are ${id}`);
    expect(await heightOf(devnet, "P")).toBe(2n);
    await devnet.fund(bob.text, AVAX);
  });
});

describe("a process that is killed while it reverts", () => {
  /** The folder of a stopped network, and beside its store a restored one that is complete. */
  async function interrupted() {
    const { devnet, directory, id, wallClock } = await copied();
    await devnet.stop();
    const restored = join(directory, "rebuilding", "store");
    mkdirSync(join(directory, "rebuilding"));
    cpSync(join(directory, "snapshots", id, "store"), restored, { recursive: true });
    return { directory, restored, store: join(directory, "store"), wallClock };
  }

  test("before the stores are exchanged, goes on from the old state", async () => {
    const { directory, wallClock } = await interrupted();
    const { devnet } = await startNetwork({ directory, wallClock });
    expect(await heightOf(devnet, "P")).toBe(2n);
    await devnet.revert("1");
    expect(await heightOf(devnet, "P")).toBe(1n);
  });

  test("between the two steps of the exchange, goes on from the restored state", async () => {
    const { directory, store, wallClock } = await interrupted();
    renameSync(store, `${store}.old`);
    const { devnet } = await startNetwork({ directory, wallClock });
    expect(await heightOf(devnet, "P")).toBe(1n);
    expect(existsSync(`${store}.old`)).toBe(false);
  });

  test("after the exchange, goes on from the restored state", async () => {
    const { directory, store, restored, wallClock } = await interrupted();
    renameSync(store, `${store}.old`);
    renameSync(restored, store);
    const { devnet } = await startNetwork({ directory, wallClock });
    expect(await heightOf(devnet, "P")).toBe(1n);
    expect(existsSync(`${store}.old`)).toBe(false);
  });

  test("while it makes a copy, has no half one afterwards", async () => {
    const { directory, wallClock } = await interrupted();
    renameSync(join(directory, "snapshots", "1"), join(directory, "snapshots", "1.partial"));
    const { devnet } = await startNetwork({ directory, wallClock });
    expect(await devnet.snapshots()).toEqual([]);
    expect(existsSync(join(directory, "snapshots", "1.partial"))).toBe(false);
  });
});
