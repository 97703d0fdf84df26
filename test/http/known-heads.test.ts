/** Requests whose head node:http has parsed before on their connection. test/fuzz/known-heads.test.ts compares their answers with node:http's for many streams. */

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import { KEEP_ALIVE_TIMEOUT_MS } from "../../src/http/connections.ts";
import { type Handler, type HttpResponse, textResponse } from "../../src/http/exchange.ts";
import { createHttpServer } from "../../src/http/http-server.ts";
import { close, listen } from "../../src/http/listen.ts";
import { afterEveryTest } from "../after-every-test.ts";
import { eventuallyHolds } from "../patience.ts";
import { Wire } from "./wire.ts";

const opened: { destroy(): unknown }[] = [];
afterEveryTest(() => {
  for (const one of opened.splice(0)) one.destroy();
});

const HEAD = "POST /a HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n";
const request = (body: string, head = HEAD) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;

interface Started {
  readonly server: Server;
  /** requests that node:http has parsed */
  parsed: number;
}

async function start(handle: Handler, limits: Limits = DEFAULT_LIMITS): Promise<Started> {
  const server = createHttpServer({ handle, limits, trustedProxies: [], onRefusal: () => {} });
  opened.push({ destroy: () => server.close() && server.closeAllConnections() });
  const started: Started = { server, parsed: 0 };
  server.on("request", () => started.parsed++);
  await listen(server, "127.0.0.1", 0);
  return started;
}

async function open({
  server,
}: Started): Promise<{ socket: Socket; got: () => string; ask(bytes: string, answers?: number): Promise<string> }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay();
  opened.push(socket);
  await once(socket, "connect");
  let got = "";
  socket.on("data", (bytes: Buffer) => {
    got += bytes.toString("latin1");
  });
  const ask = async (bytes: string, answers = 1) => {
    got = "";
    socket.write(bytes, "latin1");
    await eventuallyHolds(() => expect(got.split("<end>")).toHaveLength(answers + 1));
    return got.replaceAll(/\r\nDate: [^\r]+/g, "\r\nDate: now");
  };
  return { socket, got: () => got, ask };
}

const SIZES: Readonly<Record<string, number>> = { short: 10, chunked: 5000, long: 600_000 };
/** Says what it was asked. The body ends with a mark, with its frame behind it. */
const echo: Handler = async ({ method, target, headers, hosts, isHttp10, remoteAddress, readBody }) => {
  const body = await readBody();
  const asked = JSON.stringify({
    method,
    target,
    hosts,
    isHttp10,
    remoteAddress,
    body,
    type: headers["content-type"],
    agent: headers["user-agent"],
  });
  const [kind = "", status = "200"] = body.split(" ");
  const text = `${asked}${"ä".repeat(SIZES[kind] ?? 0)}<end>`;
  const made: HttpResponse = { ...textResponse(Number(status), text), headers: ["X-Kind", kind, "Content-Type", "text/plain"] };
  return kind === "parts" ? { ...made, body: [Buffer.from(`${asked}€`), Buffer.from("<end>")] } : made;
};

const BODIES = ["", "short", "{}", "chunked", "parts", "short 400", "chunked 503", "\xe4\xff", "x".repeat(9000), "long", "short"];

test("only the first is parsed, and each answer has the bytes that node:http writes", async () => {
  const started = await start(echo);
  const again = await open(started);
  await again.ask(request("first"));
  for (const body of BODIES) {
    // lengths with as many digits and others
    const [answer, first] = [await again.ask(request(body)), await (await open(started)).ask(request(body))];
    expect(withoutFrames(answer)).toBe(withoutFrames(first));
    if (body !== "long") expect(answer).toBe(first);
  }
  expect(started.parsed).toBe(1 + BODIES.length);
});

test("the last few heads of a connection are known", async () => {
  const started = await start(echo);
  const { ask } = await open(started);
  const sent = async (paths: string) => {
    started.parsed = 0;
    for (const path of paths) {
      const asked = request("short", HEAD.replace("/a", `/${path}`));
      expect(await ask(asked)).toContain(`"target":"/${path}"`);
    }
    return started.parsed;
  };
  expect(await sent("abcd")).toBe(4);
  expect(await sent("dacbbacd")).toBe(0);
  expect(await sent("ea")).toBe(2);
  expect(await sent("cdea")).toBe(0);
});

/** A long answer is cut into chunks where its writer was interrupted. */
function withoutFrames(answer: string): string {
  return answer.replaceAll(/\r\n[0-9a-f]{4,}\r\n/g, "");
}

