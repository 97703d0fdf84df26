/** A devnet that settles blocks as the C-chain does, in every method that names a block, and methods that Avalanche's nodes add to geth's. */
import { once } from "node:events";
import { JsonRpcProvider, Wallet, ZeroAddress } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";

const RECEIVER = "11".repeat(20);
const WHO = `0x${RECEIVER}`;
const GAS_PRICE = 30_000_000_000n;
const TRACER = { tracer: "callTracer" };
/** LOG0 of nothing */
const LOGS = "0x60006000a0";

let network: LocalNetwork;
let wallet: PlainWallet;
let nonce = 0n;

const evm = async (method: string, ...params: unknown[]) =>
  (await call(network.url, { path: "/ext/bc/C/rpc", method, params })) as Reply & { result: Record<string, string> & string };
const pay = async () => {
  const { params, txId } = wallet.payInEvm(nonce++, RECEIVER, 1n, GAS_PRICE);
  await evm("eth_sendRawTransaction", ...(params as unknown[]));
  return txId;
};

describe("with settlement", () => {
  beforeAll(async () => {
    network = await startDevnet({ settlement: true });
    wallet = new PlainWallet(network, EWOQ_KEY);
    nonce = 0n;
    for (let block = 0; block < 8; block++) {
      await network.advanceTime(2);
      await pay();
    }
  });
  afterAll(() => network?.stop());

  const newest = async () => BigInt((await evm("eth_blockNumber")).result);

  test("safe and finalized are what the newest block settles, some blocks behind it", async () => {
    const [block, height] = [(await evm("eth_getBlockByNumber", "latest", false)).result, await newest()];
    expect(BigInt(block.number!)).toBe(height);
    for (const tag of ["safe", "finalized"]) {
      const { result } = await evm("eth_getBlockByNumber", tag, false);
      expect(result.number).toBe(block.settledHeight);
      expect([2n, 3n]).toContain(height - BigInt(result.number!));
    }
  });

  test("every method that names a block means that one, whoever asks", async () => {
    const { settledHeight: settled } = (await evm("eth_getBlockByNumber", "latest", false)).result;
    const calls = (block: unknown): [method: string, ...params: unknown[]][] => [
      ["eth_getBlockByNumber", block, true],
      ["eth_getHeaderByNumber", block],
      ["eth_getBlockReceipts", block],
      ["eth_getBlockTransactionCountByNumber", block],
      ["eth_getTransactionByBlockNumberAndIndex", block, "0x0"],
      ["eth_getBalance", WHO, block],
      ["eth_getBalance", WHO, { blockNumber: block }],
      ["eth_getTransactionCount", `0x${wallet.evmAddress}`, block],
      ["eth_getStorageAt", WHO, "0x0", block],
      ["eth_getProof", WHO, [], block],
      // the block's number
      ["eth_call", { data: "0x4360005260206000f3" }, block],
      ["eth_callDetailed", { data: "0x4360005260206000f3" }, block],
      ["eth_estimateGas", { to: WHO }, block],
      ["eth_feeHistory", "0x2", block, []],
      ["eth_getLogs", { fromBlock: block, toBlock: block }],
      ["debug_traceBlockByNumber", block, TRACER],
      ["debug_traceCall", { data: "0x4360005260206000f3" }, block, TRACER],
      ["debug_getRawBlock", block],
      ["trace_block", block],
    ];
    const [byNumber, byTag] = [calls(settled), calls("finalized")];
    for (const [index, [method, ...params]] of byTag.entries()) {
      const [, ...numbered] = byNumber[index]!;
      const answer = await evm(method, ...params);
      expect(answer, method).toHaveProperty("result");
      expect(answer, method).toEqual(await evm(method, ...numbered));
    }
    const socket = new WebSocket(network.urls.cWebSocket);
    await once(socket, "open");
    // also where JSON spells the tag in another way
    socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["s\\u0061fe",false]}');
    expect(JSON.parse(String((await once(socket, "message"))[0])).result.number).toBe(settled);
    socket.close();
  });

  test("logs of blocks that are not settled are not in a range that ends with the settled one", async () => {
    expect(await evm("eth_sendTransaction", { from: `0x${wallet.evmAddress}`, data: LOGS })).toHaveProperty("result");
    nonce++;
    const logs = async (toBlock: string) => (await evm("eth_getLogs", { fromBlock: "0x0", toBlock })).result.length;
    expect([await logs("latest"), await logs("safe")]).toEqual([1, 0]);
    for (let block = 0; block < 4; block++) {
      await network.advanceTime(3);
      await pay();
    }
    expect([await logs("latest"), await logs("safe")]).toEqual([1, 1]);
  });

  test("a revert takes the settled block back, too", async () => {
    const before = (await evm("eth_getBlockByNumber", "safe", false)).result;
    const snapshot = await network.snapshot();
    const sent = nonce;
    await network.advanceTime(100);
    await pay();
    expect((await evm("eth_getBlockByNumber", "safe", false)).result.number).not.toBe(before.number);
    await network.revert(snapshot);
    nonce = sent;
    expect((await evm("eth_getBlockByNumber", "safe", false)).result).toEqual(before);
  });
});

