/** The C-chain's own RPC of a devnet, over HTTP and WebSocket, with an EVM that a test controls. */

import { once } from "node:events";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { accessControl } from "../../src/api/access/access.ts";
import { KeyRing } from "../../src/api/access/key-ring.ts";
import { Ledger } from "../../src/api/access/ledger.ts";
import { ledgerMeter } from "../../src/api/access/meter.ts";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { UNLIMITED_WORK } from "../../src/base/work/work.ts";
import { EvmDownError } from "../../src/devnet/anvil/evm-error.ts";
import { devnetNetwork } from "../../src/devnet/devnet-network.ts";
import type { NetworkInstance, UpgradeName } from "../../src/network/network.ts";
import { EvmGateway } from "../../src/serve/evm/gateway.ts";
import { EvmWebSockets } from "../../src/serve/evm/sockets/web-sockets.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { echo, FakeEvm } from "./fake-evm.ts";
import { exchange, post, type SmallNode, startSmallNode } from "./small-node.ts";
import { smallNetwork } from "./small-store.ts";

const PATH = "/ext/bc/C/rpc";
const NOW = 1_800_000_000n;
const { network: local } = devnetNetwork({ now: NOW });
const UNSCHEDULED = 253_399_622_400n;

let evm: FakeEvm;
let node: SmallNode;
let gateway: EvmGateway;
let webSockets: EvmWebSockets;
const defects: unknown[] = [];
const free = () => {};

beforeAll(async () => {
  evm = await FakeEvm.start();
  gateway = new EvmGateway({
    evm,
    clock: () => NOW,
    get network() {
      return evm.network;
    },
    limits: DEFAULT_LIMITS,
    onDefect: (error) => defects.push(error),
  });
  webSockets = new EvmWebSockets({ limits: DEFAULT_LIMITS });
  node = await startSmallNode({
    evm: { answer: (...call) => gateway.answer(...call), accept: webSockets.acceptFor({ gateway, evm }) },
  });
});
beforeEach(() => {
  evm.network = local;
  evm.forwarded.length = 0;
  evm.reply = echo;
});
afterEach(() => expect(defects).toEqual([]));
afterAll(async () => {
  await Promise.all([webSockets.close(), node.remove()]);
  await evm.stop();
});

function without(...upgrades: UpgradeName[]): NetworkInstance {
  const times = { ...local.upgrades.times, ...Object.fromEntries(upgrades.map((name) => [name, UNSCHEDULED])) };
  return { ...local, upgrades: { ...local.upgrades, times } };
}

/** Texts as bodies have them. */
function latin1(id: unknown): unknown {
  return typeof id === "string" ? Buffer.from(id).toString("latin1") : id;
}

const rpc = async (body: string) => (await post(node.port, PATH, body)).body;
const call = (method: string, id: unknown = 1, params: unknown[] = []) => ({ jsonrpc: "2.0", id, method, params });
const result = async (method: string) => JSON.parse(await rpc(JSON.stringify(call(method)))).result;

