/** What tests of contracts ask of a development node, through viem's test client and as Hardhat's helpers send it, done to a whole devnet. */
import { once } from "node:events";
import { createTestClient, http, publicActions } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { scratchDirectory } from "../store/scratch.ts";

const DAY = 86_400;
const RECEIVER = `0x${"22".repeat(20)}` as const;
const GAS_PRICE = 30_000_000_000n;

let network: LocalNetwork;
let wallet: PlainWallet;
/** answers the time of the block that it runs in: TIMESTAMP, and RETURN of one word */
const TIMESTAMP_CODE = "0x4260005260206000f3";

beforeAll(async () => {
  network = await startDevnet();
  wallet = new PlainWallet(network, EWOQ_KEY);
});
afterAll(() => network?.stop());

const client = (mode: "anvil" | "hardhat") => createTestClient({ mode, transport: http(network.urls.C) }).extend(publicActions);
const rpc = async (method: string, ...params: unknown[]) =>
  (await call(network.url, { path: "/ext/bc/C/rpc", method, params })) as Reply & { result: unknown };
const pay = async (nonce: bigint) => {
  const reply = await call(network.url, wallet.payInEvm(nonce, RECEIVER.slice(2), 5n, GAS_PRICE));
  return String(reply.result);
};
const timeOfP = async () => {
  const { result } = await call(network.url, { path: "/ext/bc/P", method: "platform.getTimestamp", params: {} });
  return Date.parse((result as { timestamp: string }).timestamp) / 1000;
};

describe.each(["hardhat", "anvil"] as const)("viem's test client, as of %s", (mode) => {
  test("makes blocks, empty ones too, and the Data API lists them", async () => {
    const evm = client(mode);
    const before = await evm.getBlockNumber();
    await evm.mine({ blocks: 3, interval: 10 });
    expect(await evm.getBlockNumber({ cacheTime: 0 })).toBe(before + 3n);
    const [first, last] = [await evm.getBlock({ blockNumber: before + 1n }), await evm.getBlock({ blockNumber: before + 3n })];
    expect(Number(last.timestamp - first.timestamp)).toBe(20);
    await evm.mine({ blocks: 1 });
    await evm.mine({ blocks: 1 });
    const [parent, next] = [await evm.getBlock({ blockNumber: before + 4n }), await evm.getBlock({ blockNumber: before + 5n })];
    expect(next.timestamp).toBeGreaterThan(parent.timestamp);
    expect(last.transactions).toEqual([]);
    const response = await fetch(`${network.url}/v1/chains/43112/blocks/${before + 3n}`);
    expect(await response.json()).toMatchObject({ blockHash: last.hash, txCount: 0, blockTimestamp: Number(last.timestamp) });
  });

  test("moves the clock of the whole network, and contracts see it at once", async () => {
    const evm = client(mode);
    const before = await evm.getBlock();
    await evm.increaseTime({ seconds: DAY });
    const { data: now } = await evm.call({ data: TIMESTAMP_CODE });
    expect(BigInt(now!) - before.timestamp).toBeGreaterThanOrEqual(DAY);
    await evm.mine({ blocks: 1 });
    const after = await evm.getBlock();
    expect(Number(after.timestamp - before.timestamp)).toBeGreaterThanOrEqual(DAY);
    const seen = (await rpc("eth_call", { data: TIMESTAMP_CODE }, "latest")).result as string;
    expect(BigInt(seen)).toBeGreaterThanOrEqual(after.timestamp);
    const { result } = await call(network.url, { path: "/ext/firn", method: "firn.getStatus", params: {} });
    expect((result as { unixTime: number }).unixTime).toBeGreaterThanOrEqual(Number(after.timestamp));
    expect(await timeOfP()).toBeLessThanOrEqual((result as { unixTime: number }).unixTime);
  });

  test("gives the next block its time, whenever that block comes", async () => {
    const evm = client(mode);
    const { timestamp } = await evm.getBlock();
    const wanted = timestamp + 5_000n;
    await evm.setNextBlockTimestamp({ timestamp: wanted });
    await network.advanceTime(2n);
    await evm.mine({ blocks: 1 });
    expect((await evm.getBlock()).timestamp).toBe(wanted);
  });

  test("goes back to a snapshot once, with all chains", async () => {
    const evm = client(mode);
    const before = await evm.getBlock();
    const nonce = BigInt(await evm.getTransactionCount({ address: `0x${wallet.evmAddress}` }));
    const balance = await evm.getBalance({ address: RECEIVER });
    const id = await evm.snapshot();
    const later = await evm.snapshot();
    const hash = await pay(nonce);
    await evm.increaseTime({ seconds: DAY });
    expect(await evm.getBalance({ address: RECEIVER })).toBe(balance + 5n);
    expect(await rpc("evm_revert", id)).toMatchObject({ result: true });
    expect((await evm.getBlock()).hash).toBe(before.hash);
    expect(await evm.getBalance({ address: RECEIVER })).toBe(balance);
    expect((await fetch(`${network.url}/v1/chains/43112/transactions/${hash}`)).status).toBe(404);
    // both are used up, and their IDs do not come again
    for (const used of [id, later]) expect(await rpc("evm_revert", used)).toMatchObject({ result: false });
    expect([id, later]).not.toContain(await evm.snapshot());
    expect(await pay(nonce)).toMatch(/^0x/);
  });
});

