import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EvmEdit, storedEdits } from "../../../../src/devnet/anvil/sealing/evm-edits.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { killChild, restart } from "../evm-actions.ts";
import { EvmNetwork } from "../evm-network.ts";

const BOB = "0x00000000000000000000000000000000000b0b01";
const bob = BOB.slice(2);
const word = (value: number) => value.toString(16).padStart(64, "0");
const balance = (value: bigint): EvmEdit => ({ kind: "balance", address: bob, value });

/** Dumps of the state after block 1 and one edit, once nothing is being written any more. */
async function editedDumps(network: EvmNetwork): Promise<string[]> {
  await network.evm.totalBalance();
  const directory = join(network.directory, "c-chain");
  return (await readdir(directory)).filter((name) => /^1\+1-[0-9a-f]{64}\.json\.gz$/.test(name)).map((name) => join(directory, name));
}

async function stored({ devnet }: EvmNetwork, height: bigint): Promise<EvmEdit[]> {
  return storedEdits(devnet.store, devnet.network.cChainId, height);
}

async function hashes(network: EvmNetwork): Promise<string[]> {
  const tip = Number(await network.ask("eth_blockNumber"));
  const blocks = Array.from({ length: tip }, (_, n) => network.ask("eth_getBlockByNumber", `0x${(n + 1).toString(16)}`, false));
  return (await Promise.all(blocks)).map((block) => (block as { hash: string }).hash);
}

describe("an edit of accounts", () => {
  test("is there at once, in every part, and a restart of the child or of the network keeps it", async () => {
    const network = await EvmNetwork.start({ directory: scratchDirectory() });
    const code = Buffer.from("60005460005260206000f3", "hex");
    await network.devnet.evmControls.edit([
      balance(2n ** 256n - 1n),
      { kind: "nonce", address: bob, value: 2n ** 63n },
      { kind: "code", address: bob, code },
      { kind: "storage", address: bob, slot: word(0), value: word(7) },
    ]);
    const look = async (of: EvmNetwork) => [
      await of.balance(BOB),
      BigInt((await of.ask("eth_getTransactionCount", BOB, "latest")) as string),
      await of.ask("eth_getCode", BOB, "latest"),
      await of.ask("eth_call", { to: BOB }, "latest"),
      await of.ask("eth_blockNumber"),
    ];
    const expected = [2n ** 256n - 1n, 2n ** 63n, `0x${code.toString("hex")}`, `0x${word(7)}`, "0x0"];
    expect(await look(network)).toEqual(expected);
    await killChild(network);
    expect(await look(network)).toEqual(expected);
    const again = await restart(network);
    expect(await look(again)).toEqual(expected);
    // what is taken back is gone
    await again.devnet.evmControls.edit([balance(0n), { kind: "code", address: bob, code: Buffer.alloc(0) }]);
    await again.evm.rebuild();
    expect((await look(again)).slice(0, 3)).toEqual([0n, 2n ** 63n, "0x"]);
  });

  test("belongs to the state after the block that it follows, and the next block's hash depends on it", async () => {
    const [one, other] = [await EvmNetwork.start(), await EvmNetwork.start()];
    for (const network of [one, other]) await network.pay(BOB, 1n);
    await one.devnet.evmControls.edit([balance(5n)]);
    for (const network of [one, other]) await network.pay(BOB, 1n);
    expect((await hashes(one))[0]).toBe((await hashes(other))[0]);
    expect((await hashes(one))[1]).not.toBe((await hashes(other))[1]);
    expect([await one.balance(BOB, "0x1"), await one.balance(BOB, "0x2")]).toEqual([5n, 6n]);
    expect(await stored(one, 1n)).toEqual([balance(5n)]);
  });

  test("that sets a nonce back is refused, and changes nothing", async () => {
    const network = await EvmNetwork.start();
    await network.devnet.evmControls.edit([{ kind: "nonce", address: bob, value: 7n }]);
    const back = network.devnet.evmControls.edit([balance(1n), { kind: "nonce", address: bob, value: 6n }]);
    await expect(back).rejects.toThrow("New nonce (6) must not be smaller than the existing nonce (7)");
    const twice = network.devnet.evmControls.edit([9n, 8n].map((value) => ({ kind: "nonce", address: bob, value })));
    await expect(twice).rejects.toThrow("New nonce (8) must not be smaller than the existing nonce (9)");
    expect([await network.balance(BOB), await network.nonce(BOB)]).toEqual([0n, 7]);
    expect(await stored(network, 0n)).toHaveLength(1);
  });

  test("changes by which number answers that are cached by height are told apart", async () => {
    const network = await EvmNetwork.start();
    const before = network.devnet.generation;
    await network.devnet.evmControls.edit([balance(1n)]);
    expect(network.devnet.generation).toBeGreaterThan(before);
  });

  test("lets a transaction go that waited for its nonce", async () => {
    const network = await EvmNetwork.start();
    const { address } = network.account;
    const raw = await network.sign({
      type: "eip1559",
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      nonce: 4,
      to: BOB,
      value: 3n,
      gas: 21_000n,
    });
    await network.send(raw);
    expect(await network.balance(BOB)).toBe(0n);
    await network.devnet.evmControls.edit([{ kind: "nonce", address: address.slice(2).toLowerCase(), value: 4n }]);
    await network.devnet.mine();
    expect(await network.balance(BOB)).toBe(3n);
  });

  test("goes with a block that is sealed with it, in its commit", async () => {
    const network = await EvmNetwork.start({ directory: scratchDirectory() });
    const { evm } = network;
    const seal = evm.sealing.seal.bind(evm.sealing);
    evm.sealing.seal = (timestamp, txs, options) => seal(timestamp, txs, { ...options, edits: [balance(100n)] });
    await network.pay(BOB, 1n);
    evm.sealing.seal = seal;
    await network.devnet.evmControls.edit([{ kind: "storage", address: bob, slot: word(1), value: word(1) }]);
    expect(await network.balance(BOB)).toBe(101n);
    expect([await stored(network, 0n), (await stored(network, 1n)).length]).toEqual([[balance(100n)], 1]);
    const before = await hashes(network);
    const again = await restart(network);
    expect([await again.balance(BOB), await hashes(again)]).toEqual([101n, before]);
  });
});