describe("Over HTTP", () => {
  test("a body reaches the EVM as it was sent, and its answer the client", async () => {
    const body = '{ "jsonrpc":"2.0","id":123456789012345, "method":"eth_call","params":["ü€\\u00e9"]}';
    evm.reply = () => '{"jsonrpc":"2.0","id":123456789012345,"result":"✓"} ';
    const { status, headers, body: answer } = await post(node.port, PATH, body);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(evm.forwarded).toEqual([body]);
    expect(Buffer.from(answer, "latin1").toString()).toBe('{"jsonrpc":"2.0","id":123456789012345,"result":"✓"} ');
  });

  test.each([
    ["{", -32700, "parse error"],
    ["[]", -32600, "empty batch"],
    ["7", -32600, "invalid request"],
    ['{"jsonrpc":"2.0","method":5}', -32600, "invalid request"],
  ])("what is no call is refused in geth's words, and the EVM does not see it: %s", async (body, code, message) => {
    expect(JSON.parse(await rpc(body))).toEqual({ jsonrpc: "2.0", id: null, error: { code, message } });
    expect(evm.forwarded).toEqual([]);
  });

  test("a notification has no answer", async () => {
    expect(await rpc('{"jsonrpc":"2.0","method":"eth_blockNumber"}')).toBe("");
    expect(evm.forwarded).toHaveLength(1);
  });

  test.each(["/ext/bc/evm/rpc", "/ext/C/rpc", `/ext/bc/${formatId(smallNetwork.cChainId)}/rpc`])("%s is the same", async (path) => {
    expect((await post(node.port, path, JSON.stringify(call("eth_chainId")))).body).toContain('"result":"eth_chainId"');
  });

  test("GET and OPTIONS are as the node's, and a WebSocket's path wants one", async () => {
    const ask = (method: string, path: string) =>
      exchange(node.port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await ask("GET", PATH)).toMatchObject({ status: 200, body: "" });
    const options = await ask("OPTIONS", PATH);
    expect([options.status, options.headers.get("content-type"), options.body]).toEqual([200, "application/json", ""]);
    expect((await ask("PUT", PATH)).status).toBe(405);
    expect(await ask("GET", "/ext/bc/C/ws")).toMatchObject({ status: 400, body: "Bad Request\n" });
  });

  test("megabytes pass", async () => {
    const data = "ab".repeat(2_000_000);
    evm.reply = (body) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: body.length });
    expect(JSON.parse(await rpc(JSON.stringify(call("eth_call", 1, [data])))).result).toBeGreaterThan(data.length);
  });
});

describe("Answers that coreth has and the EVM has not", () => {
  test.each([
    [[], "0x1"],
    [["fortuna", "granite", "helicon"], "0x3b9aca00"],
    [["etna", "fortuna", "granite", "helicon"], "0x5d21dba00"],
  ] as [UpgradeName[], string][])("the base fee, before %j", async (later, fee) => {
    evm.network = without(...later);
    expect(await result("eth_baseFee")).toBe(fee);
    expect(evm.forwarded).toEqual([]);
  });

  test("the chain's rules, sorted, without Ethereum's upgrades that are not scheduled", async () => {
    const config = await result("eth_getChainConfig");
    expect(Object.keys(config)).toEqual(Object.keys(config).sort());
    expect(config).toMatchObject({
      chainId: 43112,
      daoForkSupport: true,
      londonBlock: 0,
      banffBlockTimestamp: 1607144400,
      cancunTime: 1607144400,
    });
    expect(Object.keys(config)).toHaveLength(31);
    evm.network = without("etna", "fortuna", "granite", "helicon");
    const older = await result("eth_getChainConfig");
    expect(older).toMatchObject({ etnaTimestamp: 253_399_622_400, shanghaiTime: 1607144400 });
    expect(older).not.toHaveProperty("cancunTime");
  });

  test("prices for the patient and the hasty: coreth's formula before Helicon, the newer one from then on", async () => {
    evm.network = without("helicon");
    evm.tip = "0x5d21dba00";
    expect(await result("eth_suggestPriceOptions")).toEqual({
      slow: { maxPriorityFeePerGas: "0x46c7cfe00", maxFeePerGas: "0x46c7cfe02" },
      normal: { maxPriorityFeePerGas: "0x4a817c800", maxFeePerGas: "0x4a817c802" },
      fast: { maxPriorityFeePerGas: "0x61c9f3680", maxFeePerGas: "0x61c9f3682" },
    });
    evm.network = local;
    evm.tip = "0x1";
    const cheapest = { maxPriorityFeePerGas: "0x1", maxFeePerGas: "0x3" };
    expect(await result("eth_suggestPriceOptions")).toEqual({ slow: cheapest, normal: cheapest, fast: cheapest });
  });
});

