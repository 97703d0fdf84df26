import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../../../store/scratch.ts";
import { act, actNamed, EDITED, killChild, restart, STRANGER, someActions } from "../evm-actions.ts";
import { EvmNetwork, FEES } from "../evm-network.ts";
import { expectedSupply } from "../supply.ts";

const BOB = "0x00000000000000000000000000000000000b0b01";

/** All that clients can see of the chain's blocks and of the accounts in its newest state. */
async function looksLike(network: EvmNetwork): Promise<unknown> {
  const blocks: unknown[] = [];
  const tip = Number(await network.ask("eth_blockNumber"));
  for (let height = 1; height <= tip; height++) {
    const block = (await network.ask("eth_getBlockByNumber", `0x${height.toString(16)}`, true)) as { transactions: { hash: string }[] };
    const receipts = await Promise.all(block.transactions.map(({ hash }) => network.ask("eth_getTransactionReceipt", hash)));
    blocks.push({ block, receipts });
  }
  const edited = await Promise.all([
    network.ask(
      "eth_getProof",
      `0x${EDITED}`,
      [0, 1, 2, 3].map((slot) => `0x${slot.toString(16).padStart(64, "0")}`),
      "latest",
    ),
    network.ask("eth_getCode", `0x${EDITED}`, "latest"),
  ]);
  return { blocks, total: await network.evm.totalBalance(), nonce: await network.nonce(), edited };
}

/** Once nothing is being written any more. */
async function dumpsOf(network: EvmNetwork): Promise<string[]> {
  await network.evm.totalBalance();
  const directory = join(network.directory, "c-chain");
  return (await readdir(directory)).filter((name) => name.endsWith(".json.gz")).map((name) => join(directory, name));
}

describe("a rebuilt EVM", () => {
  test("is the one that was there, whatever happened, with dumps and without", async () => {
    await fc.assert(
      fc.asyncProperty(someActions, someActions, fc.integer({ min: 1, max: 8 }), async (first, second, blocksPerDump) => {
        const network = await EvmNetwork.start({ directory: scratchDirectory() }, { evm: { blocksPerDump } });
        await act(network, first);
        await act(network, second);
        const before = await looksLike(network);
        expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
        await network.evm.rebuild();
        expect(await looksLike(network)).toEqual(before);
        const restarted = await restart(network);
        expect(await looksLike(restarted)).toEqual(before);
        await rm(join(network.directory, "c-chain"), { recursive: true });
        await restarted.evm.rebuild();
        expect(await looksLike(restarted)).toEqual(before);
        await act(restarted, second);
        expect(await restarted.evm.totalBalance()).toBe(await expectedSupply(restarted));
        await restarted.devnet.stop();
      }),
      { numRuns: Number(process.env.FIRN_EVM_RUNS ?? 4) },
    );
  });

  const damages: readonly (readonly [what: string, damage: (dump: Buffer) => Uint8Array])[] = [
    ["cut short", (dump) => dump.subarray(0, dump.length >> 1)],
    ["changed in the middle", (dump) => dump.fill(0, dump.length >> 1, (dump.length >> 1) + 8)],
    ["empty", () => Buffer.alloc(0)],
    ["no dump at all", () => gzipSync("{}")],
  ];

  test.each(damages)("does without a dump that is %s", async (_, damage) => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 2 } });
    for (let i = 0; i < 5; i++) await network.pay(BOB, 1n);
    const before = await looksLike(network);
    const dumps = await dumpsOf(network);
    expect(dumps).not.toEqual([]);
    for (const file of dumps) await writeFile(file, damage(await readFile(file)));
    await network.evm.rebuild();
    expect(await looksLike(network)).toEqual(before);
    expect(await dumpsOf(network)).toEqual([]);
  });

  test("takes no dump of another chain's block, though it is whole", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 2 } });
    const other = await EvmNetwork.start({}, { evm: { blocksPerDump: 2 } });
    for (let i = 0; i < 2; i++) await network.pay(BOB, 1n);
    for (let i = 0; i < 2; i++) await other.pay(BOB, 2n);
    const before = await looksLike(network);
    const [theirs] = await dumpsOf(other);
    const ours = join(network.directory, "c-chain", `2-${(await network.storedBlock(2n))!.blockId}.json.gz`);
    await writeFile(ours, await readFile(theirs!));
    await network.evm.rebuild();
    expect(await looksLike(network)).toEqual(before);
  });

  test("keeps the newest dumps only, and blocks and receipts from before them", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 1 } });
    for (let i = 0; i < 6; i++) await network.pay(BOB, 1n);
    const before = await looksLike(network);
    const restarted = await restart(network);
    expect(await looksLike(restarted)).toEqual(before);
    expect((await dumpsOf(restarted)).length).toBeLessThanOrEqual(3);
  });

  test("goes back with the network to a snapshot, and on from there another way", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 2 } });
    await actNamed(network, "pays", "exports to C", "imports", "exports to X");
    const before = await looksLike(network);
    const snapshot = await network.devnet.snapshot();
    await actNamed(network, "pays", "deploys a contract", "exports to C", "imports", "exports to X", "pays");
    await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 99, to: BOB, gas: 21_000n }));
    await network.devnet.revert(snapshot);
    expect(await looksLike(network)).toEqual(before);
    expect(await network.ask("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
    await actNamed(network, "exports to X", "deploys a contract");
    await network.evm.rebuild();
    expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
  });

  test("knows who sent transactions that nobody signed, of every kind, in blocks and waiting", async () => {
    const network = await EvmNetwork.start({ directory: scratchDirectory() }, { evm: { blocksPerDump: 3 } });
    for (let n = 0; n < 4; n++) await actNamed(network, "sends for a contract without its signature");
    const before = await looksLike(network);
    const text = JSON.stringify(before, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    expect(text.match(new RegExp(`"from":"0x${STRANGER}"`, "g"))).toHaveLength(8);
    await network.evm.rebuild();
    expect(await looksLike(network)).toEqual(before);
    const restarted = await restart(network);
    expect(await looksLike(restarted)).toEqual(before);
    await rm(join(network.directory, "c-chain"), { recursive: true });
    await restarted.devnet.evmControls.setAutomatic(false);
    await actNamed(restarted, "sends for a contract without its signature");
    const waiting = await restarted.ask("txpool_content");
    await restarted.evm.rebuild();
    expect(await looksLike(restarted)).toEqual(before);
    expect(await restarted.ask("txpool_content")).toEqual(waiting);
    await restarted.devnet.evmControls.setAutomatic(true);
    expect(await restarted.nonce(`0x${STRANGER}`)).toBe(5);
  });

  test("follows the rules of each block's time", async () => {
    const network = await EvmNetwork.start({ upgrades: "cortina,durango=+10m,etna=+20m,fortuna=+30m" });
    // PUSH0, which Shanghai brought, and MCOPY, which Cancun brought: then one byte of code
    const codes = ["0x5f5ff3", "0x60016000805e60016000f3"] as const;
    const statuses: string[][] = [];
    for (let era = 0; era < 3; era++) {
      const status: string[] = [];
      for (const data of codes) {
        const hash = await network.send(
          await network.sign({ ...FEES, type: "eip1559", nonce: await network.nonce(), data, gas: 100_000n }),
        );
        status.push(((await network.ask("eth_getTransactionReceipt", hash)) as { status: string }).status);
      }
      statuses.push(status);
      await network.devnet.advanceTime(600n);
    }
    expect(statuses).toEqual([
      ["0x0", "0x0"],
      ["0x1", "0x0"],
      ["0x1", "0x1"],
    ]);
    const before = await looksLike(network);
    await rm(join(network.directory, "c-chain"), { recursive: true });
    await network.evm.rebuild();
    expect(await looksLike(network)).toEqual(before);
  });
});