test("blocks that are held back hold imports back, too, until they come by themselves again", async () => {
  const network = await EvmNetwork.start();
  await network.exportToC(1_000_000_000n);
  await network.devnet.evmControls.setAutomatic(false);
  const txId = await network.importToC();
  await network.pay(BOB, 1n);
  await network.devnet.advanceTime(60n);
  expect(await network.storedBlock(1n)).toBeUndefined();
  expect(network.devnet.status(network.devnet.network.cChainId, txId)).toMatchObject({ kind: "processing" });
  await network.devnet.evmControls.setAutomatic(true);
  expect([await network.storedBlock(1n), await network.balance(BOB)]).toEqual([expect.anything(), 1n]);
  expect(await network.exported()).toEqual([]);
});

describe("a rebuilt EVM", () => {
  test("takes no dump whose edits a revert has undone, though others came at the same height", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 1 } });
    await network.pay(BOB, 1n);
    const snapshot = await network.devnet.snapshot();
    await network.devnet.evmControls.edit([balance(77n)]);
    const [undone] = await editedDumps(network);
    const bytes = await readFile(undone!);
    await network.devnet.revert(snapshot);
    expect(await network.balance(BOB)).toBe(1n);
    await network.devnet.evmControls.edit([balance(78n)]);
    for (const other of await editedDumps(network)) await rm(other);
    await writeFile(undone!, bytes);
    await network.evm.rebuild();
    expect([await network.balance(BOB), await editedDumps(network)]).toEqual([78n, []]);
  });

  test("starts from a dump with some of a block's edits, and makes the others", async () => {
    const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 2 } });
    await network.pay(BOB, 1n);
    await network.devnet.evmControls.edit([balance(10n)]);
    await network.devnet.evmControls.edit([balance(20n)]);
    const dumps = await editedDumps(network);
    expect(dumps).toHaveLength(1);
    await network.evm.rebuild();
    expect([await network.balance(BOB), await editedDumps(network)]).toEqual([20n, dumps]);
  });

  test("has the edits that were made before another upgrade's rules came", async () => {
    const network = await EvmNetwork.start({ upgrades: "cortina,durango=+10m,etna=+20m" });
    await network.devnet.evmControls.edit([balance(5n)]);
    await network.pay(BOB, 1n);
    await network.devnet.evmControls.edit([balance(50n)]);
    await network.devnet.advanceTime(600n);
    await network.pay(BOB, 1n);
    expect(await network.balance(BOB)).toBe(51n);
    expect(await editedDumps(network)).toHaveLength(1);
    await network.devnet.evmControls.edit([balance(500n)]);
    await network.devnet.advanceTime(600n);
    await network.pay(BOB, 1n);
    const before = await hashes(network);
    await network.evm.rebuild();
    expect([await network.balance(BOB), await hashes(network)]).toEqual([501n, before]);
  });
});

test("a child that is killed at any instant takes no edit with it that was answered, and no half of one", async () => {
  const network = await EvmNetwork.start({}, { evm: { blocksPerDump: 3 } });
  const [left, right] = ["a1", "a2"].map((byte) => byte.repeat(20));
  let answered = 0n;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("edit", "pay", "kill"), { minLength: 4, maxLength: 12 }), async (steps) => {
      for (const step of steps) {
        if (step === "pay") await network.pay(BOB, 1n);
        else {
          const value = answered + 1n;
          const editing = network.devnet.evmControls.edit([left!, right!].map((address) => ({ kind: "balance", address, value })));
          if (step === "kill") await killChild(network).catch(() => {});
          answered = await editing.then(
            () => value,
            () => answered,
          );
        }
        const both = [await network.balance(`0x${left}`), await network.balance(`0x${right}`)];
        expect(both).toEqual([answered, answered]);
      }
    }),
    { numRuns: Number(process.env.FIRN_EVM_RUNS ?? 4) },
  );
});