describe("A batch", () => {
  test("is answered in order, notifications not at all", async () => {
    const big = "123456789012345";
    const body = `[${[
      JSON.stringify(call("eth_chainId", "a")),
      JSON.stringify(call("eth_baseFee", "b")),
      '{"jsonrpc":"2.0","method":"eth_baseFee"}',
      '{"jsonrpc":"2.0","method":"eth_call"}',
      `{"jsonrpc":"2.0","id":${big},"method":"eth_call"}`,
      JSON.stringify(call("evm_mine", null)),
    ].join(",")}]`;
    evm.reply = (sent) => (sent.includes('"a"') ? '{"id":"a"}' : sent.includes(big) ? `{"id":${big}}` : "");
    const answer = await rpc(body);
    expect(answer).toContain(`{"id":"a"},{"jsonrpc":"2.0","id":"b","result":"0x1"},{"id":${big}},{"jsonrpc":"2.0","id":null,"error"`);
    expect(JSON.parse(answer)).toHaveLength(4);
  });

  test("of more values than a body may have is refused as a whole, before any of them becomes a call", async () => {
    const body = `[${"null,".repeat(DEFAULT_LIMITS.jsonValues)}null]`;
    const gateway = new EvmGateway({ evm, network: local, clock: () => 0n, limits: DEFAULT_LIMITS, onDefect: () => {} });
    expect((await gateway.read(body, UNLIMITED_WORK))?.list).toEqual([]);
    expect(JSON.parse(await rpc(body))).toMatchObject({ id: null, error: { code: -32600 } });
    const many = await gateway.read(`[${"null,".repeat(50_000)}null]`, UNLIMITED_WORK);
    expect(many?.list).toHaveLength(DEFAULT_LIMITS.batchCalls + 1);
    expect(evm.forwarded).toEqual([]);
  });

  test("of 5 MB is read in turns", async () => {
    let asked = 0;
    const work = { ...UNLIMITED_WORK, turn: () => void asked++ };
    await gateway.answer(`[${" ".repeat(1_000)}"${"a".repeat(5_000_000)}"${",null".repeat(50_000)}]`, () => {}, work);
    expect(asked).toBeGreaterThan(1_000);
  });

  test("of too many calls is refused in geth's words, with the first call's ID, and none of it is done", async () => {
    const calls = Array.from({ length: DEFAULT_LIMITS.batchCalls + 1 }, (_, id) => call("eth_chainId", id));
    const error = { code: -32600, message: "batch too large" };
    expect(JSON.parse(await rpc(JSON.stringify(calls)))).toEqual([{ jsonrpc: "2.0", id: 0, error }]);
    expect(evm.forwarded).toEqual([]);
  });

  test("whose answers are too large is refused from there on, in geth's words", async () => {
    const large = "a".repeat(DEFAULT_LIMITS.batchAnswerBytes / 2);
    evm.reply = (sent) => JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: large });
    const calls = [1, 2, 3, 4].map((id) => call("eth_getLogs", id));
    const answers = JSON.parse((await gateway.answer(JSON.stringify(calls), free)).toString());
    expect(answers.map(({ result, error }: { result?: string; error?: object }) => result?.length ?? error)).toEqual([
      large.length,
      large.length,
      { code: -32003, message: "response too large" },
      { code: -32003, message: "response too large" },
    ]);
    expect(evm.forwarded).toHaveLength(2);
  });
});

test("Every call of a batch that wants an answer gets its own, in order, whatever the batch is made of", async () => {
  const methods = fc.constantFrom("eth_call", "eth_chainId", "eth_baseFee", "eth_getChainConfig", "evm_mine", "anvil_nodeInfo");
  const ids = fc.oneof(fc.integer(), fc.string(), fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ method: methods, id: ids }), { minLength: 1, maxLength: 8 }), async (calls) => {
      const answer = await gateway.answer(Buffer.from(JSON.stringify(calls)).toString("latin1"), free);
      const answers = answer.length === 0 ? [] : JSON.parse(answer.toString("latin1"));
      const wanted = calls.filter(({ id }) => id !== undefined);
      expect(answers.map(({ id }: { id: unknown }) => id)).toEqual(wanted.map(({ id }) => latin1(id)));
      for (const [index, { method }] of wanted.entries()) {
        const { result, error } = answers[index];
        if (method === "evm_mine") expect(error.message).toBe("the method evm_mine does not exist/is not available");
        else if (method === "eth_baseFee") expect(result).toBe("0x1");
        else if (method === "eth_getChainConfig") expect(result.chainId).toBe(43112);
        else expect(result).toBe(method);
      }
    }),
    { numRuns: 200 },
  );
});

