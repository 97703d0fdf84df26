/** Nodes, and services before them, that refuse batches or allow few calls, each in its own words. */
import { describe, expect, test } from "vitest";
import { echo, type Script, type ScriptedCall } from "./scripted-node.ts";
import { scriptedUpstreams } from "./scripted-upstreams.ts";

const { node, open } = scriptedUpstreams();

const COUNT = 30;
const calls = Array.from({ length: COUNT }, (_, i) => ({ method: "eth_getBlockByNumber", params: [`0x${i}`] }));
const answers = calls.map(({ params }) => ({ result: params }));

type Refuse = (calls: readonly ScriptedCall[], status: (code: number, body: string) => undefined) => unknown;

/** @param most calls in a message that it takes */
function refusing(refuse: Refuse, most = 1): Script {
  return (all, response, isBatch) => {
    if (all.length <= most) return echo(all, isBatch);
    return refuse(all, (code, body) => {
      response.writeHead(code, { "content-type": "text/plain" }).end(body);
      return undefined;
    });
  };
}

const entries = (all: readonly ScriptedCall[], good: number, error: { code: number; message: string }) =>
  all.map(({ id, params }, i) => ({ jsonrpc: "2.0", id, ...(i < good ? { result: params } : { error }) }));

const REFUSALS: readonly (readonly [string, Refuse])[] = [
  ["400 in plain text", (_, status) => status(400, "Bad request")],
  ["403 in plain text", (_, status) => status(403, "forbidden")],
  ["500 in plain text", (_, status) => status(500, "oops")],
  ["200 in plain text", (_, status) => status(200, "one at a time, please")],
  ["one error in unknown words", () => ({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "not on this plan" } })],
  ["every entry, in unknown words", (all) => entries(all, 0, { code: -32000, message: "not on this endpoint" })],
  ["every entry, as an internal error", (all) => entries(all, 0, { code: -32603, message: "internal error" })],
];

describe("a node that refuses batches", () => {
  test.each(REFUSALS)("is asked call by call: %s", async (_, refuse) => {
    const single = await node(refusing(refuse));
    const rpc = open([single]);
    expect(await rpc.requestAll(calls)).toMatchObject(answers);
    expect(rpc.states()[0]).toMatchObject({ state: "used", reason: "it takes one call in a message" });
    const before = single.messages.length;
    expect(await rpc.requestAll(calls)).toMatchObject(answers);
    expect(single.messages.slice(before).every(({ length }) => length === 1)).toBe(true);
  });

  test.each(REFUSALS)("gets as many calls in a message as it takes: %s", async (_, refuse) => {
    const small = await node(refusing(refuse, 7));
    const rpc = open([small]);
    expect(await rpc.requestAll(calls)).toMatchObject(answers);
    const before = small.messages.length;
    expect(await rpc.requestAll(calls)).toMatchObject(answers);
    const sizes = small.messages.slice(before).map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7);
    expect(Math.max(...sizes)).toBeGreaterThan(2);
  });

  test("and whose error is not the batch's gets one call more, and no flood", async () => {
    const down = await node((_, response) => {
      response.writeHead(500).end("oops");
      return undefined;
    });
    const [outcome] = await open([down]).requestAll(calls, { attempts: 2 });
    expect(outcome).toMatchObject({ error: { code: "upstream-unavailable" } });
    expect(down.messages.length).toBe(4);
  });
});

describe("a node that refuses some entries of a batch", () => {
  test.each([
    ["as too many", { code: -32600, message: "batch too large" }],
    ["as too many requests", { code: -32005, message: "too many requests" }],
  ])("is asked for these again, and not for the others: %s", async (_, error) => {
    const most = 9;
    const partly = await node((all, __, isBatch) => (all.length > most ? entries(all, most, error) : echo(all, isBatch)));
    const rpc = open([partly]);
    expect(await rpc.requestAll(calls)).toMatchObject(answers);
    const asked = partly.messages.flat().map(({ params }) => String(params[0]));
    for (const { params } of calls.slice(0, most)) expect(asked.filter((each) => each === params[0])).toHaveLength(1);
    const before = partly.messages.length;
    await rpc.requestAll(calls);
    expect(Math.max(...partly.messages.slice(before).map(({ length }) => length))).toBeLessThanOrEqual(most);
  });
});

test("a node that refuses each third call as one too many is read to the end, slowly, and says so", async () => {
  let count = 0;
  const slow = await node((all, response, isBatch) => {
    if (!isBatch && ++count % 3 !== 0) return echo(all, false);
    response.writeHead(429, { "retry-after": "0" }).end();
    return undefined;
  });
  const rpc = open([slow]);
  expect(await rpc.requestAll(calls, { attempts: 4 })).toMatchObject(answers);
  expect(rpc.states()[0]!.reason).toBe("it takes one call in a message and refuses some calls as too many");
});
