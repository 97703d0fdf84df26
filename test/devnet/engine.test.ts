/** The devnet's loop: rounds, block time, failures, and the state after a stop. */
import { describe, expect, test, vi } from "vitest";
import { devnetClock, devnetClockMoves } from "../../src/devnet/tables.ts";
import { blocks } from "../../src/index/tables.ts";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { openStoreReplay } from "../../src/ingest/store-replay.ts";
import { unwrapBlock } from "../../src/network/proposervm.ts";
import { openStore } from "../../src/store/open.ts";
import { scanAll } from "../../src/store/store.ts";
import { key } from "../chains/asset/wallet.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { eventuallyHolds } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { AVAX, chainIdOf, DAY, heightOf, startNetwork, stranger, textOf, utxoCount } from "./engine-network.ts";
import { spendEach } from "./engine-wallet.ts";

const [ada, bob] = [key("ada"), key("bob")];

/** A network in which ada has so many outputs on X. */
async function withOutputs(count: number, options: Parameters<typeof startNetwork>[1] = {}) {
  const started = await startNetwork({}, options);
  for (let i = 0; i < count; i++) await started.devnet.fund(textOf(ada, "X"), AVAX);
  return { ...started, txs: await spendEach(started.devnet, ada, bob) };
}

describe("a round", () => {
  test.each(["P", "X"] as const)("accepts a payment on %s at once: it is there when it resolves", async (chain) => {
    const { devnet } = await startNetwork();
    const { address, text } = stranger("carol", chain);
    await devnet.fund(text, 3n * AVAX);
    expect(await utxoCount(devnet, chain, address)).toBe(1);
    expect(await heightOf(devnet, chain)).toBe(1n);
  });

  test("takes all that were issued together into one block", async () => {
    const { devnet, txs } = await withOutputs(8);
    const ids = await Promise.all(txs.map(({ bytes }) => devnet.issue(devnet.network.xChainId, bytes)));
    expect(ids).toEqual(txs.map(({ id }) => id));
    expect(await heightOf(devnet, "X")).toBe(9n);
    expect(await utxoCount(devnet, "X", bob.address)).toBe(8);
  });

  test("refuses what is refused, and takes the rest", async () => {
    const { devnet, txs } = await withOutputs(2);
    const { xChainId } = devnet.network;
    const [good, other] = txs;
    const forged = Buffer.from(other!.bytes);
    forged[forged.length - 1]! ^= 1;
    const [taken, refused] = await Promise.allSettled([devnet.issue(xChainId, good!.bytes), devnet.issue(xChainId, forged)]);
    expect(taken.status).toBe("fulfilled");
    expect(refused).toMatchObject({ status: "rejected", reason: { code: "wrong-signature" } });
    expect(await utxoCount(devnet, "X", bob.address)).toBe(1);
  });

  test("of a chain that does not run says so", async () => {
    const { devnet } = await startNetwork();
    await expect(devnet.issue(devnet.network.cChainId, new Uint8Array())).rejects.toThrow("does not run here");
  });
});

describe("with a block time", () => {
  test("a transaction waits in the mempool until its block's time has come", async () => {
    const { devnet, txs } = await withOutputs(1, { blockTimeMs: 3_600_000 });
    const { xChainId } = devnet.network;
    const txId = await devnet.issue(xChainId, txs[0]!.bytes);
    expect(devnet.status(xChainId, txId)).toEqual({ kind: "processing" });
    expect(await utxoCount(devnet, "X", bob.address)).toBe(0);
    await devnet.mine();
    expect(devnet.status(xChainId, txId)).toBeUndefined();
    expect(await utxoCount(devnet, "X", bob.address)).toBe(1);
  });

  test("blocks come by themselves", async () => {
    const { devnet, txs } = await withOutputs(2, { blockTimeMs: 20 });
    for (const { bytes } of txs) await devnet.issue(devnet.network.xChainId, bytes);
    await eventuallyHolds(async () => expect(await utxoCount(devnet, "X", bob.address)).toBe(2));
  });
});

describe("a commit that fails", () => {
  test("is answered, leaves what was there before, and the next one goes through", async () => {
    const { devnet, txs } = await withOutputs(2);
    const { xChainId } = devnet.network;
    vi.spyOn(devnet.store, "commit").mockRejectedValueOnce(new Error("disk on fire"));
    await expect(devnet.issue(xChainId, txs[0]!.bytes)).rejects.toThrow("disk on fire");
    expect(await heightOf(devnet, "X")).toBe(2n);
    await devnet.issue(xChainId, txs[1]!.bytes);
    await devnet.issue(xChainId, txs[0]!.bytes);
    expect(await heightOf(devnet, "X")).toBe(4n);
    expect(await utxoCount(devnet, "X", bob.address)).toBe(2);
  });
});

describe("what a devnet built", () => {
  /** Payments, a year's end of the first validators, and a restart in between. */
  async function busyYear() {
    const { devnet, directory, wallClock } = await startNetwork();
    await devnet.fund(textOf(ada, "X"), AVAX);
    await devnet.fund(textOf(ada, "P"), AVAX);
    await devnet.advanceTime(200n * DAY);
    await devnet.stop();
    const { devnet: again } = await startNetwork({ directory, wallClock });
    await again.fund(textOf(bob, "P"), AVAX);
    await again.fund(textOf(bob, "X"), AVAX);
    await again.advanceTime(200n * DAY);
    return { devnet: again, directory };
  }

  test("is a chain of containers without a gap, across a restart", async () => {
    const { devnet } = await busyYear();
    for (const chain of ["P", "X"] as const) {
      let parent: string | undefined;
      for await (const { value } of scanAll(devnet.store, blocks, { chainId: chainIdOf(devnet, chain) })) {
        const { header, containerId } = unwrapBlock(Buffer.concat([value.head, value.bytes, value.tail]), () => value.head.length > 0);
        if (parent !== undefined) expect(header?.parentId).toBe(parent);
        expect(containerId).toBe(value.containerId);
        parent = containerId;
      }
    }
    expect(await heightOf(devnet, "P")).toBe(12n);
  });

  test("is accepted by an archive that verifies everything, which has the same rows", async () => {
    const { devnet, directory } = await busyYear();
    const copy = scratchDirectory();
    const source = await openStoreReplay(devnet.store, directory);
    const store = await openStore({ directory: copy, mode: "write" });
    await ingestSource({ store, source, level: "full" });
    await store.close();
    await devnet.stop();
    const [built, archived] = [await storeRows(directory), await storeRows(copy)];
    // an archive knows nothing of the devnet's clock
    const ofClock: readonly number[] = [devnetClock.id, devnetClockMoves.id];
    for (const key of [...built.keys()]) if (ofClock.includes(Number.parseInt(key.slice(0, 4), 16))) built.delete(key);
    expect(firstDifference(archived, built)).toBeUndefined();
  });
});

describe("a stop", () => {
  test("may be asked for twice, and refuses what comes later", async () => {
    const { devnet, txs } = await withOutputs(1);
    const stopping = devnet.stop();
    expect(devnet.stop()).toBe(stopping);
    await stopping;
    await expect(devnet.issue(devnet.network.xChainId, txs[0]!.bytes)).rejects.toThrow("the network was stopped");
    await expect(devnet.mine()).rejects.toThrow("the network was stopped");
  });
});