test("C's first block is of the time of the first start, and so is what contracts see", async () => {
  // biome-ignore lint/plugin: a block cannot be of before, however slow the machine is
  const before = Math.floor(Date.now() / 1000);
  await using fresh = await startDevnet();
  const reply = await call(fresh.url, { path: "/ext/bc/C/rpc", method: "eth_getBlockByNumber", params: ["latest", false] });
  const { number, timestamp } = reply.result as { number: string; timestamp: string };
  expect(number).toBe("0x0");
  expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
  expect(Number(timestamp)).toBeLessThanOrEqual(fresh.now());
});

test("batches and WebSockets see a moved clock, too", async () => {
  const { result: before } = await rpc("eth_call", { data: TIMESTAMP_CODE });
  await network.advanceTime(DAY);
  const calls = ["latest", "pending"].map((block, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_call",
    params: [{ data: TIMESTAMP_CODE }, block],
  }));
  const body = JSON.stringify(calls);
  const response = await fetch(network.urls.C, { method: "POST", headers: { "content-type": "application/json" }, body });
  const overHttp = (await response.json()) as { result: string }[];
  const socket = new WebSocket(network.urls.cWebSocket);
  await once(socket, "open");
  socket.send(body);
  const [message] = (await once(socket, "message")) as [Buffer];
  socket.terminate();
  const overWebSocket = JSON.parse(message.toString()) as { result: string }[];
  for (const { result } of [...overHttp, ...overWebSocket]) expect(BigInt(result) - BigInt(before as string)).toBeGreaterThanOrEqual(DAY);
});

describe("mining", () => {
  const heights = async ({ url }: LocalNetwork, method = "firn.getStatus") => {
    const { result } = await call(url, { path: "/ext/firn", method, params: {} });
    return (result as { heights: Record<"P" | "X" | "C", string> }).heights;
  };

  test("makes a block of the C-chain, if only an empty one, and none of the others", async () => {
    await using fresh = await startDevnet();
    await fresh.mine();
    expect(await heights(fresh)).toEqual({ P: "0", X: "0", C: "1" });
    expect(await heights(fresh, "firn.mine")).toEqual({ P: "0", X: "0", C: "2" });
  });

  test("puts what waits into one block, and adds none", async () => {
    await using slow = await startDevnet({ blockTimeMs: 3_600_000 });
    const payer = new PlainWallet(slow, EWOQ_KEY);
    const hashes: unknown[] = [];
    for (const nonce of [0n, 1n]) hashes.push((await call(slow.url, payer.payInEvm(nonce, RECEIVER.slice(2), 5n, GAS_PRICE))).result);
    await slow.mine();
    expect((await heights(slow)).C).toBe("1");
    const { result } = await call(slow.url, { path: "/ext/bc/C/rpc", method: "eth_getBlockByNumber", params: ["latest", false] });
    expect((result as { transactions: string[] }).transactions).toEqual(hashes);
  });

  test("goes on for P and X without an EVM", async () => {
    await using without = await startDevnet({ hasEvm: false });
    expect(await heights(without, "firn.mine")).toEqual({ P: "0", X: "0", C: "0" });
  });
});

test("a snapshot that was made to be kept is kept", async () => {
  const { result } = await call(network.url, { path: "/ext/firn", method: "firn.snapshot", params: {} });
  const id = `0x${BigInt((result as { snapshotID: string }).snapshotID).toString(16)}`;
  for (let time = 0; time < 2; time++) expect(await rpc("evm_revert", id)).toMatchObject({ result: true });
});

test.each([
  ["evm_increaseTime", ["a day"], "the number of seconds must be a whole number"],
  ["evm_increaseTime", [-5], "the number of seconds must be a whole number"],
  ["evm_increaseTime", ["0x4000000000"], "the clock would show Unix time"],
  ["evm_setNextBlockTimestamp", [], "the time in Unix seconds must be a whole number"],
  ["evm_setNextBlockTimestamp", [1], "Timestamp 1 is lower than the previous block's timestamp"],
  ["hardhat_mine", ["0x401"], "the number of blocks must be a whole number from 0 to 1024"],
  ["hardhat_mine", [2, "0x4000000000"], "the clock would show Unix time"],
  ["evm_revert", [{}], "the ID of the snapshot must be a whole number"],
])("%s %j is refused: %s", async (method, params, text) => {
  expect((await rpc(method, ...params)).error?.message).toContain(text);
});

test("time that was moved, and blocks that were made, are there after a restart", async () => {
  await using kept = await startDevnet({ dataDirectory: scratchDirectory() });
  const ask = async (method: string, ...params: unknown[]) => (await call(kept.url, { path: "/ext/bc/C/rpc", method, params })).result;
  await ask("hardhat_mine", 2, DAY);
  const block = await ask("eth_getBlockByNumber", "latest", false);
  await kept.stop();
  await using again = await startDevnet({ dataDirectory: kept.dataDirectory });
  const { result } = await call(again.url, { path: "/ext/bc/C/rpc", method: "eth_getBlockByNumber", params: ["latest", false] });
  expect(result).toEqual(block);
});
