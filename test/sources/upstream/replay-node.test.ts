import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readJson, readLines } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import type { Fault } from "./replay-faults.ts";
import { ReplayNode } from "./replay-node.ts";
import { METHODS } from "./replayed-methods.ts";
import { readReplayedNetwork } from "./replayed-network.ts";

interface Recorded {
  readonly path: string;
  readonly method: string;
  readonly params?: unknown;
  readonly response: { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } };
}

let node: ReplayNode;
beforeAll(async () => {
  node = await ReplayNode.start({ recording: recordingFolder("live-1") });
});
beforeEach(() => {
  node.fault = () => undefined;
  node.hasIndex = true;
  node.hasEvmRpc = true;
  node.releaseAll();
});
afterAll(() => node.stop());

async function post(path: string, body: unknown): Promise<{ status: number; text: string; retryAfter: string | null }> {
  const response = await fetch(node.url + path, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
}

async function ask(path: string, method: string, params?: unknown): Promise<Recorded["response"]> {
  return JSON.parse((await post(path, { jsonrpc: "2.0", id: 1, method, params })).text);
}

const heightOf = async (path: string, method: string) => ((await ask(path, method, {})).result as { height: string }).height;
const evm = (method: string, ...params: unknown[]) => ask("/ext/bc/C/rpc", method, params);

describe("A replayed node", () => {
  test("answers what the node answered to every recorded request that a follower makes", async () => {
    const { requests } = readJson<{ requests: Recorded[] }>(recordingFolder("live-1"), "checkpoints/001-final.json");
    const asked = requests.filter(
      ({ path, method, params, response }) => METHODS[path]?.[method] !== undefined && isWellFormed(params, response),
    );
    for (const { path, method, params, response } of asked) {
      expect({ path, method, params, response: await ask(path, method, params) }).toEqual({ path, method, params, response });
    }
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(Object.values(METHODS).flatMap(Object.keys)));
    expect(asked.length).toBeGreaterThan(300);
  });

  test("has blocks up to the heights that are released", async () => {
    node.release({ P: 10n, X: 0n, C: 3n });
    expect(await heightOf("/ext/bc/P", "platform.getHeight")).toBe("10");
    expect((await ask("/ext/bc/P", "platform.getBlockByHeight", { height: 11 })).error).toEqual({
      ...{ code: -32_000, message: "couldn't get block at height 11: not found", data: null },
    });
    expect((await ask("/ext/index/X/block", "index.getLastAccepted", {})).error?.message).toBe("no containers have been accepted");
    expect((await ask("/ext/index/P/block", "index.getContainerRange", { startIndex: 10, numToFetch: 5 })).error?.message).toBe(
      "start index (10) > last accepted index (9)",
    );
    expect((await evm("eth_blockNumber")).result).toBe("0x3");
    expect(await evm("eth_getBlockByNumber", "0x4", true)).toMatchObject({
      error: { code: -32_000, message: "cannot query unfinalized data" },
    });
    expect(await evm("debug_getRawBlock", "0x1")).toMatchObject({
      error: { code: -32_601, message: "the method debug_getRawBlock does not exist/is not available" },
    });
    expect(node.releaseNext()).toBe(true);
    expect(node.heights).toEqual({ P: 11n, X: 1n, C: 4n });
    node.releaseAll();
    expect(node.heights).toEqual({ P: 269n, X: 272n, C: 150n });
    expect(node.releaseNext()).toBe(false);
  });

  test("shows the C-chain's blocks as the node does, whole and with hashes", async () => {
    const [, , , recorded] = [
      ...readLines<{ block: { hash: string; transactions: { hash: string }[] } }>(recordingFolder("live-1"), "blocks/C.jsonl"),
    ];
    const { block } = recorded!;
    expect((await evm("eth_getBlockByNumber", "0x3", true)).result).toEqual(block);
    const withHashes = { ...block, transactions: block.transactions.map(({ hash }) => hash) };
    expect((await evm("eth_getBlockByHash", block.hash, false)).result).toEqual(withHashes);
    expect((await evm("eth_getBlockByNumber", "latest", false)).result).toMatchObject({ number: "0x96" });
    expect((await evm("eth_getBlockByNumber", "earliest", false)).result).toMatchObject({ number: "0x0" });
    const batch = await post("/ext/bc/C/rpc", [
      { jsonrpc: "2.0", id: 1, method: "eth_chainId" },
      { jsonrpc: "2.0", id: 2, method: "net_version" },
    ]);
    expect(JSON.parse(batch.text)).toEqual([
      { jsonrpc: "2.0", id: 1, result: "0xa868" },
      { jsonrpc: "2.0", id: 2, result: "12345" },
    ]);
  });

  test("may be without an index or without the C-chain's RPC", async () => {
    node.hasIndex = false;
    node.hasEvmRpc = false;
    for (const path of ["/ext/index/P/block", "/ext/index/X/tx", "/ext/bc/C/rpc", "/ext/index/P/tx", "/elsewhere"]) {
      expect(await post(path, { jsonrpc: "2.0", id: 1, method: "x" })).toMatchObject({ status: 404, text: "404 page not found\n" });
    }
    expect(await heightOf("/ext/bc/X", "avm.getHeight")).toBe("272");
  });

  test("tells subscribers of the C-chain's new heads", async () => {
    node.release({ C: 5n });
    const client = new WebSocket(`${node.url.replace("http", "ws")}/ext/bc/C/ws`);
    await once(client, "open");
    client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    const next = async () => JSON.parse(String((await once(client, "message"))[0]));
    expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" });
    const head = next();
    node.release({ C: 6n });
    const { params } = await head;
    expect(params).toMatchObject({ subscription: "0x1", result: { number: "0x6" } });
    expect(params.result).not.toHaveProperty("transactions");
    client.close();
  });

  test.each([
    [
      { kind: "status", status: 429, retryAfterSeconds: 3 },
      { status: 429, retryAfter: "3" },
    ],
    [
      { kind: "status", status: 500, body: "no" },
      { status: 500, text: "no" },
    ],
    [
      { kind: "delay", ms: 1 },
      { status: 200, text: '{"jsonrpc":"2.0","result":{"height":"269"},"id":1}\n' },
    ],
    [{ kind: "behind", blocks: 9n }, { text: '{"jsonrpc":"2.0","result":{"height":"260"},"id":1}\n' }],
    [{ kind: "corrupt", at: 0.8 }, { text: '{"jsonrpc":"2.0","result":{"height":"2697},"id":1}\n' }],
    [{ kind: "change", answer: (body) => body.replace("269", "1000") }, { text: '{"jsonrpc":"2.0","result":{"height":"1000"},"id":1}\n' }],
  ] as [Fault, object][])("fails as a test says: %o", async (fault, expected) => {
    node.fault = ({ path }) => (path === "/ext/bc/P" ? fault : undefined);
    expect(await post("/ext/bc/P", { jsonrpc: "2.0", id: 1, method: "platform.getHeight" })).toMatchObject(expected);
    expect(await heightOf("/ext/bc/X", "avm.getHeight")).toBe("272");
  });

  test.each(["drop", "truncate"] as const)("may end the connection: %s", async (kind) => {
    node.fault = () => ({ kind });
    await expect(post("/ext/bc/P", { jsonrpc: "2.0", id: 1, method: "platform.getHeight" })).rejects.toThrow(TypeError);
  });

  test.each(["eras-1", "latest-1", "scale-1"] as const)("can replay %s", async (name) => {
    const { chains } = readReplayedNetwork(recordingFolder(name));
    for (const blocks of Object.values(chains))
      for (const { container } of blocks.slice(1)) expect(container?.bytes.length).toBeGreaterThan(90);
  });
});

const NAMES = new Set(["height", "encoding", "blockID", "startIndex", "numToFetch", "index", "alias", "chain"]);

/** As a follower would ask: the node's refusals of arguments that cannot be read, and its other spellings, are not the subject. */
function isWellFormed(params: unknown, { error }: Recorded["response"]): boolean {
  if (error?.message.startsWith("couldn't unmarshal an argument") || Array.isArray(params)) return false;
  if (typeof (params ?? {}) !== "object") return false;
  return Object.entries(params ?? {}).every(([name, value]) => {
    if (name === "encoding") return ["hex", "hexnc", "json"].includes(value);
    return NAMES.has(name) && value !== null && (typeof value !== "number" || Number.isSafeInteger(value));
  });
}
