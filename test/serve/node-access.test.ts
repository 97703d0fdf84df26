/** API keys and rate limits of the node's interface below /ext, in one process: prices, refusals, and headers for clients. */
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { accessControl } from "../../src/api/access/access.ts";
import { KeyRing } from "../../src/api/access/key-ring.ts";
import { Ledger } from "../../src/api/access/ledger.ts";
import { addKey, revokeKey } from "../../src/api/access/manage-keys.ts";
import { ledgerMeter } from "../../src/api/access/meter.ts";
import type { RateLimits } from "../../src/api/access/tiers.ts";
import { services } from "../../src/api/rpc/registry.ts";
import type { NodeServerOptions } from "../../src/serve/node-server.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { exchange, post, type SmallNode, startSmallNode } from "./small-node.ts";

const START = 1_800_000_000_000;
const HOST = "Host: 127.0.0.1\r\nConnection: close\r\n";

let time: number;
let directory: string;
const running: SmallNode[] = [];

beforeEach(() => {
  time = START;
  directory = scratchDirectory();
});
afterEach(async () => {
  for (const node of running.splice(0)) await node.remove();
});

interface Settings extends Partial<NodeServerOptions> {
  readonly requiresKey?: boolean;
  readonly rateLimits?: RateLimits;
}

async function start({ requiresKey = false, rateLimits: limits = {}, ...options }: Settings): Promise<SmallNode> {
  const now = () => time;
  const keys = new KeyRing({ dataDirectory: directory, now, onProblem: () => {} });
  const meter = ledgerMeter(new Ledger(limits, now));
  const node = await startSmallNode({ nodeAccess: accessControl({ keys, requiresKey, limits, meter, now }), ...options });
  running.push(node);
  return node;
}

const call = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const HEIGHT = call("platform.getHeight");
const makeKey = async (...privileges: string[]) => (await addKey(directory, { tier: "free", privileges })).key;

describe("keys", () => {
  test("are asked for before the body of a request is there", async () => {
    const { port } = await start({ requiresKey: true });
    const head = `POST /ext/bc/P HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      socket.once("data", (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toContain("Content-Type: text/plain; charset=utf-8\r\n");
    expect(answer).toMatch(/\r\n\r\nthis request needs an API key; send it in the header x-data-api-key\n$/);
  });

  test("open every endpoint below /ext that does work, under both names; a wrong or revoked one none", async () => {
    const { port } = await start({ requiresKey: true });
    const key = await makeKey("read");
    const { key: revoked, added } = await addKey(directory, { tier: "free", privileges: ["read"] });
    await revokeKey(directory, added.id);
    time += 1000;
    const status = async (path: string, headers?: Record<string, string>) => (await post(port, path, HEIGHT, headers)).status;
    for (const path of ["/ext/bc/P", "/ext/bc/X", "/ext/bc/C/avax", "/ext/bc/C/rpc", "/ext/info", "/ext/index/X/tx"]) {
      expect([path, await status(path)]).toEqual([path, 401]);
      expect([path, await status(path, { "x-data-api-key": "wrong" })]).toEqual([path, 401]);
      expect([path, await status(path, { "x-data-api-key": revoked })]).toEqual([path, 403]);
      expect([path, await status(path, { "x-glacier-api-key": key })]).toEqual([path, 200]);
    }
  });

  test("are not needed by probes, nor to hear that a path is none", async () => {
    const { port } = await start({ requiresKey: true, rateLimits: { unauthenticated: { perMinute: 0 } } });
    const status = async (path: string) => (await exchange(port, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`)).status;
    for (const path of ["/ext/health", "/ext/health/liveness", "/ext/health/readiness", "/ext/metrics"])
      expect(await status(path)).toBe(200);
    expect(await status("/ext/nothing")).toBe(404);
  });

  test("must be allowed to write where a devnet is changed", async () => {
    const development = { now: () => 0n } as unknown as NonNullable<NodeServerOptions["development"]>;
    const { port } = await start({ requiresKey: true, development });
    const [reader, writer] = [await makeKey("read"), await makeKey("read", "write")];
    time += 1000;
    const ask = (key: string) => post(port, "/ext/firn", call("firn.nothing"), { "x-data-api-key": key });
    const refused = await ask(reader);
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining("lacks the privilege write")]);
    expect((await ask(writer)).status).toBe(200);
  });

  test("may be sent by pages of other origins", async () => {
    const { port } = await start({ requiresKey: true });
    const preflight = await exchange(
      port,
      `OPTIONS /ext/bc/P HTTP/1.1\r\n${HOST}Origin: https://wallet.example\r\nAccess-Control-Request-Method: POST\r\n` +
        "Access-Control-Request-Headers: content-type,x-data-api-key\r\n\r\n",
    );
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([200, "Content-Type, X-Data-Api-Key"]);
    const refused = await post(port, "/ext/bc/P", HEIGHT, { Origin: "https://wallet.example" });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
  });
});

