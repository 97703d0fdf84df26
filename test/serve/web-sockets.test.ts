/** The limits on WebSocket clients: those that do not read, do not answer pings, or are too many. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import { devnetNetwork } from "../../src/devnet/devnet-network.ts";
import type { Client } from "../../src/http/clients.ts";
import { newClientTurns, Turns } from "../../src/http/turns.ts";
import { EvmGateway } from "../../src/serve/evm/gateway.ts";
import { type EvmWebSocketParts, EvmWebSockets } from "../../src/serve/evm/sockets/web-sockets.ts";
import { eventually } from "../patience.ts";
import { FakeEvm } from "./fake-evm.ts";

const { network } = devnetNetwork({ now: 1_800_000_000n });
const KIB = 1024;
const ROUND_TRIPS = 20;
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

let evm: FakeEvm;
let server: Server;
let webSockets: EvmWebSockets;
const clients: WebSocket[] = [];
const connections: Duplex[] = [];

beforeEach(async () => {
  evm = await FakeEvm.start();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.terminate();
  for (const connection of connections.splice(0)) connection.destroy();
  await webSockets.close();
  server.close();
  await evm.stop();
});

async function serve(changed: Partial<Limits>, parts: Partial<EvmWebSocketParts> = {}): Promise<void> {
  const limits = { ...DEFAULT_LIMITS, ...changed };
  const onDefect = (error: unknown) => {
    throw error;
  };
  const gateway = new EvmGateway({ evm, network, clock: () => 1_800_000_000n, limits, onDefect });
  webSockets = new EvmWebSockets({ limits, ...parts });
  const turns = new Turns(limits);
  const byAddress = new Map<string, Client>();
  server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, socket, head) => {
    connections.push(socket.on("error", () => {}));
    const name = (socket as Socket).remoteAddress!;
    const client = byAddress.get(name) ?? { ...newClientTurns(), name, connections: new Set(), quiet: new Set(), users: 1 };
    byAddress.set(name, client);
    const connection = { client, used: 0 };
    webSockets.acceptFor({ gateway, evm })(request, socket, head, {
      client,
      isProxy: false,
      open: () => turns.open(connection),
      pay: () => {},
    });
  });
  await once(server, "listening");
}

const port = () => (server.address() as AddressInfo).port;

async function open(options: { autoPong?: boolean; localAddress?: string } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}`, options);
  clients.push(socket);
  const received: string[] = [];
  socket.on("error", () => {});
  socket.on("message", (data) => received.push(data.toString()));
  await once(socket, "open");
  const until = async (count: number) => {
    while (received.length < count) await once(socket, "message");
  };
  return {
    socket,
    received,
    until,
    send: (id: number, method: string, params: unknown[] = []) => socket.send(message(id, method, params)),
  };
}

const message = (id: number, method: string, params: unknown[] = []) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
const block = { jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", result: "a".repeat(64 * KIB) } };

test("A subscriber who does not read is closed when too much waits for it, and others hear all", async () => {
  await serve({ webSocketQueueBytes: 1024 * KIB });
  const [deaf, good] = [await open(), await open()];
  for (const client of [deaf, good]) {
    client.send(1, "eth_subscribe", ["newHeads"]);
    await client.until(1);
  }
  const closed = once(connections[0]!, "close");
  deaf.socket.pause();
  // what the kernel holds for the client is some megabytes at most
  for (let sent = 1; sent <= 400; sent++) {
    evm.publish(block);
    await good.until(1 + sent);
  }
  await closed;
  expect(good.socket.readyState).toBe(WebSocket.OPEN);
  await eventually(() => evm.subscribers === 1);
});

test("All clients together leave no more lying than answers may: those with most are closed", async () => {
  await serve({ answersBytes: 2048 * KIB, webSocketQueueBytes: 1024 * 1024 * KIB });
  const deaf = [await open(), await open(), await open()];
  const ends = connections.map((connection) => once(connection, "close"));
  evm.reply = (sent) => JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: "a".repeat(8192 * KIB) });
  for (const { socket, send } of deaf) {
    socket.pause();
    send(1, "eth_call");
    send(2, "eth_call");
  }
  await Promise.any(ends);
});

test("a client that asks and does not read gets a few calls answered, and all of them once it reads", async () => {
  await serve({});
  const client = await open();
  client.socket.pause();
  evm.reply = (sent) => JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: "a".repeat(256 * KIB) });
  for (let id = 1; id <= 400; id++) client.send(id, "eth_call");
  const other = await open();
  // the server takes turns: while it answers so many calls of another client, it would answer this one's, too
  for (let answered = 0, before = 0; before === 0 || evm.forwarded.length > before + ROUND_TRIPS; answered += ROUND_TRIPS) {
    before = evm.forwarded.length;
    for (let id = 1; id <= ROUND_TRIPS; id++) {
      other.send(id, "eth_chainId");
      await other.until(answered + id);
    }
  }
  const ofClient = evm.forwarded.filter((sent) => JSON.parse(sent).method === "eth_call").length;
  expect(ofClient).toBeGreaterThan(0);
  expect(ofClient).toBeLessThan(200);
  client.socket.resume();
  await client.until(400);
  expect(new Set(client.received.map((text) => JSON.parse(text).id)).size).toBe(400);
});

test("Calls that come together are answered a few at a time, all of them", async () => {
  await serve({});
  const client = await open();
  let [running, most] = [0, 0];
  let release = () => {};
  let eight = new Promise<void>((resolve) => (release = resolve));
  evm.reply = async (sent) => {
    most = Math.max(most, ++running);
    if (running === 8) setImmediate(release);
    await eight;
    if (--running === 0) eight = new Promise<void>((resolve) => (release = resolve));
    return JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: 1 });
  };
  for (let id = 0; id < 1000; id++) client.send(id, "eth_call");
  await client.until(1000);
  expect(most).toBe(8);
});

test("A message that is too large closes its connection, and no other", async () => {
  await serve({ evmBodyBytes: 64 * KIB });
  const [large, good] = [await open(), await open()];
  large.socket.send("a".repeat(65 * KIB));
  expect((await once(large.socket, "close"))[0]).toBe(1009);
  good.send(1, "eth_chainId");
  await good.until(1);
});

test("One WebSocket too many of an address is refused, others have theirs, and there is room again when one is gone", async () => {
  await serve({ webSocketsPerAddress: 2 });
  const [first] = [await open(), await open()];
  const third = new WebSocket(`ws://127.0.0.1:${port()}`);
  expect(String((await once(third, "error"))[0])).toContain("503");
  await open({ localAddress: "127.0.0.2" });
  first.socket.close();
  await once(connections[0]!, "close");
  await open();
});

test("When all places are taken, the address with most of them loses the one that said nothing for longest", async () => {
  await serve({ webSockets: 4 });
  const greedy = [await open(), await open(), await open()];
  greedy[0]!.send(1, "eth_chainId");
  await greedy[0]!.until(1);
  const modest = await open({ localAddress: "127.0.0.2" });
  const closed = once(greedy[1]!.socket, "close");
  const third = await open({ localAddress: "127.0.0.3" });
  expect((await closed)[0]).toBe(1013);
  for (const client of [greedy[0]!, greedy[2]!, modest, third]) {
    client.send(2, "eth_chainId");
    await client.until(client === greedy[0] ? 2 : 1);
  }
});

test("Messages that came in one packet are worked on one by one: another client is answered before the second of them", async () => {
  await serve({});
  const [many, other] = [await open(), await open({ localAddress: "127.0.0.2" })];
  const asked: string[] = [];
  evm.reply = (sent) => {
    asked.push(JSON.parse(sent).method);
    return JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: 1 });
  };
  const frames = Array.from({ length: 500 }, (_, id) => frame(1, Buffer.from(message(id, "eth_gasPrice"))));
  const raw = (many.socket as unknown as { _socket: Socket })._socket;
  raw.write(Buffer.concat(frames));
  other.send(1, "eth_coinbase");
  await Promise.all([many.until(500), other.until(1)]);
  expect(asked).toContain("eth_coinbase");
  expect(asked.indexOf("eth_coinbase")).toBeLessThan(250);
});

test("Who sends pings and reads nothing leaves few answers to them lying", async () => {
  await serve({});
  const deaf = await open();
  deaf.socket.pause();
  const atServer = connections[0] as Socket;
  // what the kernel holds of answers is some 10 MB at most
  while (atServer.bytesRead < 16 * 1024 * KIB) {
    for (let sent = 0; sent < 500 && deaf.socket.bufferedAmount < 1024 * KIB; sent++) deaf.socket.ping(Buffer.alloc(125));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(atServer.writableLength).toBeLessThan(2 * 1024 * KIB);
});

/** Frames that end the connection on which they come. */
const REFUSED_FRAMES: readonly (readonly [what: string, frame: Buffer])[] = [
  ["a close code that does not exist", frame(8, Buffer.of(3, 231))],
  ["a close reason that is not UTF-8", frame(8, Buffer.of(3, 232, 0xff))],
  ["a text that is not UTF-8", frame(1, Buffer.of(0xc3, 0x28))],
  ["a reserved bit", Buffer.of(0xa1, 0x80, 1, 2, 3, 4)],
  ["a frame without a mask", Buffer.of(0x81, 2, 0x7b, 0x7d)],
  ["an opcode that does not exist", frame(3, Buffer.alloc(2))],
  ["a part of no message", frame(0, Buffer.alloc(2))],
];

