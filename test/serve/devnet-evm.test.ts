/** A devnet's C-chain with its real EVM behind the server: what clients are told is committed, and a dead child is reported. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { evmTips } from "../../src/chains/atomic/tables.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { findBinary } from "../../src/devnet/anvil/binary.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { eventually } from "../patience.ts";

const RECEIVER = "11".repeat(20);
const GAS_PRICE = 30_000_000_000n;

const directory = mkdtempSync(join(tmpdir(), "firn-evm-"));
/** without it no child can be started */
const evmBinary = join(directory, "anvil");

let network: LocalNetwork;
let wallet: PlainWallet;

beforeAll(async () => {
  symlinkSync(findBinary(), evmBinary);
  network = await startDevnet({ evmBinary });
  wallet = new PlainWallet(network, EWOQ_KEY);
});
afterAll(async () => {
  await network?.stop();
  rmSync(directory, { recursive: true });
});

const evm = async (method: string, params: unknown[] = []) =>
  (await call(network.url, { path: "/ext/bc/C/rpc", method, params })) as Reply & { result: string };
const firn = async (method: string) => (await call(network.url, { path: "/ext/firn", method: `firn.${method}`, params: {} })).result;
const committedHeight = async () => Number((await network.devnet.store.get(evmTips, { chainId: network.devnet.network.cChainId }))!.height);

async function healthOfC(): Promise<{ status: number; error: string | undefined }> {
  const response = await fetch(`${network.url}/ext/health`);
  const { checks } = (await response.json()) as { checks: { C: { error?: string } } };
  return { status: response.status, error: checks.C.error };
}

async function healthUntil(status: number): Promise<string | undefined> {
  const health = await eventually(async () => {
    const seen = await healthOfC();
    return seen.status === status && seen;
  });
  return health.error;
}

test("what was signed for another chain is refused in the node's words, and never waits", async () => {
  const account = privateKeyToAccount(`0x${Buffer.from(EWOQ_KEY).toString("hex")}`);
  const fields = { type: "legacy", nonce: 0, gas: 21_000n, gasPrice: GAS_PRICE, to: `0x${RECEIVER}`, value: 1n, chainId: 1 } as const;
  const { error } = await evm("eth_sendRawTransaction", [await account.signTransaction(fields)]);
  expect(error).toMatchObject({ code: -32_000, message: "invalid sender" });
  expect((await evm("txpool_status")).result).toEqual({ pending: "0x0", queued: "0x0" });
});

test("the newest block is final, and one past it does not exist, in the words of the C-chain since Helicon", async () => {
  const numberOf = async (tag: string) =>
    ((await evm("eth_getBlockByNumber", [tag, false])).result as unknown as { number: string }).number;
  const newest = await numberOf("latest");
  expect([await numberOf("safe"), await numberOf("finalized")]).toEqual([newest, newest]);
  const past = `0x${(BigInt(newest) + 1n).toString(16)}`;
  const address = `0x${RECEIVER}`;
  const questions: [method: string, params: unknown[]][] = [
    ["eth_getBalance", [address, past]],
    ["eth_getCode", [address, past]],
    ["eth_call", [{ to: address }, past]],
  ];
  const message = `block not found: not accepted yet: block ${BigInt(past)}`;
  for (const [method, params] of questions) expect((await evm(method, params)).error, method).toMatchObject({ code: -32_000, message });
  expect(await evm("eth_getBlockByNumber", [past, true])).toMatchObject({ result: null });
  expect(await evm("eth_getBlockByNumber", ["pending", false])).toEqual(await evm("eth_getBlockByNumber", ["latest", false]));
});

test.each(["foo_bar", "eth_nothing", "wallet_addEthereumChain", "personal_sign", "admin_peers"])("%s does not exist", async (method) => {
  const message = `the method ${method} does not exist/is not available`;
  expect((await evm(method)).error).toMatchObject({ code: -32_601, message });
});

test("a raw transaction is answered when its block is committed, and its receipt is there", async () => {
  const before = await committedHeight();
  const { params, txId } = wallet.payInEvm(0n, RECEIVER, 5n, GAS_PRICE);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params });
  const response = await fetch(network.urls.C, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  expect(await response.json()).toMatchObject({ result: txId });
  expect(response.headers.get("Firn-Height-C")).toBe(`${before + 1}`);
  expect(await committedHeight()).toBe(before + 1);
  expect((await evm("eth_getTransactionReceipt", [txId])).result).toMatchObject({
    status: "0x1",
    blockNumber: `0x${(before + 1).toString(16)}`,
  });
  expect((await evm("eth_getBalance", [`0x${RECEIVER}`, "latest"])).result).toBe("0x5");
});

test("a subscriber hears of no block before it is committed", async () => {
  const socket = new WebSocket(network.urls.cWebSocket);
  const heard: { number: number; committed: Promise<number> }[] = [];
  socket.on("message", (data) => {
    const { params } = JSON.parse(data.toString());
    if (params !== undefined) heard.push({ number: Number(params.result.number), committed: committedHeight() });
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
  await once(socket, "message");
  const first = await committedHeight();
  const payments = Array.from({ length: 20 }, (_, i) => wallet.payInEvm(BigInt(i + 1), RECEIVER, 1n, GAS_PRICE).params as unknown[]);
  for (const params of payments) await evm("eth_sendRawTransaction", params);
  const last = await committedHeight();
  while (heard.at(-1)?.number !== last) await once(socket, "message");
  expect(heard.map(({ number }) => number)).toEqual(Array.from({ length: last - first }, (_, i) => first + 1 + i));
  for (const { number, committed } of heard) expect(await committed).toBeGreaterThanOrEqual(number);
  socket.close();
});

test("what would part the EVM from the store is refused, and the store stays what it was", async () => {
  const before = await committedHeight();
  const { error } = await evm("anvil_reorg", [{ depth: 1, tx_block_pairs: [] }]);
  expect(error?.message).toBe("the method anvil_reorg does not exist/is not available");
  expect(Number((await evm("eth_blockNumber")).result)).toBe(before);
  expect((await evm("anvil_nodeInfo")).result).toHaveProperty("currentBlockNumber");
});

test("a child that dies shows in health and in the status until it is back, at the same block", async () => {
  expect(await healthUntil(200)).toBeUndefined();
  const block = (await evm("eth_getBlockByNumber", ["latest", false])).result;
  rmSync(evmBinary);
  process.kill(Number(readFileSync(join(network.dataDirectory, "c-chain", "pid"), "utf8")), "SIGKILL");
  expect(await healthUntil(503)).toBeTypeOf("string");
  symlinkSync(findBinary(), evmBinary);
  expect((await evm("eth_getBlockByNumber", ["latest", false])).result).toEqual(block);
  expect(await healthUntil(200)).toBeUndefined();
  expect(await firn("getStatus")).toMatchObject({ evm: { isUp: true } });
});