describe("limits", () => {
  test("are spent by what a method costs, and refuse what is more than is left with the time to wait", async () => {
    const { port } = await start({ rateLimits: { unauthenticated: { perMinute: 25 } } });
    time = START + 20_500;
    const first = await post(port, "/ext/bc/P", HEIGHT);
    expect([first.status, first.headers.get("ratelimit-policy"), first.headers.get("ratelimit-remaining")]).toEqual([200, "25;w=60", "15"]);
    expect(JSON.parse(first.body).result).toEqual({ height: "10" });
    const tooMuch = await post(port, "/ext/bc/P", call("platform.getUTXOs", { addresses: [] }));
    expect([tooMuch.status, tooMuch.headers.get("retry-after"), tooMuch.headers.get("ratelimit-reset")]).toEqual([429, "40", "40"]);
    expect(tooMuch.body).toBe("this costs 20 compute units, but only 15 of the 25 for this minute are left; try again in 40 s\n");
    // what is refused costs nothing
    expect((await post(port, "/ext/bc/P", HEIGHT)).headers.get("ratelimit-remaining")).toBe("5");
    time += 40_000;
    expect((await post(port, "/ext/bc/P", HEIGHT)).headers.get("ratelimit-remaining")).toBe("15");
  });

  test("refuse a client with nothing left before his body is read", async () => {
    const { port } = await start({ rateLimits: { unauthenticated: { perMinute: 10 } } });
    await post(port, "/ext/bc/P", HEIGHT);
    const head = `POST /ext/bc/P HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const status = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      socket.once("data", (chunk) => {
        resolve(chunk.toString().slice(0, 12));
        socket.destroy();
      });
    });
    expect(status).toBe("HTTP/1.1 429");
  });

  test("are spent by bodies that call no method, too", async () => {
    const { port } = await start({ rateLimits: { unauthenticated: { perMinute: 30 } } });
    const left = async (path: string, body: string) => (await post(port, path, body)).headers.get("ratelimit-remaining");
    expect(services.platform.leastUnits).toBe(1);
    expect(await left("/ext/bc/P", "{")).toBe("29");
    expect(await left("/ext/bc/P", call("platform.getNothing"))).toBe("28");
    expect(await left("/ext/bc/C/rpc", "[")).toBe("27");
  });

  test("are spent by every call of a batch", async () => {
    const { port } = await start({ rateLimits: { unauthenticated: { perMinute: 30 } } });
    const batch = (calls: number) => JSON.stringify(Array.from({ length: calls }, () => ({ jsonrpc: "2.0", id: 1, method: "eth_call" })));
    expect((await post(port, "/ext/bc/C/rpc", batch(20))).headers.get("ratelimit-remaining")).toBe("10");
    expect((await post(port, "/ext/bc/C/rpc", batch(20))).status).toBe(429);
  });

  test("count by the address that a trusted proxy names, of IPv6 by its first 64 bits, and by nobody else's word", async () => {
    const rateLimits = { unauthenticated: { perMinute: 10 } };
    const { port } = await start({ rateLimits, trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
    const status = async (at: number, from: string) => (await post(at, "/ext/bc/P", HEIGHT, { "X-Forwarded-For": from })).status;
    expect(await status(port, "198.51.100.1")).toBe(200);
    expect(await status(port, "203.0.113.9, 198.51.100.1, 10.1.2.3")).toBe(429);
    expect(await status(port, "2001:db8:0:1::1")).toBe(200);
    expect(await status(port, "2001:db8:0:1:ffff::2")).toBe(429);
    expect(await status(port, "2001:db8:0:2::1")).toBe(200);
    const careful = await start({ rateLimits });
    expect(await status(careful.port, "198.51.100.1")).toBe(200);
    expect(await status(careful.port, "198.51.100.2")).toBe(429);
  });

  test("are not in the way where there are none: no header, nothing counted", async () => {
    const node = await startSmallNode();
    running.push(node);
    const { headers } = await post(node.port, "/ext/bc/P", HEIGHT);
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });
});

describe("WebSockets", () => {
  /** An EVM that says what it was asked, for the price of a lookup. */
  const withEvm = async (settings: Settings) => {
    const { WebSocketServer } = await import("ws");
    const server = new WebSocketServer({ noServer: true });
    const node = await start({
      ...settings,
      evm: {
        answer: async () => Buffer.alloc(0),
        accept: (request, socket, head, { pay }) =>
          server.handleUpgrade(request, socket, head, (client) => {
            client.on("message", async (data) => {
              try {
                await pay(10);
                client.send(data.toString());
              } catch (error) {
                client.send((error as Error).message);
              }
            });
          }),
      },
    });
    return `ws://127.0.0.1:${node.port}/ext/bc/C/ws`;
  };
  /** The message of an answer to one message, or the status that the connection is refused with. */
  const ask = (url: string, headers: Record<string, string> = {}) =>
    new Promise<string | number>((resolve, reject) => {
      const client = new WebSocket(url, { headers });
      client.on("unexpected-response", (_, response) => {
        resolve(response.statusCode!);
        client.terminate();
      });
      client.on("open", () => client.send("hello"));
      client.on("message", (data) => {
        resolve(data.toString());
        client.close();
      });
      client.on("error", (error) => reject(error));
    });

  test("need a key when they are opened, which pages may write into the query", async () => {
    const url = await withEvm({ requiresKey: true });
    const key = await makeKey("read");
    time += 1000;
    expect(await ask(url)).toBe(401);
    expect(await ask(url, { "x-data-api-key": key })).toBe("hello");
    expect(await ask(`${url}?apiKey=${key}`)).toBe("hello");
    expect(await ask(`${url}?apiKey=wrong`)).toBe(401);
  });

  test("pay by message, and are not opened by a client with nothing left", async () => {
    const url = await withEvm({ rateLimits: { unauthenticated: { perMinute: 15 } } });
    expect(await ask(url)).toBe("hello");
    expect(await ask(url)).toMatch(/^this costs 10 compute units, but only 5 of the 15 for this minute are left/);
    const drained = await withEvm({ rateLimits: { unauthenticated: { perMinute: 0 } } });
    expect(await ask(drained)).toBe(429);
  });

  test("are of no use any more once their key is revoked", async () => {
    const url = await withEvm({ requiresKey: true });
    const { key, added } = await addKey(directory, { tier: "free", privileges: ["read"] });
    time += 1000;
    const client = new WebSocket(url, { headers: { "x-data-api-key": key } });
    const answer = () => new Promise((resolve) => client.once("message", (data) => resolve(data.toString())));
    await new Promise((resolve) => client.once("open", resolve));
    client.send("before");
    expect(await answer()).toBe("before");
    await revokeKey(directory, added.id);
    time += 1000;
    client.send("after");
    expect(await answer()).toBe(`the API key ${added.id} is revoked; use another`);
    client.close();
  });
});

test("Every method has a price: 0 only of health, and more for what changes a devnet than for a lookup", () => {
  const prices = Object.values(services).flatMap((service) => service.names().map((name) => [name, service.priceOf(name)] as const));
  expect(prices.filter(([, price]) => ![0, 1, 10, 20, 50, 100].includes(price))).toEqual([]);
  expect(prices.filter(([, price]) => price === 0).every(([name]) => name.startsWith("health."))).toBe(true);
});
