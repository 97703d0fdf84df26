/** Answers of a devnet's C-chain that a development EVM gives in other words, or makes up; and what it announces of blocks. */
import { once } from "node:events";
import { JsonRpcProvider, WebSocketProvider } from "ethers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";
import { eventually } from "../patience.ts";

let network: LocalNetwork;
let me: string;
const OTHER = `0x${"42".repeat(20)}`;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;

const evm = async (method: string, ...params: unknown[]) =>
  (await call(network.url, { path: "/ext/bc/C/rpc", method, params })) as Reply & { error?: { data?: string } };
const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
  const { result, error } = await evm(method, ...params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
};
const post = async (body: string) => {
  const options = { method: "POST", headers: { "content-type": "application/json" }, body };
  return (await fetch(network.urls.C, options)).text();
};
const send = (fields: object) => ask<string>("eth_sendTransaction", { from: me, ...fields });
const height = async () => Number(await ask("eth_blockNumber"));
const nonceOf = async () => Number(await ask("eth_getTransactionCount", me, "latest"));
interface Head {
  readonly number: string;
  readonly hash: string;
}

beforeAll(async () => {
  network = await startDevnet();
  [me] = (await ask<[string]>("eth_accounts")) as [string];
  for (let i = 0; i < 3; i++) await send({ to: OTHER, value: "0x1" });
});
afterAll(() => network?.stop());

test("logs of a range that ends before it begins are refused", async () => {
  const refused = { error: { code: -32000, message: "invalid block range params" } };
  expect(await evm("eth_getLogs", { fromBlock: "0x2", toBlock: "0x1" })).toMatchObject(refused);
  expect(await evm("eth_newFilter", { fromBlock: "0x2", toBlock: "0x1" })).toMatchObject(refused);
  expect(await ask("eth_getLogs", { fromBlock: "0x2", toBlock: "0x2" })).toEqual([]);
  // as in geth, 0 is not compared
  expect(await ask("eth_getLogs", { fromBlock: "0x2", toBlock: "0x0" })).toEqual([]);
});

test.each([undefined, {}, { tracer: "callTracer" }, { tracer: "prestateTracer" }])("genesis is not traceable, by %j", async (options) => {
  const refused = { error: { code: -32000, message: "genesis is not traceable" } };
  const { hash } = await ask<Head>("eth_getBlockByNumber", "0x0", false);
  expect(await evm("debug_traceBlockByNumber", "0x0", options)).toMatchObject(refused);
  expect(await evm("debug_traceBlockByNumber", "earliest", options)).toMatchObject(refused);
  expect(await evm("debug_traceBlockByHash", hash, options)).toMatchObject(refused);
  expect(await evm("debug_traceBlockByNumber", "0x1", options)).toHaveProperty("result");
});