describe("Calls that would part the EVM from the network", () => {
  test.each([
    "evm_mine",
    "anvil_mine",
    "hardhat_mine",
    "evm_setAutomine",
    "evm_setIntervalMining",
    "anvil_setBalance",
    "anvil_addBalance",
    "anvil_dealERC20",
    "tenderly_setBalance",
    "evm_increaseTime",
    "evm_setNextBlockTimestamp",
    "evm_setTime",
    "evm_snapshot",
    "evm_revert",
    "anvil_reset",
    "anvil_loadState",
    "anvil_rollback",
    "hardhat_setNonce",
    "anvil_setCode",
    "anvil_setStorageAt",
    "anvil_setChainId",
    "anvil_impersonateAccount",
    "anvil_dropTransaction",
    "eth_sendUnsignedTransaction",
  ])("%s does not exist without a devnet, and the EVM does not see it", async (method) => {
    const { error } = JSON.parse(await rpc(JSON.stringify(call(method))));
    expect(error).toEqual({ code: -32601, message: `the method ${method} does not exist/is not available` });
    expect(evm.forwarded).toEqual([]);
  });

  test.each([
    "anvil_nodeInfo",
    "hardhat_metadata",
    "debug_traceTransaction",
    "txpool_content",
    "trace_block",
    "ots_getApiLevel",
    "eth_accounts",
  ])("%s only reads and passes", async (method) => {
    expect(await result(method)).toBe(method);
  });
});

test("Without an EVM every call is told so, in the form of its body", async () => {
  evm.reply = () => Promise.reject(new EvmDownError("the C-chain's EVM does not answer"));
  const error = { code: -32000, message: "the C-chain's EVM does not answer" };
  expect(JSON.parse(await rpc(JSON.stringify(call("eth_chainId", 7))))).toEqual({ jsonrpc: "2.0", id: 7, error });
  expect(JSON.parse(await rpc(JSON.stringify([call("eth_chainId", "x"), call("eth_baseFee", 2)])))).toEqual([
    { jsonrpc: "2.0", id: "x", error },
    { jsonrpc: "2.0", id: 2, result: "0x1" },
  ]);
});