test.each(REFUSED_FRAMES)(
  "%s between packets of one turn of the event loop closes its connection, and nothing else",
  async (_what, refused) => {
    await serve({});
    const good = await open();
    const hostile = await handFed();
    const closed = once(hostile, "close");
    const message = frame(1, Buffer.from("[]"));
    for (const packet of [message, refused, message, refused, message]) hostile.push(packet);
    await closed;
    good.send(1, "eth_chainId");
    await good.until(1);
  },
);

test("the last of the pings in one packet is answered, and the next packet is read in another turn of the event loop", async () => {
  await serve({});
  const client = await handFed();
  const sent: Buffer[] = [];
  client.on("sent", (chunk: Buffer) => sent.push(chunk));
  client.push(Buffer.concat([frame(9, Buffer.from("first")), frame(9, Buffer.from("second")), frame(9, Buffer.from("third"))]));
  client.push(frame(9, Buffer.from("fourth")));
  expect(client.readableLength).toBe(frame(9, Buffer.from("fourth")).length);
  while (!Buffer.concat(sent).includes("fourth")) await once(client, "sent");
  expect(Buffer.concat(sent).toString("latin1")).toBe("\x8a\x05third\x8a\x06fourth");
});

/** The server's side of a WebSocket to which the test pushes packets: each arrives by itself, and nothing happens between them. */
async function handFed(): Promise<Duplex> {
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      this.emit("sent", chunk);
      done();
    },
  });
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": KEY };
  server.emit("upgrade", { method: "GET", url: "/", headers }, socket, Buffer.alloc(0));
  // ws reads from the next tick on
  await new Promise((resolve) => setImmediate(resolve));
  // as by a TCP connection of which the other side hangs up
  socket.once("finish", () => socket.push(null));
  return socket;
}

