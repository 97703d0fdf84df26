import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { delay, eventually } from "../../patience.ts";
import { echo, refuseAll, type Script, type ScriptedNode } from "./scripted-node.ts";
import { calls, scriptedUpstreams } from "./scripted-upstreams.ts";

const { closing, node, open } = scriptedUpstreams();

const good: Script = (all, _, isBatch) => echo(all, isBatch);

function withoutChainId({ messages }: ScriptedNode): number {
  return messages.filter((message) => message[0]!.method !== "eth_chainId").length;
}

describe("one node", () => {
  test("gets several calls in one message, and answers are matched by their IDs", async () => {
    const backwards = await node((all, _, isBatch) => [echo(all, isBatch)].flat().reverse());
    const outcomes = await open([backwards]).requestAll(calls(50));
    expect(outcomes).toMatchObject(calls(50).map(({ params }) => ({ result: params })));
    expect(backwards.messages.length).toBe(1);
  });

  test("gets no larger messages than it takes", async () => {
    const small = await node((all, _, isBatch) =>
      all.length > 7 ? { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } } : echo(all, isBatch),
    );
    const rpc = open([small]);
    expect(await rpc.requestAll(calls(40))).toMatchObject(calls(40).map(({ params }) => ({ result: params })));
    const before = small.messages.length;
    await rpc.requestAll(calls(12));
    expect(small.messages.slice(before).every(({ length }) => length <= 7)).toBe(true);
  });

  test("gets one call per message if it takes no batches, after one attempt", async () => {
    const single = await node((all, _, isBatch) =>
      isBatch ? { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch requests are not supported" } } : echo(all, false),
    );
    const rpc = open([single]);
    expect(await rpc.requestAll(calls(20))).toMatchObject(calls(20).map(({ params }) => ({ result: params })));
    expect(single.messages.length).toBe(21);
    await rpc.requestAll(calls(20));
    expect(single.messages.length).toBe(41);
  });

  test("is asked for less at once when it says that it is too much, and for more when all is well", async () => {
    const limit = 3;
    const busy = { now: 0, refused: 0 };
    const limited = await node(async (all, response, isBatch) => {
      if (++busy.now > limit) {
        busy.now--;
        busy.refused++;
        response.writeHead(429, { "retry-after": "0" }).end();
        return undefined;
      }
      await delay(2);
      busy.now--;
      return echo(all, isBatch);
    });
    const rpc = open([limited], { maxConcurrency: 16 });
    const asked = await Promise.all(calls(300).map(({ method, params }) => rpc.request(method, params)));
    expect(asked).toEqual(calls(300).map(({ params }) => params));
    // additive increase: about one refusal per round of good answers, not one per call
    expect(busy.refused).toBeLessThan(100);
    expect(limited.mostAtOnce).toBeGreaterThan(1);
  });

  test("is asked again after 500s, cut answers, other people's answers and no JSON", async () => {
    let message = 0;
    const bad = await node((all, response, isBatch) => {
      switch (message++) {
        case 0:
          response.writeHead(500).end("oops");
          return undefined;
        case 1:
          response.writeHead(200, { "content-length": 1000 });
          response.write('{"jsonrpc"', () => response.destroy());
          return undefined;
        case 2:
          return echo(
            all.map((call) => ({ ...call, id: call.id + 1000 })),
            isBatch,
          );
        case 3:
          response.end('{"jsonrpc":"2.0","id');
          return undefined;
        default:
          return echo(all, isBatch);
      }
    });
    expect(await open([bad]).requestAll(calls(3))).toMatchObject(calls(3).map(({ params }) => ({ result: params })));
    expect(message).toBe(5);
  });

  test("whose refusal is final is not asked again; the refusal keeps its data", async () => {
    const reverting = await node((all, _, isBatch) =>
      refuseAll(all, isBatch, { code: 3, message: "execution reverted", data: "0x08c379a0" }),
    );
    await expect(open([reverting]).request("eth_call", [])).rejects.toMatchObject({
      code: "upstream-refused",
      rpcCode: 3,
      data: "0x08c379a0",
    });
    expect(reverting.messages.length).toBe(1);
  });

  test("that never answers is given up after a while; an API request does not wait as long", async () => {
    const silent = await node(() => undefined);
    const rpc = open([silent], { timeoutMs: 1000 });
    await expect(rpc.request("eth_blockNumber", [], { isInteractive: true })).rejects.toMatchObject({ code: "upstream-timeout" });
    expect(silent.messages.length).toBe(3);
  });

  test("that usually takes long is given the time", async () => {
    let answerMs = 400;
    const slow = await node(async (all, _, isBatch) => {
      await delay(answerMs);
      return echo(all, isBatch);
    });
    const rpc = open([slow], { firstTimeoutMs: 20 });
    expect(await rpc.request("echo", [1], { attempts: 12 })).toEqual([1]);
    const before = slow.messages.length;
    answerMs = 100;
    expect(await rpc.request("echo", [2], { attempts: 12 })).toEqual([2]);
    // without that knowledge 20, 40 and 80 ms would have been too short
    expect(slow.messages.length - before).toBeLessThan(3);
  });

  test("may send a bounded answer only", async () => {
    const long = await node((all, response) => {
      response.end(JSON.stringify({ jsonrpc: "2.0", id: all[0]!.id, result: "x".repeat(100_000) }));
      return undefined;
    });
    await expect(open([long], { maxAnswerBytes: 50_000 }).request("eth_call", [])).rejects.toMatchObject({ code: "upstream-too-large" });
    expect(await open([long], { maxAnswerBytes: 200_000 }).request("eth_call", [])).toHaveLength(100_000);
  });

  test("may send what the caller of one method takes, and gets as many calls per message afterwards", async () => {
    const long = await node((all, response, isBatch) => {
      if (all[0]!.method !== "debug_traceTransaction") return echo(all, isBatch);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: all[0]!.id, result: "x".repeat(100_000) }));
      return undefined;
    });
    const rpc = open([long]);
    const trace = { method: "debug_traceTransaction", params: [] };
    expect(await rpc.requestAll([{ ...trace, mostBytes: 200_000 }])).toMatchObject([{ result: "x".repeat(100_000) }]);
    expect(await rpc.requestAll([{ ...trace, mostBytes: 50_000 }])).toMatchObject([{ error: { code: "upstream-too-large" } }]);
    const before = long.messages.length;
    await rpc.requestAll(calls(20));
    expect(long.messages.length - before).toBe(1);
  });

  test("may pack its answer, which is no way around its bound", async () => {
    const packing = await node((all, response) => {
      const body = gzipSync(JSON.stringify({ jsonrpc: "2.0", id: all[0]!.id, result: "x".repeat(100_000) }));
      response.writeHead(200, { "content-encoding": "gzip" }).end(all[0]!.method === "cut" ? body.subarray(0, 50) : body);
      return undefined;
    });
    expect(await open([packing]).request("eth_call", [])).toHaveLength(100_000);
    await expect(open([packing], { maxAnswerBytes: 50_000 }).request("eth_call", [])).rejects.toMatchObject({ code: "upstream-too-large" });
    await expect(open([packing]).request("cut", [], { isInteractive: true })).rejects.toMatchObject({ code: "upstream-unavailable" });
  });

  test("is let go of when the caller gives up, and when the RPC is closed", async () => {
    const silent = await node(() => undefined);
    const giving = new AbortController();
    const given = open([silent]).request("eth_blockNumber", [], { signal: giving.signal });
    await eventually(() => silent.messages.length === 1);
    giving.abort();
    await expect(given).rejects.toMatchObject({ code: "upstream-aborted" });
    const rpc = open([silent]);
    const asked = rpc.request("eth_blockNumber", []);
    await eventually(() => silent.messages.length === 2);
    void rpc.close();
    await expect(asked).rejects.toMatchObject({ code: "upstream-unavailable" });
  });
});