/** The block of an export is still to come if a child takes long to start: what is paid with the same nonce meanwhile could not be in any. */
async function exportAndWait(network: EvmNetwork): Promise<void> {
  const nonce = await network.nonce();
  await network.exportToX(1n, nonce);
  while ((await network.nonce()) === nonce) await new Promise((resolve) => setImmediate(resolve));
}

describe("a child that is killed", () => {
  test("takes nothing with it that was reported as done, and is there again", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 5 } });
    const done: string[] = [];
    let isOver = false;
    const killer = (async () => {
      for (let kills = 0; kills < Number(process.env.FIRN_EVM_KILLS ?? 5); kills++) {
        const before = done.length;
        while (done.length < before + 3 + (kills % 4)) await new Promise((resolve) => setImmediate(resolve));
        await killChild(network);
      }
      isOver = true;
    })();
    while (!isOver) {
      const answer = await network.pay(BOB, 1n);
      if (/^0x[0-9a-f]{64}$/.test(answer)) done.push(answer);
      if (done.length % 7 === 3) await exportAndWait(network);
    }
    await killer;
    await network.evm.ready();
    for (const hash of done) expect(await network.ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    expect(await network.balance(BOB)).toBe(BigInt(done.length));
    expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
  });

  test("gets back the transactions that no block has yet", async () => {
    const network = await EvmNetwork.start();
    await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 1, to: BOB, value: 1n, gas: 21_000n }));
    await killChild(network);
    await network.pay(BOB, 1n);
    expect(await network.balance(BOB)).toBe(2n);
  });

  test("shows in health until there is another", async () => {
    const network = await EvmNetwork.start();
    await network.evm.ready();
    expect(network.evm.health()).toEqual({ isUp: true });
    await killChild(network);
    while (network.evm.health().isUp) await new Promise((resolve) => setImmediate(resolve));
    expect(network.evm.health().problem).toMatch("SIGKILL");
    await network.evm.ready();
    expect(network.evm.health()).toEqual({ isUp: true });
  });
});
