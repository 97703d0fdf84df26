/** Answers that are given again without parsing the request. test/fuzz/replay.test.ts compares them with node:http's for many streams. */

import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import Type from "typebox";
import { afterEach, expect, test } from "vitest";
import { type AccessControl, accessControl, openAccess } from "../../src/api/access/access.ts";
import { KeyRing } from "../../src/api/access/key-ring.ts";
import { Ledger } from "../../src/api/access/ledger.ts";
import { ledgerMeter } from "../../src/api/access/meter.ts";
import { NO_LIMITS } from "../../src/api/access/tiers.ts";
import { dataRoute } from "../../src/api/data/route.ts";
import type { CommittedState } from "../../src/api/state/committed-states.ts";
import { AnswerCache } from "../../src/api/state/kept-answers.ts";
import { CacheSpace } from "../../src/base/collections/bounded-cache.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { LONGEST_TOGETHER } from "../../src/http/answers.ts";
import { KEEP_ALIVE_TIMEOUT_MS } from "../../src/http/connections.ts";
import { askedOf, Replays } from "../../src/http/replays.ts";
import type { NodeServerOptions } from "../../src/serve/node-server.ts";
import { eventuallyHolds } from "../patience.ts";
import { LONG_PATH, longRoute } from "../serve/long-route.ts";
import { type SmallNode, startSmallNode } from "../serve/small-node.ts";
import { heightChanges } from "../serve/small-store.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { Wire } from "./wire.ts";

let node: SmallNode;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await node?.remove();
});

const call = (id: string, method = "platform.getHeight") => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const BLOCKCHAINS = "/v1/networks/mainnet/blockchains";
const post = (path: string, body: string, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

async function open(): Promise<Socket> {
  const socket = connect((node.server.address() as AddressInfo).port, "127.0.0.1").setNoDelay();
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

async function answerOn(socket: Socket, request: string): Promise<string> {
  socket.write(request, "latin1");
  let answer = "";
  while (!isWhole(answer)) answer += String((await once(socket, "data"))[0]);
  return answer.replace(/\r\nDate: [^\r]+/, "\r\nDate: now");
}

function isWhole(answer: string): boolean {
  const [head = "", body] = answer.split("\r\n\r\n");
  if (body === undefined) return false;
  return head.includes("chunked")
    ? answer.endsWith("\r\n0\r\n\r\n")
    : Buffer.byteLength(body, "latin1") === Number(/Length: (\d+)/.exec(head)![1]);
}

/** Asks on many connections at once until an answer was given again. */
async function untilReplayed(request: string): Promise<string[]> {
  const all = await Promise.all(Array.from({ length: 8 }, open));
  const answers: string[] = [];
  const before = node.replays!.given;
  while (node.replays!.given === before) answers.push(...(await Promise.all(all.map((socket) => answerOn(socket, request)))));
  return answers;
}

async function isNeverReplayed(request: string): Promise<void> {
  const all = await Promise.all(Array.from({ length: 8 }, open));
  for (let round = 0; round < 5; round++) await Promise.all(all.map((socket) => answerOn(socket, request)));
  expect(node.replays!.given).toBe(0);
}

const start = async (options: Partial<NodeServerOptions> = {}) => {
  node = await startSmallNode(options);
};

test("an answer that is given again has the bytes of the first, and counts", async () => {
  await start();
  const answers = await untilReplayed(post("/ext/bc/P", call("7")));
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\nDate: now\r\nConnection: keep-alive\r\n.*"height":"10"},"id":7}\n$/s);
  expect(node.metrics.counts.methods["platform.getHeight"]!.succeeded).toBe(answers.length);
  expect(node.metrics.counts.responses["P 200"]).toBe(answers.length);
});

test("a call with another ID gets its own", async () => {
  await start();
  await untilReplayed(post("/ext/bc/P", call("7")));
  const all = await Promise.all(Array.from({ length: 8 }, open));
  const before = node.replays!.given;
  for (let id = 0; node.replays!.given < before + 3; id = (id + 1) % 10) {
    for (const answer of await Promise.all(all.map((socket) => answerOn(socket, post("/ext/bc/P", call(`${id}`)))))) {
      expect(answer).toContain(`"result":{"height":"10"},"id":${id}}\n`);
    }
  }
});

