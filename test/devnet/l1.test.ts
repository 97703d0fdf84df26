/** Chains of L1s in a devnet: they run from the block on that creates them, and are there after everything that can happen to a devnet. */
import { describe, expect, test, vi } from "vitest";
import type { Id } from "../../src/base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { platformChains, platformTxs } from "../../src/chains/platform/tables.ts";
import { accountKeys } from "../../src/devnet/account-keys.ts";
import { L1Transactions } from "../../src/devnet/l1/l1-transactions.ts";
import { evmBlocks, evmChains } from "../../src/evm/index/tables.ts";
import { blocks } from "../../src/index/tables.ts";
import { scanAll } from "../../src/store/store.ts";
import { heightOf, startNetwork } from "./engine-network.ts";
import { BOB, ewoqAccount, fundedAccounts, genesisOf, L1Client, l1Of, SubnetMaker } from "./l1-network.ts";

async function start(options: Parameters<typeof startNetwork>[0] = {}, limits = DEFAULT_LIMITS) {
  const started = await startNetwork(options, { evm: { limits }, accountKeys: accountKeys({}) });
  await started.devnet.evm!.ready();
  return started;
}

describe("A chain of Subnet-EVM that a CreateChainTx makes", () => {
  test("runs at once, with what its genesis says: chain ID, accounts, gas limit, base fee", async () => {
    const { devnet } = await start();
    const maker = await SubnetMaker.open(devnet);
    const chainId = await maker.createChain(genesisOf(4321n));
    const l1 = new L1Client(devnet, chainId);
    expect(await l1.ask("eth_chainId")).toBe("0x10e1");
    const block = (await l1.ask("eth_getBlockByNumber", "0x0", false)) as Record<string, string>;
    expect(block).toMatchObject({ gasLimit: "0xe4e1c0", baseFeePerGas: "0x3b9aca00", timestamp: "0x6553f100" });
    expect(await l1.balance(ewoqAccount.address)).toBe(10n ** 24n);
    expect(await l1.pay(7n)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await l1.balance(BOB)).toBe(7n);
    // what it used: only the C-chain charges half of the limit
    expect(await l1.ask("eth_getTransactionReceipt", await l1.pay(1n, { gas: 100_000n }))).toMatchObject({ gasUsed: "0x5208" });
    expect(l1Of(devnet, chainId)).toMatchObject({ chainName: "by hand", subnetId: maker.subnetId, problem: undefined });
  });

  test("has blocks of its own layout in the store, in containers, and in the index", async () => {
    const { devnet } = await start();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(4321n));
    const l1 = new L1Client(devnet, chainId);
    const hash = await l1.pay(7n);
    const row = (await devnet.store.get(blocks, { chainId, height: 1n }))!;
    expect(row.head.length).toBeGreaterThan(0);
    expect(l1.evm.spec.parse(row.bytes)).toMatchObject({ id: row.blockId, height: 1n, baseFee: 1_000_000_000n });
    expect(await l1.ask("eth_getTransactionReceipt", hash)).toMatchObject({ blockHash: `0x${row.blockId}` });
    const { chain } = await numberOf(devnet, 4321n);
    expect(await devnet.store.get(evmBlocks, { chain, height: 1n })).toMatchObject({ hash: row.blockId, txCount: 1 });
  });

  test.each<[string, Buffer, RegExp]>([
    ["is no JSON", Buffer.from("{"), /^genesis: it is not JSON/],
    ["has the C-chain's chain ID", genesisOf(43_112n), /config\.chainId is 43112, which another chain of this network has/],
    ["asks for a precompile", genesisOf(5n, { rewardManagerConfig: { blockTimestamp: 0 } }), /config\.rewardManagerConfig turns on/],
  ])("whose genesis %s does not run, and its transaction is accepted", async (_, genesis, problem) => {
    const { devnet } = await start();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesis);
    expect(await devnet.store.get(platformTxs, { txId: chainId })).toMatchObject({ status: 4 });
    expect(await devnet.store.get(platformChains, { chainId })).toBeDefined();
    expect(l1Of(devnet, chainId)).toMatchObject({ running: undefined, problem: expect.stringMatching(problem) });
  });

  test("does not get the chain ID of one that runs, but one that is free again", async () => {
    const { devnet } = await start();
    const maker = await SubnetMaker.open(devnet);
    const before = await devnet.snapshot();
    const first = await maker.createChain(genesisOf(77n));
    const second = await maker.createChain(genesisOf(77n), "second");
    expect([l1Of(devnet, first).problem, l1Of(devnet, second).problem]).toEqual([undefined, expect.stringContaining("chainId is 77")]);
    await devnet.revert(before);
    const third = await maker.createChain(genesisOf(77n), "third");
    expect(l1Of(devnet, third).problem).toBeUndefined();
    expect(devnet.evms.l1s.map(({ chainId }) => chainId)).toEqual([third]);
  });

  test("does not run beyond the limit of L1s", async () => {
    const { devnet } = await start({}, { ...DEFAULT_LIMITS, evmL1s: 1 });
    const maker = await SubnetMaker.open(devnet);
    const [first, second] = [await maker.createChain(genesisOf(1n)), await maker.createChain(genesisOf(2n))];
    expect(l1Of(devnet, first).problem).toBeUndefined();
    expect(l1Of(devnet, second).problem).toBe("1 L1s run here, which is the limit evmL1s; raise it with --limits");
    await expect(devnet.createL1({})).rejects.toThrow("which is the limit evmL1s");
  });

  test("does not run in a network without an EVM", async () => {
    const { devnet } = await startNetwork();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(1n));
    expect(l1Of(devnet, chainId)).toMatchObject({ running: undefined, problem: "this network runs without an EVM" });
  });

  test("takes only its own transactions, and none of them at the network's issuing methods", async () => {
    const { devnet } = await start();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(4321n));
    const l1 = new L1Client(devnet, chainId);
    expect(await l1.pay(1n, { chainId: 43_112 })).toBe("invalid sender");
    await expect(devnet.issue(chainId, Buffer.alloc(4))).rejects.toThrow('send transactions of the L1 "by hand" to its own RPC');
    expect(await l1.height()).toBe(0n);
  });
});

