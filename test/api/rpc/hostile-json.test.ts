/** Requests that ask for much work in few bytes: each is answered in short pieces of work, with a short answer. */

import { describe, expect, test } from "vitest";
import { answerRequest } from "../../../src/api/rpc/dispatcher.ts";
import { method, type RpcContext } from "../../../src/api/rpc/method.ts";
import { id, integer, listOf, nodeId, object, string } from "../../../src/api/rpc/params.ts";
import { Service } from "../../../src/api/rpc/service.ts";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { RequestWork } from "../../../src/base/work/work.ts";
import { CountedWork } from "../../base/work/counted-work.ts";

const params = {
  ids: listOf(id),
  texts: listOf(string),
  nodeIDs: listOf(nodeId),
  height: integer(64),
  start: object({ at: string }),
  name: string,
};
const service = new Service([
  method({
    name: "test.count",
    summary: "",
    cost: "",
    computeUnits: 0,
    params,
    handler: ({ ids, texts }) => `${ids.length} ${texts.length}`,
  }),
]);

async function ask(body: string | Buffer) {
  const work = new CountedWork();
  const text = Buffer.from(body).toString("latin1");
  const defects: unknown[] = [];
  const context = {} as RpcContext;
  const answer = await answerRequest(
    service,
    text,
    async (use) => use(context),
    { onDefect: (error) => defects.push(error) },
    new RequestWork(work),
  );
  const json = typeof answer.body === "string" ? answer.body : Buffer.concat(answer.body ?? []).toString();
  expect(defects).toEqual([]);
  return { json, turns: work.turns };
}

const MB = 1 << 20;
const call = (rest: string) => `{"jsonrpc":"2.0","id":1,"method":"test.count","params":${rest}}`;
const filled = (unit: string, length = MB) => unit.repeat(Math.floor(length / unit.length));

/** Of a mebibyte each. */
const shapes: Readonly<Record<string, string | Buffer>> = {
  "members that all have one name": call(`{${filled('"a":0,')}"a":0}`),
  "members that are known, again and again": call(`{${filled('"texts":[],')}"height":1}`),
  "elements that are numbers": call(`{"texts":[${filled("0,")}0]}`),
  "elements that are empty lists": call(`{"name":[${filled("[],")}[]]}`),
  "lists as deep as Go reads, side by side": call(
    `{"x":[${Array(50)
      .fill(filled("[", 9990) + filled("]", 9990))
      .join()}]}`,
  ),
  "objects as deep as Go reads": call(`{"x":${filled('{"a":', 5 * 9990)}0${filled("}", 9990)}}`),
  blanks: call(`{${filled(" ")}}`),
  "a number of a million digits": call(`{"height":${filled("9")}}`),
  "zeros before a number": call(`{"height":"${filled("0")}1"}`),
  "an ID of a million digits": call(`{"ids":["${filled("z")}"]}`),
  "a node's ID of a million digits": call(`{"nodeIDs":["NodeID-${filled("z")}"]}`),
  "an open string": `{"jsonrpc":"${filled("x")}`,
  "open lists": filled("["),
  "a version of a mebibyte": `{"jsonrpc":"${filled("<")}","id":1,"method":"test.count"}`,
  "params that a wrong version repeats": `{"jsonrpc":"1.0","id":1,"method":"a","params":[${filled("1 ,", MB / 4)}1]}`,
  "an ID that a wrong version repeats": `{"jsonrpc":"1.0","id":"${filled("&")}","method":"a"}`,
  "a method of escapes": `{"jsonrpc":"2.0","id":1,"method":"${filled("\\u0041")}"}`,
  "a method of halves of characters": `{"jsonrpc":"2.0","id":1,"method":"${filled("\\ud83d")}"}`,
  "a method of two-byte characters": `{"jsonrpc":"2.0","id":1,"method":"${filled("é", MB / 2)}"}`,
  "a method of broken UTF-8": Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${filled("\xff\xc3A")}"}`, "latin1"),
  "a method of dots": `{"jsonrpc":"2.0","id":1,"method":"${filled(".")}"}`,
  "a method of quotes": `{"jsonrpc":"2.0","id":1,"method":"test.${filled('\\"')}"}`,
  "a name of a mebibyte": call(`{"${filled("ı", MB / 2)}":1}`),
};

describe("of a mebibyte", () => {
  test.each(Object.keys(shapes))("%s: the answer is short", async (name) => {
    const { json } = await ask(shapes[name]!);
    expect(json.length).toBeLessThan(name.includes("ID that") ? 7 * MB : 100_000);
    expect(() => JSON.parse(json)).not.toThrow();
  });
});

test("a long list of IDs is decoded in pieces, and counted whole", async () => {
  const ids = Array.from({ length: 15_000 }, (_, i) => `"${formatId(i.toString(16).padStart(64, "0"))}"`);
  const { json, turns } = await ask(call(`{"ids":[${ids.join(" , ")}]}`));
  expect(json).toBe('{"jsonrpc":"2.0","result":"15000 0","id":1}\n');
  expect(turns).toBeGreaterThan(15_000);
});

test("more members and elements than one request may have are refused before anything is made of them", async () => {
  const over = await ask(call(`{"texts":[${'"",'.repeat(DEFAULT_LIMITS.jsonValues)}""]}`));
  expect(JSON.parse(over.json).error.message).toMatch(/more than 100000 members and elements; send less/);
  const under = await ask(call(`{"texts":[${'"",'.repeat(DEFAULT_LIMITS.jsonValues - 100)}""]}`));
  expect(JSON.parse(under.json).result).toBe(`0 ${DEFAULT_LIMITS.jsonValues - 99}`);
});

test("a text that an error repeats is cut where it is longer than a recorded one", async () => {
  const known = await ask(`{"jsonrpc":"2.0","id":1,"method":"test.${"x".repeat(5000)}"}`);
  expect(JSON.parse(known.json).error.message).toBe(`rpc: can't find method "test.X${"x".repeat(4999)}"`);
  const long = await ask(`{"jsonrpc":"2.0","id":1,"method":"test.${"x".repeat(MB)}"}`);
  expect(JSON.parse(long.json).error.message).toMatch(/^rpc: can't find method "test\.Xx{8000,8200}…"$/);
});

test("an ID is repeated whole", async () => {
  const { json } = await ask(`{"jsonrpc":"2.0","id":"${"x".repeat(MB)}","method":"test.count"}`);
  expect(JSON.parse(json).id).toHaveLength(MB);
});
