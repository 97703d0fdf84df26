/** Failed messages are counted by what an operator does about them: each kind is made by a node that really fails so. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import { evmChainIdentity } from "../../../src/evm/chain-identity.ts";
import { openUpstreamRpc, type UpstreamRpcSettings } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";
import { echo, refuseAll, type Script, startScriptedNode } from "./scripted-node.ts";

const log = pino({ level: "silent" });
const CALL = { method: "echo", params: [1] };

/** What is counted after one message, and whatever `then` does. */
async function errorsOf(script: Script, settings: Partial<UpstreamRpcSettings> = {}, then: (rpc: Upstreams) => void = () => {}) {
  const node = await startScriptedNode(script);
  const rpc = openUpstreamRpc({ urls: [node.url], log, ...settings });
  try {
    await rpc.requestAll([CALL], { attempts: 1 });
    then(rpc);
    return rpc.states()[0]!.errors;
  } finally {
    await rpc.close();
    await node.close();
  }
}

const status =
  (code: number): Script =>
  (_, response) =>
    void response.writeHead(code).end("no");
const error =
  (code: number, message: string): Script =>
  (calls, _, isBatch) =>
    refuseAll(calls, isBatch, { code, message });
const good: Script = (calls, _, isBatch) => echo(calls, isBatch);

test.each<[string, Script, Partial<UpstreamRpcSettings>, object]>([
  ["an answer", good, {}, {}],
  ["a refusal, which is an answer", error(3, "execution reverted"), {}, {}],
  ["no answer in time", () => {}, { timeoutMs: 20 }, { timeout: 1 }],
  ["status 429", status(429), {}, { rate_limited: 1 }],
  ["an error that says the same", error(-32005, "rate limit exceeded"), {}, { rate_limited: 1 }],
  ["status 503", status(503), {}, { server_error: 1 }],
  ["an error of a node that is starting", error(-32000, "node is syncing"), {}, { server_error: 1 }],
  ["status 403", status(403), {}, { status: 1 }],
  ["a web page", (_, response) => void response.end("<html>"), {}, { malformed: 1 }],
  ["an answer to another call", () => ({ jsonrpc: "2.0", id: 99, result: 1 }), {}, { malformed: 1 }],
  ["too much", (_, response) => void response.end(" ".repeat(2000)), { maxAnswerBytes: 1000 }, { too_large: 1 }],
  ["a broken connection", (_, response) => void response.destroy(), {}, { network: 1 }],
])("%s is counted once, by its kind", async (_, script, settings, expected) => {
  expect(await errorsOf(script, settings)).toEqual(expected);
});

test("a connection that nobody takes is refused, over HTTP and over a WebSocket", async () => {
  const port = await freePort();
  for (const protocol of ["http", "ws"]) {
    const rpc = openUpstreamRpc({ urls: [`${protocol}://127.0.0.1:${port}`], log });
    await rpc.requestAll([CALL], { attempts: 1 });
    expect({ protocol, errors: rpc.states()[0]!.errors }).toEqual({ protocol, errors: { connection_refused: 1 } });
    await rpc.close();
  }
});

test("what contradicts the chain, what the caller does not accept, and another chain are counted", async () => {
  expect(await errorsOf(good, {}, (rpc) => rpc.refuse(0, "its block 7 is another", { firstMs: 100, longestMs: 100 }))).toEqual({
    contradiction: 1,
  });
  const node = await startScriptedNode(good);
  const other = openUpstreamRpc({ urls: [node.url], log, identity: { ...evmChainIdentity, expected: "chain 7" } });
  await other.requestAll([CALL], { attempts: 1 });
  expect(other.states()[0]).toMatchObject({ state: "refused", errors: { other_network: 1 } });
  const strict = openUpstreamRpc({ urls: [node.url], log });
  const accept = () => {
    throw new Error("this cannot be");
  };
  await strict.requestAll([CALL], { attempts: 1, accept });
  expect(strict.states()[0]!.errors).toEqual({ malformed: 1 });
  await Promise.all([other.close(), strict.close()]);
  await node.close();
});

test("two URLs of one host have names of their own, without what may be secret", () => {
  const rpc = openUpstreamRpc({ urls: ["http://one.example/key-1", "http://one.example/key-2", "ws://one.example/key-3"], log });
  expect(rpc.states().map(({ name }) => name)).toEqual(["http://one.example", "http://one.example (2)", "ws://one.example"]);
});
