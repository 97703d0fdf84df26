/** Responses to clients that read them, and to clients that do not. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Answers, send } from "../../src/http/answers.ts";
import { newClientTurns, Turns } from "../../src/http/turns.ts";

const LIMITS = { turnMilliseconds: 4, requestSeconds: 30, longRequests: 1000, rowsBytes: 2 ** 20 };
const MIB = 2 ** 20;

let server: Server | undefined;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.close();
  server = undefined;
});

interface Asked {
  /** of the server */
  readonly response: ServerResponse;
  readonly client: Socket;
}

/** A request of a client of its own, for whose answer nothing was done yet. */
async function ask(answers: Answers, turns: Turns): Promise<Asked> {
  server ??= createServer().listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  const asked = once(server, "request") as Promise<[unknown, ServerResponse]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  clients.push(client);
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [, response] = await asked;
  answers.expect(response, turns.open({ client: newClientTurns(), used: 0 }));
  return { response, client };
}

function answerOf(body: readonly Buffer[]) {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return { status: 200, headers: ["Content-Length", `${length}`, "Connection", "close"], body, length };
}

const nextLook = () => new Promise((resolve) => setImmediate(resolve));

test("A client that reads nothing has a piece of its answer waiting, not a copy of all, and gets every byte once it reads", async () => {
  const turns = new Turns(LIMITS);
  const untaken: number[] = [];
  const answers = new Answers(turns, (_, bytes) => untaken.push(bytes));
  const { response, client } = await ask(answers, turns);
  const body = [Buffer.alloc(5, "a"), Buffer.alloc(40 * MIB, "bc"), ...Array.from({ length: 3000 }, (_, at) => Buffer.from(`${at},`))];
  send(response, answerOf(body));
  while (untaken.length === 0) await nextLook();
  expect(response.socket!.writableLength).toBeLessThan(MIB);
  expect(untaken[0]).toBeGreaterThan(20 * MIB);
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
  await once(client, "end");
  const text = Buffer.concat(chunks);
  expect(text.subarray(text.indexOf("\r\n\r\n") + 4).equals(Buffer.concat(body))).toBe(true);
});

test("Between two looks at what clients send no more is written than a turn has time for, however many long answers are ready", async () => {
  // every look at the clock moves it: writing a piece costs at least one of them
  let now = 0;
  const turns = new Turns(LIMITS, { now: () => ++now });
  const answers = new Answers(turns, () => {});
  const asked: Asked[] = [];
  for (let at = 0; at < 30; at++) asked.push(await ask(answers, turns));
  const sockets = asked.map(({ response }) => response.socket!);
  const written = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  const body = [Buffer.alloc(MIB)];
  let before = written();
  let most = 0;
  for (const { response, client } of asked) {
    client.resume();
    send(response, answerOf(body));
  }
  while (asked.some(({ response }) => !response.writableFinished)) {
    most = Math.max(most, written() - before);
    before = written();
    await nextLook();
  }
  expect(most).toBeLessThan(4 * MIB);
});
