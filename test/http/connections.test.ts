/** The limits on connections, each with a client that exceeds it. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import type { NodeServerOptions } from "../../src/serve/node-server.ts";
import { eventually } from "../patience.ts";
import { exchange, post, type SmallNode, startSmallNode } from "../serve/small-node.ts";

const NETWORK_ID = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';
const ANSWER = '{"jsonrpc":"2.0","result":{"networkID":"1"},"id":1}\n';

const nodes: SmallNode[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(nodes.splice(0).map((node) => node.remove()));
});

async function nodeWithin(limits: Partial<Limits>, options: Partial<NodeServerOptions> = {}): Promise<SmallNode> {
  const node = await startSmallNode({ limits: { ...DEFAULT_LIMITS, ...limits }, ...options });
  nodes.push(node);
  return node;
}

/** A connection whose bytes are read only if `reads`. */
async function open(port: number, { reads = true, from }: { reads?: boolean; from?: string } = {}): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", ...(from && { localAddress: from }) });
  socket.on("error", () => {});
  sockets.push(socket);
  if (reads) socket.resume();
  await once(socket, "connect");
  return socket;
}

function request(body: string, headers = "", path = "/ext/info"): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const isAnswered = async (node: SmallNode) => (await post(node.port, "/ext/info", NETWORK_ID)).body === ANSWER;

describe("pipelined requests", () => {
  test("are answered in their order, one by one, whatever is cut where", async () => {
    const node = await nodeWithin({});
    const bodies = Array.from({ length: 40 }, (_, id) => NETWORK_ID.replace('"id":1', `"id":${id},"x":"HTTP/1.1${"y".repeat(id * 7)}"`));
    const all = bodies.map((body, at) => request(body, at === 39 ? "Connection: close\r\n" : "")).join("");
    for (const size of [1, 7, 100, 4000, all.length]) {
      const socket = await open(node.port, { reads: false });
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      for (let at = 0; at < all.length; at += size) {
        socket.write(all.slice(at, at + size));
        if (size === 100) await new Promise((resolve) => setImmediate(resolve));
      }
      await once(socket, "close");
      expect([...text.matchAll(/"id":(\d+)\}/g)].map(([, id]) => Number(id))).toEqual(bodies.map((_, id) => id));
    }
  });

  test("are worked on no further for a client that takes no answer", async () => {
    const node = await nodeWithin({});
    const id = "z".repeat(500_000);
    const socket = await open(node.port, { reads: false });
    socket.write(request(NETWORK_ID.replace('"id":1', `"id":"${id}"`)).repeat(60));
    await eventually(() => node.metrics.counts.methods["info.getNetworkID"] !== undefined);
    for (let asked = 0; asked < 20; asked++) expect(await isAnswered(node)).toBe(true);
    // its own answers fit into the buffers of the two sockets, 20 are those of the others
    expect(node.metrics.counts.methods["info.getNetworkID"]!.succeeded).toBeLessThan(60);
  });

  test("of the least length that are not taken, and bodies behind an early answer, do not end the process", async () => {
    const node = await nodeWithin({});
    const early = request("x".repeat(3000), "", `/ext/${"y".repeat(60)}`);
    for (const flood of ["GET / HTTP/1.1\r\nHost:a\r\n\r\n".repeat(20_000), early.repeat(1000)]) {
      const socket = await open(node.port, { reads: false });
      socket.write(flood);
      for (let asked = 0; asked < 10; asked++) expect(await isAnswered(node)).toBe(true);
      socket.resume();
      for (let asked = 0; asked < 10; asked++) expect(await isAnswered(node)).toBe(true);
    }
  });

  test("of clients that are gone before their turn comes are thrown away", async () => {
    const node = await nodeWithin({ turnMilliseconds: 0.001 });
    for (let round = 0; round < 10; round++) {
      const gone = await Promise.all(Array.from({ length: 20 }, () => open(node.port)));
      for (const socket of gone) socket.write(request(NETWORK_ID).repeat(20));
      await new Promise((resolve) => setImmediate(resolve));
      for (const socket of gone) socket.resetAndDestroy();
      expect(await isAnswered(node)).toBe(true);
    }
  });

  test("to a method that is not served, with bytes behind them, do not end the process", async () => {
    const node = await nodeWithin({});
    const { body } = await exchange(
      node.port,
      `${request(NETWORK_ID)}CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n${request(NETWORK_ID)}`,
    );
    expect(body).toBe(ANSWER);
    expect(await isAnswered(node)).toBe(true);
  });

  test("before bytes that are no request are answered, and so are those bytes, as the node does", async () => {
    const node = await nodeWithin({});
    const { body } = await exchange(node.port, `${request(NETWORK_ID)}\0\0 no request`);
    const refusal = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request";
    expect(body).toBe(ANSWER + refusal);
  });
});