test("requests that come one at a time, each in a turn of its own, are answered again, too", async () => {
  await start();
  const [request, socket] = [post("/ext/bc/P", call("7")), await open()];
  for (let i = 0; i < 3; i++) await answerOn(socket, request);
  const before = node.replays!.given;
  for (let i = 0; i < 10; i++) expect(await answerOn(socket, request)).toContain('"height":"10"');
  expect(node.replays!.given).toBe(before + 10);
});

test("no answer outlives its state", async () => {
  await start();
  const request = post("/ext/bc/P", call("7"));
  await untilReplayed(request);
  await node.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
  const socket = await open();
  for (let i = 0; i < 5; i++) expect(await answerOn(socket, request)).toContain('"height":"11"');
  expect((await untilReplayed(request)).every((answer) => answer.includes('"height":"11"'))).toBe(true);
});

test("an answer that depends on more than the state is made anew", async () => {
  await start();
  await isNeverReplayed(post("/ext/health", call("7", "health.health")));
  await isNeverReplayed(post("/ext/info", call("7", "info.peers")));
});

test("an error is made anew", async () => {
  await start();
  await isNeverReplayed(post("/ext/bc/P", call("7", "platform.none")));
});

test("an answer that is sent in chunks is given again in chunks", async () => {
  await start();
  const answers = await untilReplayed(post("/ext/info", `{"jsonrpc":"2.0","method":"info.upgrades","id":"${"a".repeat(1500)}"}`));
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain("\r\nTransfer-Encoding: chunked\r\n");
});

test("a kept answer of the Data API is given again, and counts", async () => {
  await start();
  const answers = await untilReplayed(get(BLOCKCHAINS));
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/\{"blockchains":\[\]\}$/);
  expect(node.metrics.counts.responses["v1/listBlockchains 200"]).toBe(answers.length);
});

test("where clients are told apart by keys or pay, no answer is given again", async () => {
  // answers as open access does
  const access: AccessControl = { ...openAccess, keyUse: "optional" };
  await start({ access, nodeAccess: access });
  await isNeverReplayed(post("/ext/bc/P", call("7")));
  await isNeverReplayed(get(BLOCKCHAINS));
});

const NOON = Date.UTC(2026, 5, 1, 12);

test("where keys make no difference, a request without one is answered again, and one with a key is not: it may be revoked", async () => {
  const keys = new KeyRing({ dataDirectory: scratchDirectory(), now: () => NOON, onProblem: () => {} });
  const meter = ledgerMeter(new Ledger(NO_LIMITS, () => NOON));
  await start({ access: accessControl({ keys, requiresKey: false, limits: NO_LIMITS, meter, now: () => NOON }) });
  await isNeverReplayed(`GET ${BLOCKCHAINS} HTTP/1.1\r\nHost: localhost\r\nx-data-api-key: a\r\n\r\n`);
  await untilReplayed(get(BLOCKCHAINS));
});

const LONG = get(LONG_PATH);

test("a long answer is given again with the bytes of the first and the time of now", async () => {
  await start({ dataRoutes: [longRoute] });
  const answers = await untilReplayed(LONG);
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]!.length).toBeGreaterThan(2 * LONGEST_TOGETHER);
  expect(node.metrics.counts.responses["v1/readLong 200"]).toBe(answers.length);
});

test("requests that waited for their turn count as unanswered no longer when they are answered again", async () => {
  const request = get(BLOCKCHAINS);
  await start({ limits: { ...DEFAULT_LIMITS, bodiesBytes: 20 * request.length } });
  const wires = await readyWires(request);
  while (node.replays!.given < 200) {
    for (const wire of wires) wire.received = "";
    // while the first has its turn, the others wait
    for (const wire of wires) wire.push(request);
    await until(() => wires.every(({ received, destroyed }) => isWhole(received) || destroyed));
    expect(wires.filter(({ destroyed }) => destroyed)).toEqual([]);
  }
});

