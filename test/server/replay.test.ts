/** Answers that are given again without parsing the request. test/fuzz/replay.test.ts compares them with node:http's for many streams. */

import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { NodeServerOptions } from "../../src/server/node-server.ts";
import { askedOf } from "../../src/server/replay/asked.ts";
import { type SmallNode, startSmallNode } from "./small-node.ts";
import { heightChanges } from "./small-store.ts";

let node: SmallNode;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await node.remove();
});

const call = (id: string, method = "platform.getHeight") => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`;
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
  while (!answer.endsWith("}\n")) answer += String((await once(socket, "data"))[0]);
  return answer.replace(/\r\nDate: [^\r]+/, "\r\nDate: now");
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