/** A frame as clients send it, with a mask of zeros. */
function frame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

test("One subscription too many is refused in a sentence, and there is room again when one has ended", async () => {
  await serve({ webSocketSubscriptions: 1 });
  const client = await open();
  client.send(1, "eth_subscribe", ["newHeads"]);
  client.send(2, "eth_subscribe", ["logs"]);
  await client.until(2);
  const refused = client.received.map((text) => JSON.parse(text)).find(({ id }) => id === 2);
  expect(refused.error.message).toBe("this connection has 1 subscriptions; end some, or use another connection");
  client.send(3, "eth_unsubscribe", ["0x1"]);
  await client.until(3);
  client.send(4, "eth_subscribe", ["newHeads"]);
  await client.until(4);
  expect(JSON.parse(client.received[3]!)).toEqual({ jsonrpc: "2.0", id: 4, result: "0x1" });
});

test("Filters of a client's subscriptions have so many addresses, those of all clients so many, and there is room again", async () => {
  await serve({ webSocketFilterItems: 100, evmFilterItems: 150 });
  const [one, other] = [await open(), await open()];
  const address = Array.from({ length: 30 }, () => `0x${"ab".repeat(20)}`);
  const errors = ({ received }: { received: string[] }) => received.map((text) => JSON.parse(text).error?.message);
  for (const id of [1, 2]) {
    one.send(id, "eth_subscribe", ["logs", { address }]);
    await one.until(id);
  }
  one.send(3, "eth_subscribe", ["logs", { address }]);
  await one.until(3);
  expect(errors(one)[2]).toBe(
    "the subscriptions of this connection have more than 100 addresses and topics; end some, or use another connection",
  );
  other.send(1, "eth_subscribe", ["logs", { address }]);
  other.send(2, "eth_subscribe", ["logs", { address }]);
  await other.until(2);
  expect(errors(other).filter((message) => message !== undefined)).toEqual([
    expect.stringMatching(/^the filters of this chain have more than 150/),
  ]);
  const gone = once(connections[0]!, "close");
  one.socket.terminate();
  await gone;
  other.send(3, "eth_subscribe", ["logs", { address }]);
  await other.until(3);
  expect(errors(other)[2]).toBeUndefined();
});