describe("methods that nodes of the C-chain add", () => {
  beforeAll(async () => {
    network = await startDevnet();
    wallet = new PlainWallet(network, EWOQ_KEY);
    nonce = 0n;
  });
  afterAll(() => network?.stop());

  test.each([
    ["succeeds", "0x60016000526001601ff3", { errCode: 0, err: "", returnData: "0x01" }],
    ["reverts with nothing", "0x60006000fd", { errCode: 3, err: "execution reverted", returnData: "0x" }],
    ["reverts with bytes", "0x60ff60005260206000fd", { errCode: 3, err: "execution reverted", returnData: `0x${"ff".padStart(64, "0")}` }],
    ["runs into an opcode that does not exist", "0xfe", { errCode: 0, err: "invalid opcode: INVALID", returnData: "0x" }],
    ["has too little gas", "0x5b600056", { gas: 131_072, errCode: 0, err: "out of gas", returnData: "0x" }],
  ])("eth_callDetailed tells how a call goes that %s", async (_, data, expected) => {
    const { result } = await evm("eth_callDetailed", { from: `0x${wallet.evmAddress}`, data, gas: "0x20000" }, "latest");
    expect(result).toMatchObject(expected);
    expect(Object.keys(result)).toEqual(["gas", "errCode", "err", "returnData"]);
  });

  test("eth_callDetailed counts the gas of a payment, knows overrides, and names a reason", async () => {
    expect((await evm("eth_callDetailed", { to: WHO }, "latest")).result).toEqual({ gas: 21_000, errCode: 0, err: "", returnData: "0x" });
    // Error("no")
    const reason = `08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`;
    const length = reason.length / 2;
    const code = `0x60${length.toString(16)}600c60003960${length.toString(16)}6000fd${reason}`;
    const { result } = await evm("eth_callDetailed", { to: WHO }, "latest", { [WHO]: { code } });
    expect(result).toMatchObject({ errCode: 3, err: "execution reverted: no", returnData: `0x${reason}` });
    expect((await evm("eth_callDetailed", { to: WHO })).error).toMatchObject({
      code: -32602,
      message: "missing value for required argument 1",
    });
    const message = "block not found: not accepted yet: block 99";
    expect((await evm("eth_callDetailed", { to: WHO }, "0x63")).error).toMatchObject({ code: -32000, message });
  });

  test("txpool_contentFrom shows an account's own transactions", async () => {
    const { params, txId } = wallet.payInEvm(nonce + 5n, RECEIVER, 1n, GAS_PRICE);
    expect((await evm("eth_sendRawTransaction", ...(params as unknown[]))).result).toBe(txId);
    const { result } = await evm("txpool_contentFrom", `0x${wallet.evmAddress.toUpperCase()}`);
    expect(result).toMatchObject({ pending: {}, queued: { [`${nonce + 5n}`]: { hash: txId } } });
    expect((await evm("txpool_contentFrom", WHO)).result).toEqual({ pending: {}, queued: {} });
    expect((await evm("txpool_contentFrom", "nobody")).error?.code).toBe(-32602);
  });

  test("eth_subscribe tells the transactions of accepted blocks, by their hashes or whole, until it is ended", async () => {
    const socket = new WebSocket(network.urls.cWebSocket);
    await once(socket, "open");
    const heard: { subscription: string; result: unknown }[] = [];
    const answers: { id: number; result: string }[] = [];
    socket.on("message", (data) => {
      const { params, ...answer } = JSON.parse(String(data));
      if (params === undefined) answers.push(answer);
      else heard.push(params);
    });
    const ask = async (id: number, method: string, ...params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      while (!answers.some((answer) => answer.id === id)) await once(socket, "message");
      return answers.find((answer) => answer.id === id)!.result;
    };
    const hashes = await ask(1, "eth_subscribe", "newAcceptedTransactions");
    const whole = await ask(2, "eth_subscribe", "newAcceptedTransactions", true);
    const heads = await ask(3, "eth_subscribe", "newHeads");
    const hash = await pay();
    while (heard.length < 3) await once(socket, "message");
    const of = (subscription: string) => heard.filter((one) => one.subscription === subscription).map(({ result }) => result);
    expect(of(hashes)).toEqual([hash]);
    expect(of(whole)).toEqual([(await evm("eth_getTransactionByHash", hash)).result]);
    expect(of(heads)).toMatchObject([{ number: (await evm("eth_blockNumber")).result }]);
    expect([await ask(4, "eth_unsubscribe", hashes), await ask(5, "eth_unsubscribe", whole)]).toEqual([true, true]);
    await pay();
    while (of(heads).length < 2) await once(socket, "message");
    expect([of(hashes).length, of(whole).length]).toEqual([1, 1]);
    socket.close();
  });
});

test.each([0n, -1n, 2n ** 64n, 5 as unknown as bigint])("a minimum price of %s is refused", async (minGasPrice) => {
  await expect(startDevnet({ minGasPrice })).rejects.toThrow(/^minGasPrice is .*; use a bigint of wei from 1n to 2n \*\* 64n - 1n/);
});

test("a client that takes the base fee from the newest block pays the price with which a new network begins", async () => {
  const network = await startDevnet({ minGasPrice: 25_000_000_000n });
  const provider = new JsonRpcProvider(`${network.url}/ext/bc/C/rpc`);
  try {
    const receipt = await new Wallet(`0x${EWOQ_KEY.toString("hex")}`, provider)
      .sendTransaction({ to: ZeroAddress, value: 1n })
      .then((sent) => sent.wait());
    expect(receipt!.blockNumber).toBe(2);
    expect(receipt!.gasPrice).toBeGreaterThanOrEqual(25_000_000_000n);
  } finally {
    provider.destroy();
    await network.stop();
  }
});