describe("a body", () => {
  test("longer than its endpoint reads is refused before it comes, and the client hears why", async () => {
    const node = await nodeWithin({ bodyBytes: 20_000, evmBodyBytes: 40_000 });
    const declared = await exchange(node.port, request("").replace("Content-Length: 0", "Content-Length: 20001"));
    expect([declared.status, declared.headers.get("connection")]).toEqual([413, "close"]);
    expect(declared.body).toContain("longer than 20000 bytes");
    const long = "x".repeat(30_000);
    const chunked = `POST /ext/info HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n${long}\r\n`;
    expect((await exchange(node.port, chunked.replace("Host: a", "Host: localhost"))).status).toBe(413);
    expect((await post(node.port, "/ext/bc/C/rpc", long)).status).toBe(200);
    expect(node.metrics.counts.refused.bodyBytes).toBeGreaterThanOrEqual(2);
    expect(await isAnswered(node)).toBe(true);
  });

  test("in chunks is refused beyond any limit, however small", async () => {
    const node = await nodeWithin({ bodyBytes: 100, evmBodyBytes: 100 });
    const chunked = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n${" ".repeat(101)}\r\n0\r\n\r\n`;
    for (const path of ["/ext/info", "/ext/bc/C/rpc"]) {
      const { status, body } = await exchange(node.port, chunked(path));
      expect([status, body]).toEqual([413, expect.stringContaining("longer than 100 bytes")]);
    }
  });

  test("in chunks may have trailers that Go's server reads too; longer ones close the connection, unanswered", async () => {
    const node = await nodeWithin({});
    const head = "POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
    const chunks = `${NETWORK_ID.length.toString(16)}\r\n${NETWORK_ID}\r\n0\r\n`;
    const withTrailers = (length: number) => `${chunks}${"T: ".padEnd(length - 4, "x")}\r\n\r\n`;
    const read = await exchange(node.port, `${head}Connection: close\r\n\r\n${withTrailers(4096)}`);
    expect([read.status, read.body]).toEqual([200, ANSWER]);
    for (const trailers of [withTrailers(4097), `${chunks}T: ${"x".repeat(4096)}`]) {
      const socket = await open(node.port, { reads: false });
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.write(`${head}\r\n${trailers}`);
      await once(socket, "close");
      expect(text).toBe("");
    }
    expect(node.metrics.counts.methods["info.getNetworkID"]!.succeeded).toBe(1);
  });

  test("of the Data API beyond a limit of its own is refused in its form", async () => {
    const node = await nodeWithin({ dataBodyBytes: 20_000 });
    const path = "/v1/networks/mainnet/blockchains/p-chain/utxos";
    const refused = await post(node.port, path, JSON.stringify({ addresses: "x".repeat(30_000) }));
    expect(refused.status).toBe(400);
    const { message } = JSON.parse(refused.body);
    expect(message).toContain("longer than 20000 bytes");
    const read = await post(node.port, path, "{");
    expect(JSON.parse(read.body)).toMatchObject({ statusCode: 400, message: "the body is not valid JSON" });
  });

  test("that is half sent counts, and beyond what a process holds the address with most loses the largest", async () => {
    const node = await nodeWithin({ bodiesBytes: 1_000_000 });
    const head = request("").replace("Content-Length: 0", "Content-Length: 400000");
    const half = await Promise.all(Array.from({ length: 3 }, () => open(node.port)));
    const answers: string[] = [];
    for (const socket of half) {
      socket.on("data", (chunk) => answers.push(chunk.toString()));
      socket.write(head + "x".repeat(390_000));
    }
    await eventually(() => answers.length > 0);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 503 /);
    expect(node.metrics.counts.refused.bodiesBytes).toBe(1);
    expect(await isAnswered(node)).toBe(true);
    expect(half.filter((socket) => !socket.closed).length).toBeGreaterThanOrEqual(2);
  });

  test("that does not come closes its connection within its time, and headers within theirs", async () => {
    const node = await nodeWithin({ bodySeconds: 1, headerSeconds: 1 });
    const [body, head] = await Promise.all([open(node.port), open(node.port)]);
    body.write(request("").replace("Content-Length: 0", "Content-Length: 100"));
    head.write("POST /ext/info HTTP/1.1\r\nHost: local");
    await Promise.all([once(body, "close"), once(head, "close")]);
    expect(await isAnswered(node)).toBe(true);
  });
});

describe("answers that are not taken", () => {
  test("are held up to the limit; beyond it the connection with most is closed", async () => {
    const node = await nodeWithin({ answersBytes: 2_000_000 });
    const id = "z".repeat(900_000);
    const slow = await Promise.all(Array.from({ length: 8 }, () => open(node.port, { reads: false })));
    for (const socket of slow) socket.write(request(NETWORK_ID.replace('"id":1', `"id":"${id}"`)).repeat(10));
    await eventually(() => (node.metrics.counts.refused.answersBytes ?? 0) > 0);
    expect(await isAnswered(node)).toBe(true);
  });

  test("close their connection in time, and are counted", async () => {
    const node = await nodeWithin({ answerSeconds: 1 });
    const socket = await open(node.port, { reads: false });
    socket.write(request(NETWORK_ID.replace('"id":1', `"id":"${"z".repeat(900_000)}"`)).repeat(20));
    await eventually(() => socket.closed);
    expect(node.metrics.counts.refused).toEqual({ answerSeconds: 1 });
    expect(await isAnswered(node)).toBe(true);
  });
});

describe("connections", () => {
  test("beyond those of an address take the place of its quietest", async () => {
    const node = await nodeWithin({ connectionsPerAddress: 3 });
    const quiet = await Promise.all(Array.from({ length: 3 }, () => open(node.port)));
    await open(node.port);
    await Promise.race(quiet.map((socket) => once(socket, "close")));
    expect(quiet.filter((socket) => socket.closed)).toHaveLength(1);
    expect(await isAnswered(node)).toBe(true);
  });

  test("beyond those of the process take the place of the address that has most", async () => {
    const node = await nodeWithin({ connections: 4 });
    const many = await Promise.all(Array.from({ length: 3 }, () => open(node.port)));
    const other = await open(node.port, { from: "127.0.0.2" });
    await open(node.port, { from: "127.0.0.3" });
    await Promise.race(many.map((socket) => once(socket, "close")));
    expect(other.closed).toBe(false);
  });

  test("are refused with 503 while all others are being answered", async () => {
    const never = new Promise<never>(() => {});
    let asked = 0;
    const exposition = () => {
      asked++;
      return never;
    };
    const node = await nodeWithin({ connections: 2 }, { exposition });
    const busy = await Promise.all([open(node.port), open(node.port)]);
    for (const socket of busy) socket.write("GET /ext/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await eventually(() => asked === 2);
    const refused = await exchange(node.port, request(NETWORK_ID));
    expect(refused.status).toBe(503);
    expect(refused.body).toContain("too many connections");
    expect(node.metrics.counts.refused.connections).toBe(1);
    busy[0]!.destroy();
    while (!(await isAnswered(node).catch(() => false)));
  });
});