/** Both ends of a connection are in this process: what one has sent, the other has read after some of them. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("Chains of a process share the memory for answers that limits give: what goes beyond is read on when others are done", async () => {
  const limits = { ...DEFAULT_LIMITS, upstreamAnswersBytes: 200_000 };
  const held = createServer();
  held.listen(0, "127.0.0.1");
  closing.push(async () => {
    held.close();
    held.closeAllConnections();
  });
  await once(held, "listening");
  const url = `http://127.0.0.1:${(held.address() as AddressInfo).port}`;
  const asked = async (name: string) => {
    const answered = open([{ url }], { limits }).request("eth_call", []);
    const [request, response] = (await once(held, "request")) as [IncomingMessage, ServerResponse];
    const { id } = (await json(request)) as { id: number };
    response.write(`{"jsonrpc":"2.0","id":${id},"result":"${"0".repeat(60_000)}`);
    return { response, ended: answered.then(() => done.push(name)) };
  };
  const done: string[] = [];
  const first = await asked("first");
  await turns();
  const second = await asked("second");
  second.response.end('"}');
  await turns();
  first.response.end('"}');
  await Promise.all([first.ended, second.ended]);
  expect(done).toEqual(["first", "second"]);
});

describe("several nodes", () => {
  test("are asked in the order of the operator as long as all is well", async () => {
    const [first, second] = [await node(good), await node(good)];
    const rpc = open([first, second]);
    for (let i = 0; i < 5; i++) await rpc.requestAll(calls(3));
    expect(withoutChainId(first)).toBe(5);
    expect(second.messages.length).toBe(0);
  });

  test("stand in for one that is down, which is asked again when it is back", async () => {
    let isDown = true;
    const flaky = await node((all, response, isBatch) => {
      if (!isDown) return echo(all, isBatch);
      response.writeHead(503).end();
      return undefined;
    });
    const steady = await node(good);
    const rpc = open([flaky, steady]);
    expect(await rpc.requestAll(calls(2))).toMatchObject([{ result: [0] }, { result: [1] }]);
    expect(withoutChainId(steady)).toBe(1);
    isDown = false;
    await eventually(async () => {
      await rpc.requestAll(calls(2));
      return withoutChainId(flaky) > 0;
    });
    const before = withoutChainId(steady);
    await rpc.requestAll(calls(2));
    expect(withoutChainId(steady)).toBe(before);
  });

  test("answer what others lack: methods, states, and what a caller does not accept", async () => {
    const poor = await node((all, _, isBatch) =>
      refuseAll(all, isBatch, { code: -32601, message: "the method debug_x does not exist/is not available" }),
    );
    const pruned = await node((all, _, isBatch) => refuseAll(all, isBatch, { code: -32000, message: "missing trie node 00" }));
    const lying = await node((all, _, isBatch) => {
      const replies = all.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x1" : "wrong" }));
      return isBatch ? replies : replies[0];
    });
    const honest = await node(good);
    const rpc = open([poor, pruned, lying, honest]);
    const accept = (outcomes: readonly unknown[]) => {
      if (JSON.stringify(outcomes).includes("wrong")) throw new Error("that cannot be");
    };
    expect(await rpc.requestAll(calls(3), { accept })).toMatchObject(calls(3).map(({ params }) => ({ result: params })));
    // what a node lacks for good is not asked of it again
    const before = poor.messages.length;
    await rpc.requestAll(calls(3), { accept });
    expect(poor.messages.length).toBe(before);
  });

  test("are all refused in one way only if all refuse", async () => {
    const nodes = [await node((all, _, isBatch) => refuseAll(all, isBatch, { code: -32601, message: "no such method" })), await node(good)];
    expect(await open(nodes).request("echo", [7])).toEqual([7]);
    await expect(open([nodes[0]!, nodes[0]!]).request("echo", [7])).rejects.toMatchObject({ code: "upstream-unsupported" });
    expect(nodes[0]!.messages.filter(([call]) => call!.method === "echo").length).toBe(3);
  });

  test.each(["from the start", "later"])("do not refuse for one that is out of reach %s: it may have what they lack", async (when) => {
    let isDown = when === "from the start";
    const able = await node((all, response, isBatch) => {
      if (!isDown) return echo(all, isBatch);
      response.writeHead(502).end();
      return undefined;
    });
    const poor = await node((all, _, isBatch) => refuseAll(all, isBatch, { code: -32601, message: "no such method" }));
    const rpc = open([poor, able]);
    if (!isDown) expect(await rpc.request("echo", [1])).toEqual([1]);
    isDown = true;
    await expect(rpc.request("echo", [1], { isInteractive: true })).rejects.toMatchObject({ code: "upstream-unavailable" });
    isDown = false;
    expect(await rpc.request("echo", [1])).toEqual([1]);
  });

  test("that are of another chain than the first are not asked", async () => {
    let isDown = false;
    const right = await node((all, response, isBatch) => {
      if (!isDown) return echo(all, isBatch);
      response.writeHead(500).end();
      return undefined;
    });
    const other = await node((all) => ({ jsonrpc: "2.0", id: all[0]!.id, result: "0x2" }));
    const rpc = open([right, other]);
    await rpc.request("echo", [1]);
    isDown = true;
    await expect(rpc.request("echo", [1], { isInteractive: true })).rejects.toMatchObject({ code: "upstream-unavailable" });
    expect(withoutChainId(other)).toBe(0);
  });

  test("that were of another chain are asked what they are of again, and used when they are of this one", async () => {
    let answersToOther = 0;
    const right = await node((all, response, isBatch) => {
      if (answersToOther === 0) return echo(all, isBatch);
      response.writeHead(500).end();
      return undefined;
    });
    // the answer of another chain's node for a while
    const mixed = await node((all, _, isBatch) =>
      ++answersToOther > 2 ? echo(all, isBatch) : { jsonrpc: "2.0", id: all[0]!.id, result: "0x2" },
    );
    const rpc = open([right, mixed]);
    await rpc.request("echo", [1]);
    answersToOther = 1;
    await expect.poll(() => rpc.request("echo", [2], { isInteractive: true }).catch(() => undefined)).toEqual([2]);
    expect(answersToOther).toBeGreaterThan(3);
  });
});