describe("An L1's chain is there", () => {
  test("after its child died, with what waited in its pool", async () => {
    const { devnet } = await start();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(4321n));
    const l1 = new L1Client(devnet, chainId);
    await l1.pay(7n);
    await l1.evm.rebuild();
    expect([await l1.balance(BOB), await l1.height()]).toEqual([7n, 1n]);
    await l1.pay(8n);
    expect(await l1.balance(BOB)).toBe(15n);
  });

  test("after a restart of the network, beside the C-chain and another one, each under its own number", async () => {
    const { devnet, directory, wallClock } = await start();
    const maker = await SubnetMaker.open(devnet);
    const ids: Id[] = [await maker.createChain(genesisOf(101n)), await maker.createChain(genesisOf(102n))];
    for (const [index, chainId] of ids.entries()) {
      for (let value = 0; value <= index; value++) await new L1Client(devnet, chainId).pay(BigInt(index + 1));
    }
    await devnet.stop();
    const { devnet: again } = await start({ directory, wallClock });
    const clients = ids.map((chainId) => new L1Client(again, chainId));
    expect(await Promise.all(clients.map((client) => client.balance(BOB)))).toEqual([1n, 4n]);
    expect(await Promise.all(clients.map((client) => client.height()))).toEqual([1n, 2n]);
    await clients[0]!.pay(9n);
    expect(await clients[0]!.balance(BOB)).toBe(10n);
    const numbers: bigint[] = [];
    for await (const { value } of scanAll(again.store, evmChains)) numbers.push(value.evmChainId);
    expect(numbers).toEqual([43_112n, 101n, 102n]);
  });

  test("as it was after a revert; one that was made later is gone, and comes back with its snapshot", async () => {
    const { devnet } = await start();
    const maker = await SubnetMaker.open(devnet);
    const kept = await maker.createChain(genesisOf(101n));
    const client = new L1Client(devnet, kept);
    await client.pay(1n);
    const early = await devnet.snapshot();
    await client.pay(2n);
    const later = await maker.createChain(genesisOf(102n));
    await new L1Client(devnet, later).pay(3n);
    const late = await devnet.snapshot();
    const { evm } = new L1Client(devnet, later);
    await devnet.revert(early);
    expect([await client.balance(BOB), await client.height()]).toEqual([1n, 1n]);
    expect([devnet.evms.running(later), devnet.evms.l1s.length, evm.health().isUp]).toEqual([undefined, 1, false]);
    await client.pay(4n);
    expect(await client.balance(BOB)).toBe(5n);
    await devnet.revert(late);
    expect(await client.balance(BOB)).toBe(3n);
    expect(await new L1Client(devnet, later).balance(BOB)).toBe(3n);
    await new L1Client(devnet, later).pay(1n);
    expect(await new L1Client(devnet, later).balance(BOB)).toBe(4n);
  });

  test("when the clock moves and blocks are mined: its own, and with those of the whole network", async () => {
    const { devnet } = await start();
    const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(4321n));
    const l1 = new L1Client(devnet, chainId);
    await l1.evm.ready();
    await devnet.advanceTime(1000n);
    await devnet.mineEvm(2, 5n, chainId);
    const { timestamp } = (await l1.ask("eth_getBlockByNumber", "latest", false)) as { timestamp: string };
    expect([await l1.height(), BigInt(timestamp)]).toEqual([2n, devnet.clock.seconds()]);
    await devnet.setNextEvmTimestamp(devnet.clock.seconds() + 50n, chainId);
    await devnet.mine();
    expect(await l1.height()).toBe(3n);
    await devnet.evms.running(chainId)!.controls.edit([{ kind: "balance", address: BOB.slice(2), value: 99n }]);
    expect(await l1.balance(BOB)).toBe(99n);
    await l1.evm.rebuild();
    expect(await l1.balance(BOB)).toBe(99n);
  });
});