describe("Over a WebSocket", () => {
  const open = async (path: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${node.port}${path}`);
    const received: string[] = [];
    socket.on("message", (data) => received.push(data.toString()));
    await once(socket, "open");
    const until = async (count: number) => {
      while (received.length < count) await once(socket, "message");
      return received.map((text) => JSON.parse(text));
    };
    return { socket, received, until, send: (message: unknown) => socket.send(JSON.stringify(message)) };
  };
  const block = (number: string) => ({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", result: { number } } });

  test.each(["/ext/bc/C/ws", PATH, "/ext/C/ws", `/ext/bc/${formatId(smallNetwork.cChainId)}/ws`])(
    "on %s calls are answered as over HTTP",
    async (path) => {
      const client = await open(path);
      client.send(call("eth_baseFee", 1));
      expect(await client.until(1)).toEqual([{ jsonrpc: "2.0", id: 1, result: "0x1" }]);
      client.send([call("eth_chainId", 2), call("evm_revert", 3)]);
      const [, answers] = await client.until(2);
      expect(answers).toEqual([
        { jsonrpc: "2.0", id: 2, result: "eth_chainId" },
        expect.objectContaining({ id: 3, error: expect.anything() }),
      ]);
      client.socket.close();
    },
  );

  test("subscriptions pass, and nothing of a block is told before it is committed", async () => {
    const client = await open("/ext/bc/C/ws");
    client.send(call("eth_subscribe", 5, ["newHeads"]));
    expect(await client.until(1)).toEqual([{ jsonrpc: "2.0", id: 5, result: "0x1" }]);
    evm.publish(block("0x1"));
    expect((await client.until(2))[1]).toEqual(block("0x1"));
    const commit = evm.seal();
    evm.publish(block("0x2"));
    evm.publish(block("0x3"));
    client.send(call("eth_baseFee", 6));
    expect((await client.until(3))[2].id).toBe(6);
    // what was told before would be here before a later answer
    client.send(call("eth_baseFee", 8));
    expect((await client.until(4))[3].id).toBe(8);
    commit();
    expect((await client.until(6)).slice(4)).toEqual([block("0x2"), block("0x3")]);
    client.send(call("eth_unsubscribe", 7, ["0x1"]));
    expect((await client.until(7))[6]).toEqual({ jsonrpc: "2.0", id: 7, result: true });
    client.socket.close();
  });

  test("a subscription in a batch is refused in a sentence", async () => {
    const client = await open(PATH);
    client.send([call("eth_subscribe", 1, ["logs"])]);
    expect((await client.until(1))[0].error.message).toBe("send eth_subscribe by itself, not in a batch");
    client.socket.close();
  });

  test("subscribers hear that the EVM was started anew; who only calls stays", async () => {
    const [subscriber, caller] = [await open("/ext/bc/C/ws"), await open("/ext/bc/C/ws")];
    subscriber.send(call("eth_subscribe", 1, ["newHeads"]));
    await subscriber.until(1);
    const closed = once(subscriber.socket, "close");
    evm.die();
    expect((await closed)[0]).toBe(1012);
    caller.send(call("eth_chainId"));
    await caller.until(1);
    caller.socket.close();
  });

  test("the Host is checked as everywhere", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${node.port}/ext/bc/C/ws`, { headers: { Host: "evil.example" } });
    const [error] = await once(socket, "error");
    expect(String(error)).toContain("403");
  });
});

test("A request that wishes for another protocol is served with what there is, its body too", async () => {
  const body = JSON.stringify(call("info.getNetworkID"));
  const head = `POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { status, body: answer } = await exchange(node.port, head + body);
  expect(status).toBe(200);
  expect(answer).toContain('"networkID":"1"');
  const both = `POST /ext/bc/C/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: ${body.length}\r\n\r\n`;
  expect((await exchange(node.port, both + body)).status).not.toBe(101);
  const elsewhere = "GET /ext/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n";
  expect((await exchange(node.port, elsewhere)).status).toBe(404);
});

test("A WebSocket message beyond its client's limit is answered with the error that clients know to try again after, call by call", async () => {
  const limits = { unauthenticated: { perMinute: 40 } };
  const meter = ledgerMeter(new Ledger(limits, () => 0));
  const keys = new KeyRing({ dataDirectory: scratchDirectory(), now: () => 0, onProblem: () => {} });
  const limited = await startSmallNode({
    nodeAccess: accessControl({ keys, requiresKey: false, limits, meter, now: () => 0 }),
    evm: { answer: (...call) => gateway.answer(...call), accept: webSockets.acceptFor({ gateway, evm }) },
  });
  const client = new WebSocket(`ws://127.0.0.1:${limited.port}/ext/bc/C/ws`);
  await once(client, "open");
  const ask = async (body: object) => {
    client.send(JSON.stringify(body));
    return JSON.parse((await once(client, "message"))[0].toString());
  };
  const call = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_call" });
  const refusal = (id: number) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32005, message: expect.stringContaining("20 of the 40 for this minute") },
  });
  expect(await ask(call(1))).not.toHaveProperty("error");
  expect(await ask([call(2), call(3)])).toEqual([refusal(2), refusal(3)]);
  expect(await ask(call(4))).not.toHaveProperty("error");
  client.close();
  await limited.remove();
});