test("all else is parsed", async () => {
  const started = await start(echo);
  const others = [
    request("short", HEAD.replace("/a", "/b")),
    request("short", `${HEAD}User-Agent: other\r\n`),
    request("short").replace("Length: 5", "Length: 05"),
    request("short").replace("Length: 5", "Length:  5"),
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\n\r\n`,
    request("x".repeat(20_000)),
    `GET /a HTTP/1.1\r\nHost: here\r\n\r\n`,
  ];
  for (const other of others) {
    const { ask } = await open(started);
    await ask(request("short"));
    started.parsed = 0;
    const answer = await ask(other);
    expect(started.parsed).toBe(1);
    expect(answer).toBe(await (await open(started)).ask(other));
  }
});

test("a head that may not mean the same again is not remembered", async () => {
  const started = await start(echo);
  const long = `X: ${"x".repeat(1024)}\r\n`;
  for (const header of [long, "Connection: x\r\n", "Connection: keep-alive, x\r\n", "X: \r\nContent-Length: 5\r\n"]) {
    started.parsed = 0;
    const { ask } = await open(started);
    const isTwice = header.includes("Length");
    for (let i = 0; i < 2; i++) await ask(isTwice ? `${HEAD}${header}\r\nshort` : request("short", HEAD + header));
    expect(started.parsed).toBe(isTwice ? 1 : 2);
  }
});

test("two requests in one packet, and one in several, are answered in order", async () => {
  const started = await start(echo);
  const { socket, got, ask } = await open(started);
  await ask(request("first"));
  const both = await ask(request("second") + request("third"), 2);
  expect(both.indexOf('"second"')).toBeLessThan(both.indexOf('"third"'));
  const bytes = request("fourth");
  for (const byte of bytes.slice(0, -1)) {
    socket.write(byte, "latin1");
    await new Promise(setImmediate);
  }
  await ask(bytes.slice(-1));
  expect(got()).toContain('"fourth"');
});

/** Answers once it is told to. */
function held(): { handle: Handler; answer(): void; asked: number; ended: number } {
  const waiting: (() => void)[] = [];
  const state = {
    asked: 0,
    ended: 0,
    answer: () => {
      for (const goOn of waiting.splice(0)) goOn();
    },
    handle: (async ({ work, readBody }) => {
      const body = await readBody();
      state.asked++;
      void work.ended?.then(() => state.ended++);
      if (body !== "at once") await new Promise<void>((resolve) => waiting.push(resolve));
      return textResponse(200, `${body}<end>`);
    }) as Handler,
  };
  return state;
}

test("a request that came while another was answered waits", async () => {
  const state = held();
  const { socket, got, ask } = await open(await start(state.handle));
  await ask(request("at once"));
  socket.write(request("one"), "latin1");
  await eventuallyHolds(() => expect(state.asked).toBe(2));
  socket.write(request("two"), "latin1");
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  expect(state.asked).toBe(2);
  state.answer();
  await eventuallyHolds(() => expect(state.asked).toBe(3));
  state.answer();
  await eventuallyHolds(() => expect(got()).toMatch(/one<end>.*two<end>$/s));
});

test("a client that waits for its answer is not idle", async () => {
  const state = held();
  const { server } = await start(state.handle);
  const wire = new Wire();
  opened.push(wire);
  server.emit("connection", wire);
  wire.push(request("at once"));
  await eventuallyHolds(() => expect(wire.timeoutMs).toBeGreaterThanOrEqual(KEEP_ALIVE_TIMEOUT_MS));
  wire.push(request("one"));
  await eventuallyHolds(() => expect(state.asked).toBe(2));
  expect(wire.timeoutMs).toBe(0);
  state.answer();
  await eventuallyHolds(() => expect(wire.timeoutMs).toBeGreaterThanOrEqual(KEEP_ALIVE_TIMEOUT_MS));
  expect(wire.received).toContain("one<end>");
});

test("a client that does not read has as long as with any other answer", async () => {
  const { server } = await start(echo);
  const wire = new Wire();
  opened.push(wire);
  server.emit("connection", wire);
  wire.push(request("short"));
  await eventuallyHolds(() => expect(wire.received).toContain("<end>"));
  for (const body of ["short", "long"]) {
    wire.isHeld = true;
    wire.push(request(body));
    await eventuallyHolds(() => expect(wire.timeoutMs).toBe(DEFAULT_LIMITS.answerSeconds * 1000));
    wire.letGo();
    await eventuallyHolds(() => expect(wire.timeoutMs).toBeGreaterThanOrEqual(KEEP_ALIVE_TIMEOUT_MS));
  }
});

test("the work of a request ends when its client is gone", async () => {
  const state = held();
  const { socket, ask } = await open(await start(state.handle));
  await ask(request("at once"));
  socket.write(request("one"), "latin1");
  await eventuallyHolds(() => expect(state.asked).toBe(2));
  socket.destroy();
  await eventuallyHolds(() => expect(state.ended).toBe(2));
  state.answer();
});

test("a server that closes waits for the answer", async () => {
  const state = held();
  const started = await start(state.handle);
  const { socket, got, ask } = await open(started);
  await ask(request("at once"));
  socket.write(request("one"), "latin1");
  await eventuallyHolds(() => expect(state.asked).toBe(2));
  const closed = close(started.server);
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  state.answer();
  await closed;
  await eventuallyHolds(() => expect(got()).toContain("one<end>"));
});

test("a body beyond a limit is refused as elsewhere", async () => {
  const started = await start(echo, { ...DEFAULT_LIMITS, bodyBytes: 100 });
  const { socket, got, ask } = await open(started);
  await ask(request("short"));
  started.parsed = 0;
  socket.write(request("x".repeat(101)), "latin1");
  await once(socket, "close");
  expect(started.parsed).toBe(1);
  expect(got()).not.toContain("x".repeat(101));
});

test("a handler that fails closes the connection, and nothing else", async () => {
  const started = await start(({ body, readBody }) => {
    if (body === "throw") throw new Error("failed at once");
    return readBody().then((read) => {
      if (read === "fail") throw new Error("failed");
      return textResponse(200, "<end>");
    });
  });
  const other = await open(started);
  await other.ask(request("short"));
  for (const body of ["fail", "throw"]) {
    const one = await open(started);
    await one.ask(request("short"));
    one.socket.write(request(body), "latin1");
    await once(one.socket, "close");
  }
  expect(await other.ask(request("short"))).toContain("<end>");
});