describe("IDs", () => {
  const head = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":`;
  const given = ["1", "0", '"a"', '""', "1.5", "1e3", "-7", "18446744073709551616", "null", "true", '"\\u0061\\n"', '"\\ud800"', '"é"'];

  test.each(given)("%s comes back as it was sent, from Firn and from the EVM, by HTTP and WebSocket", async (id) => {
    const socket = new WebSocket(network.urls.cWebSocket);
    await once(socket, "open");
    for (const method of ["eth_chainId", "eth_baseFee", "net_version"]) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[]}`;
      expect(await post(body), method).toContain(head(id));
      expect(await post(`[${body}]`), method).toContain(head(id));
      socket.send(body);
      expect(String((await once(socket, "message"))[0]), method).toContain(head(id));
    }
    socket.close();
  });

  test("that are no values are refused, and others change nothing else of a call", async () => {
    const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}';
    for (const id of ["{}", "[1]"]) expect(await post(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)).toBe(refused);
    const { hash } = await ask<Head>("eth_getBlockByNumber", "0x1", false);
    const asked = `"method":"eth_getBlockByHash","params":["${hash}",false]`;
    const plain = await post(`{"jsonrpc":"2.0","id":1,${asked}}`);
    for (const id of ["1.5", '"\\u0061"']) {
      expect(await post(`{"jsonrpc":"2.0",${asked},"id":${id}}`)).toBe(plain.replace('"id":1,', () => `"id":${id},`));
    }
  });
});

/** Two bytes, hex. */
const two = (value: number) => hex(value).slice(2).padStart(4, "0");
/** Creation code of a contract with this code. */
const creationOf = (code: string) => `0x61${two(code.length / 2)}80600c6000396000f3${code}`;
/** Code that answers every call by reverting with these bytes. */
function reverting(data: string): string {
  const bytes = data.slice(2);
  const size = two(bytes.length / 2);
  return `61${size}61000f60003961${size}6000fd${bytes}`;
}
/** LOG1 of the topic 1, without data. */
const LOGGING = "600160006000a100";
const deploy = async (code: string) => {
  const hash = await send({ data: creationOf(code) });
  return (await ask<{ contractAddress: string }>("eth_getTransactionReceipt", hash)).contractAddress;
};
const word = (value: bigint | number) => value.toString(16).padStart(64, "0");

test.each([
  ["a contract's own error", `0x2a35a324${word(7n)}`, "execution reverted"],
  ["a long error of its own", `0x2a35a324${"ab".repeat(3000)}`, "execution reverted"],
  ["a reason", `0x08c379a0${word(32)}${word(2)}${"6e6f".padEnd(64, "0")}`, "execution reverted: no"],
  ["a panic", `0x4e487b71${word(0x11n)}`, "execution reverted: arithmetic underflow or overflow"],
])("a revert with %s has its data, and geth's message", async (_, data, message) => {
  const to = await deploy(reverting(data));
  for (const [method, ...more] of [["eth_call", "latest"], ["eth_estimateGas"]] as const) {
    expect(await evm(method, { from: me, to }, ...more), method).toMatchObject({ error: { code: 3, message, data } });
  }
});

test("transactions of types that the network does not have are refused", async () => {
  const refused = { error: { code: -32000, message: "transaction type not supported" } };
  for (const raw of ["0x03c0", "0x04c0", "0x05c0", "0x7fc0", "0x00c0"]) {
    expect(await evm("eth_sendRawTransaction", raw), raw).toMatchObject(refused);
  }
});

test("a transaction replaces another one for 10 % more of both its prices, not for less", async () => {
  const underpriced = { error: { code: -32000, message: "replacement transaction underpriced" } };
  await ask("evm_setAutomine", false);
  const nonce = hex(await nonceOf());
  const sent = (tip: number, fee: number) =>
    evm("eth_sendTransaction", {
      ...{ from: me, to: OTHER, value: "0x2", gas: "0x5208", nonce },
      ...{ maxPriorityFeePerGas: hex(tip * 10 ** 7), maxFeePerGas: hex(fee * 10 ** 9) },
    });
  const first = await sent(100, 100);
  for (const [tip, fee] of [
    [105, 105],
    [110, 109],
    [109, 110],
    [100, 200],
    [200, 100],
  ] as const) {
    expect(await sent(tip, fee), `${tip} ${fee}`).toMatchObject(underpriced);
  }
  const second = await sent(110, 110);
  expect(second).toHaveProperty("result");
  expect(await sent(120, 120)).toMatchObject(underpriced);
  await ask("evm_mine");
  await ask("evm_setAutomine", true);
  expect(await ask("eth_getTransactionReceipt", second.result)).toMatchObject({ status: "0x1" });
  expect(await ask("eth_getTransactionReceipt", first.result)).toBeNull();
  // of the next nonce, nothing waits
  await send({ to: OTHER, value: "0x1" });
});

test("the fee history is what the blocks say", async () => {
  const last = await height();
  const blocks = await Promise.all([last - 1, last].map((n) => ask<Record<string, string>>("eth_getBlockByNumber", hex(n), false)));
  expect(await ask("eth_feeHistory", "0x2", "latest", [0, 50])).toMatchObject({
    oldestBlock: hex(last - 1),
    baseFeePerGas: [...blocks.map(({ baseFeePerGas }) => baseFeePerGas), await ask("eth_baseFee")],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    reward: [
      [expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)],
      [expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)],
    ],
  });
  expect(await evm("eth_feeHistory", "0x1", "latest", [50, 10])).toMatchObject({ error: { code: -32000 } });
});

describe("what is announced of blocks", () => {
  /** By `eth_subscribe`, ethers over HTTP and WebSocket, and a filter that is polled. */
  async function listening() {
    const subscribed: string[] = [];
    const socket = new WebSocket(network.urls.cWebSocket);
    await once(socket, "open");
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
    await once(socket, "message");
    socket.on("message", (data) => subscribed.push(JSON.parse(String(data)).params.result.hash));
    const providers = [new JsonRpcProvider(network.urls.C), new WebSocketProvider(network.urls.cWebSocket)] as const;
    const heights: number[][] = [[], []];
    providers[0].pollingInterval = 10;
    for (const [i, provider] of providers.entries()) await provider.on("block", (number: number) => heights[i]!.push(number));
    await eventually(() => providers[0].getBlockNumber());
    const filter = await ask<string>("eth_newBlockFilter");
    const polled: string[] = [];
    return {
      ...{ subscribed, heights, polled },
      poll: async () => void polled.push(...(await ask<string[]>("eth_getFilterChanges", filter))),
      close: async () => {
        socket.close();
        await Promise.all(providers.map((provider) => provider.destroy()));
      },
    };
  }

  test("is every block that stays, once, and no other, whatever the order in which nonces come", async () => {
    const listener = await listening();
    const [start, first] = [await height(), await nonceOf()];
    const [order] = fc.sample(
      fc.shuffledSubarray(
        Array.from({ length: 40 }, (_, i) => i),
        { minLength: 40 },
      ),
      1,
    );
    for (const i of order!) {
      await send({ to: OTHER, value: "0x1", gas: "0x5208", nonce: hex(first + i) });
      if (i % 7 === 0) await listener.poll();
    }
    const end = await height();
    expect(await nonceOf()).toBe(first + 40);
    const hashes: string[] = [];
    for (let n = start + 1; n <= end; n++) hashes.push((await ask<Head>("eth_getBlockByNumber", hex(n), false)).hash);
    await eventually(() => listener.subscribed.length >= hashes.length && listener.heights.every((seen) => seen.includes(end)));
    await listener.poll();
    await listener.poll();
    expect(listener.polled).toEqual(hashes);
    expect(listener.subscribed).toEqual(hashes);
    expect(listener.heights[1]!.filter((n) => n > start)).toEqual(hashes.map((_, i) => start + 1 + i));
    await listener.close();
  });

  test("a filter of logs tells each log once, of its range and address alone, and of the new last block after a revert", async () => {
    const address = await deploy(LOGGING);
    const from = await height();
    const filters = {
      all: await ask<string>("eth_newFilter", { address }),
      range: await ask<string>("eth_newFilter", { address, fromBlock: hex(from + 2), toBlock: hex(from + 2) }),
      others: await ask<string>("eth_newFilter", { address: OTHER }),
    };
    const logs = async (id: string) =>
      (await ask<{ blockNumber: string }[]>("eth_getFilterChanges", id)).map(({ blockNumber }) => Number(blockNumber) - from);
    const fire = () => send({ to: address, gas: "0x186a0" });
    await fire();
    expect(await logs(filters.all)).toEqual([1]);
    await fire();
    await send({ to: OTHER, value: "0x1", nonce: hex((await nonceOf()) + 1) });
    await fire();
    expect([await logs(filters.all), await logs(filters.range), await logs(filters.others)]).toEqual([[2, 3], [2], []]);
    expect(await logs(filters.all)).toEqual([]);
    expect((await ask<unknown[]>("eth_getFilterLogs", filters.range)).length).toBe(1);
    const snapshot = await network.snapshot();
    await fire();
    await fire();
    expect((await logs(filters.all)).length).toBe(2);
    await network.revert(snapshot);
    await fire();
    expect((await logs(filters.all)).length).toBe(1);
    expect(await ask("eth_uninstallFilter", filters.all)).toBe(true);
    expect(await ask("eth_uninstallFilter", filters.all)).toBe(false);
    expect(await evm("eth_getFilterChanges", filters.all)).toHaveProperty("error");
    expect(await evm("eth_newFilter", { address: "0x12" })).toHaveProperty("error");
  });
});