describe("createL1", () => {
  test("makes nothing if it fails half-way, and can be asked again", async () => {
    const { devnet } = await start();
    const before = await heightOf(devnet, "P");
    vi.spyOn(L1Transactions.prototype, "convert").mockImplementationOnce(() => {
      throw new Error("no conversion");
    });
    await expect(devnet.createL1({ name: "dex" })).rejects.toThrow("no conversion");
    expect([await heightOf(devnet, "P"), devnet.evms.l1s]).toEqual([before, []]);
    expect((await devnet.createL1({ name: "dex" })).chainName).toBe("dex");
    expect(await heightOf(devnet, "P")).toBe(before + 3n);
  });

  test("makes subnet, chain, conversion and validators in one commit, and its EVM answers", async () => {
    const { devnet } = await start();
    const made = await devnet.createL1({ name: "dex", validators: 3 });
    expect(made).toMatchObject({ chainName: "dex", evmChainId: 99_001n });
    expect(new Set(made.validators.map(({ validationId }) => validationId)).size).toBe(3);
    const client = new L1Client(devnet, made.chainId);
    expect(await Promise.all(fundedAccounts.map((address) => client.balance(address)))).toEqual(fundedAccounts.map(() => 10n ** 24n));
    expect(await client.ask("eth_getCode", "0x0200000000000000000000000000000000000005", "latest")).not.toBe("0x");
    const second = await devnet.createL1({});
    expect(second).toMatchObject({ chainName: "dev1", evmChainId: 99_002n });
  });

  test("takes a genesis, and up to 16 validators", async () => {
    const { devnet } = await start();
    const made = await devnet.createL1({ genesis: genesisOf(4321n), validators: 16 });
    expect([made.evmChainId, made.validators.length]).toEqual([4321n, 16]);
  });

  test("makes nothing of a wish that cannot be met", async () => {
    const { devnet } = await start();
    await devnet.createL1({ name: "dex" });
    const { P } = { P: await platformHeight(devnet) };
    await expect(devnet.createL1({ name: "dex" })).rejects.toThrow('there is an L1 "dex" already');
    await expect(devnet.createL1({ name: "a-b" })).rejects.toThrow('the name is "a-b"; use 1 to 128 letters');
    await expect(devnet.createL1({ evmChainId: 43_112n })).rejects.toThrow("chainId is 43112, which another chain");
    await expect(devnet.createL1({ evmChainId: 1n, genesis: genesisOf(1n) })).rejects.toThrow("the chain ID is for the default genesis");
    await expect(devnet.createL1({ genesis: Buffer.from("{}") })).rejects.toThrow("genesis: gasLimit is missing");
    await expect(devnet.createL1({ validators: 17 })).rejects.toThrow("use one from 1 to 16");
    expect(await platformHeight(devnet)).toBe(P);
  });

  test("is impossible before Etna, and without a key that pays", async () => {
    const { devnet } = await start({ upgrades: "durango" });
    await expect(devnet.createL1({})).rejects.toThrow("L1s begin with Etna");
  });
});

async function platformHeight({ store }: Awaited<ReturnType<typeof start>>["devnet"]): Promise<bigint> {
  const [newest] = await store.scan(blocks, { prefix: { chainId: "00".repeat(32) }, reverse: true, limit: 1 });
  return newest!.key.height;
}

async function numberOf({ store }: Awaited<ReturnType<typeof start>>["devnet"], evmChainId: bigint): Promise<{ chain: number }> {
  for await (const { key, value } of scanAll(store, evmChains)) if (value.evmChainId === evmChainId) return key;
  throw new Error(`no chain ${evmChainId}`);
}