test("Who does not answer pings is gone, and who does stays", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await serve({}, { pingMs: 100 });
  const [dead, alive] = [await open({ autoPong: false }), await open()];
  const pinged = once(dead.socket, "ping");
  const ponged = once(connections[1]!, "data");
  vi.advanceTimersByTime(100);
  await Promise.all([pinged, ponged]);
  const closed = once(dead.socket, "close");
  vi.advanceTimersByTime(100);
  await closed;
  expect(alive.socket.readyState).toBe(WebSocket.OPEN);
});

test("Half-sent messages hold no more than bodies may: who has sent most of one is closed", async () => {
  await serve({ bodiesBytes: 256 * KIB });
  const good = await open();
  const half = await Promise.all(Array.from({ length: 8 }, () => halfSent(60 * KIB)));
  await Promise.any(half.map((socket) => once(socket, "close")));
  good.send(1, "eth_chainId");
  await good.until(1);
});

test("A message in fragments holds what it holds, also with pings between them", async () => {
  await serve({ bodiesBytes: 64 * KIB });
  const good = await open();
  const client = await handFed();
  const closed = once(client, "close");
  const fragment = (opcode: number) => Buffer.concat([Buffer.from([opcode, 0xfe, 0x20, 0, 0, 0, 0, 0]), Buffer.alloc(8 * KIB)]);
  for (let i = 0; i < 9; i++) {
    client.push(fragment(i === 0 ? 1 : 0));
    client.push(frame(9, Buffer.from("ping")));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  good.send(1, "eth_chainId");
  await good.until(1);
});

/** A connection with the beginning of a message of 1 MiB. */
async function halfSent(bytes: number): Promise<Socket> {
  const socket = connect(port(), "127.0.0.1").on("error", () => {});
  connections.push(socket);
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`,
  );
  await once(socket, "data");
  const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]);
  socket.write(Buffer.concat([head, Buffer.alloc(bytes)]));
  return socket;
}