test("a client that reads nothing has at most two long answers waiting, whatever it asks for", async () => {
  await start({ dataRoutes: [longRoute] });
  const wires = await readyWires(LONG);
  const { length } = wires[0]!.received;
  for (const wire of wires) wire.isHeld = true;
  for (const wire of wires) for (let i = 0; i < 50; i++) wire.push(LONG);
  await until(() => wires.every(({ writableLength }) => writableLength >= length));
  for (let i = 0; i < 100; i++) await new Promise(setImmediate);
  for (const { writableLength } of wires) expect(writableLength).toBeLessThanOrEqual(2 * length);
  for (const wire of wires) wire.destroy();
});

test("a proxy's requests, which belong to other clients, are parsed", async () => {
  await start({ trustedProxies: ["127.0.0.1"] });
  await isNeverReplayed(post("/ext/bc/P", call("7")));
});

test("bytes that spell the name of something else that is kept get nothing of it", () => {
  const cache = new AnswerCache(new CacheSpace(1 << 20));
  cache.keep(`data answer ${BLOCKCHAINS}`, "{}");
  const replays = new Replays({ inUse: () => ({ cache }) as CommittedState, lastCache: cache, load: async () => {} });
  expect(replays.find(askedOf(Buffer.from(`data answer ${BLOCKCHAINS}`))!)).toBeUndefined();
});

const until = (isTrue: () => boolean) => eventuallyHolds(() => expect(isTrue()).toBe(true));

/** Connections without a network that have each got an answer, some of them one that was given again. */
async function readyWires(request: string): Promise<Wire[]> {
  const wires = Array.from({ length: 8 }, () => new Wire());
  for (const wire of wires) node.server.emit("connection", wire);
  while (node.replays!.given === 0) await askOn(wires, request);
  return wires;
}

async function askOn(wires: readonly Wire[], request: string): Promise<void> {
  for (const wire of wires) {
    wire.received = "";
    wire.push(request);
    await new Promise(process.nextTick);
  }
  await until(() => wires.every(({ received }) => isWhole(received)));
}

test("a client has as long to read an answer that is given again, and may then be idle as long, as with any other", async () => {
  await start();
  const request = post("/ext/bc/P", call("7"));
  const wires = await readyWires(request);
  for (const wire of wires) wire.isHeld = true;
  node.replays!.given = 0;
  await askOn(wires, request);
  expect(node.replays!.given).toBeGreaterThan(0);
  expect(wires.map(({ timeoutMs }) => timeoutMs)).toEqual(wires.map(() => DEFAULT_LIMITS.answerSeconds * 1000));
  for (const wire of wires) wire.letGo();
  await until(() => wires.every(({ timeoutMs }) => timeoutMs >= KEEP_ALIVE_TIMEOUT_MS));
});

test("a request is named by all its bytes but the digits of its ID", () => {
  const named = (text: string) => askedOf(Buffer.from(text, "latin1"));
  expect(named(post("/ext/bc/P", call("7")))!.key).toBe(named(post("/ext/bc/P", call("8")))!.key);
  expect(named(post("/ext/bc/P", call("7")))!.id).toBe("7");
  expect(named(post("/ext/bc/P", call("7")))!.key).not.toBe(named(post("/ext/bc/P", call("7"), "X: y\r\n"))!.key);
  // the body is longer than the head says
  const short = post("/ext/bc/P", call("7"));
  expect(named(short.replace('"id":7', '"id":42'))!.key).not.toBe(named(short)!.key);
  for (const id of ["07", "", "-1", '"7"', "1234567890123456"]) expect(named(post("/ext/bc/P", call(id)))).toBeUndefined();
});

test("no answer in which the time is outlives its second", async () => {
  let now = 1000n;
  const ofClock = dataRoute({
    ...{
      method: "GET",
      path: "/of-clock",
      operationId: "ofClock",
      tag: "Count",
      summary: "Shows the time.",
      cost: "O(1)",
      computeUnits: 1,
    },
    needs: [],
    query: Type.Object({}),
    response: Type.Object({ clock: Type.Integer() }),
    handle: async (_, context) => ({ clock: Number(context.readClock()) }),
  });
  await start({ dataRoutes: [ofClock], clock: () => now });
  const request = get("/v1/of-clock");
  for (const shown of [1000n, 1001n, 999n, 1000n]) {
    now = shown;
    expect((await untilReplayed(request)).every((answer) => answer.endsWith(`{"clock":${shown}}`))).toBe(true);
  }
});
