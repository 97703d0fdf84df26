/** Hostile token URIs against real servers on this machine: only servers of the internet are contacted, and none blocks Firn. */
import { createServer, type Socket } from "node:net";
import { queryObjects } from "node:v8";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Internet, resolvePublicName } from "../../../src/base/pinned-address.ts";
import { isOthersAddress, isPublicAddress } from "../../../src/base/public-address.ts";
import type { NftFetchSettings } from "../../../src/evm/chain-settings.ts";
import { openNftFetcher } from "../../../src/evm/nft/fetcher.ts";
import { delay } from "../../patience.ts";
import { type HostileServer, startHostileServer } from "./hostile-server.ts";
import { type NameServer, startNameServer } from "./name-server.ts";

const CONTENT = '{"name":"One"}';
const MAX_BYTES = 1_000_000;
const signal = new AbortController().signal;

/** Stands for a server of the internet. */
let outside: HostileServer;
/** Stands for a service that only this machine may ask. */
let inside: HostileServer;
const closing: (() => void)[] = [];

beforeEach(async () => {
  inside = await startHostileServer((_, response) => response.end("secret"), "127.0.0.2");
  outside = await startHostileServer(({ url = "" }, response) => {
    if (url.startsWith("/to?"))
      response.writeHead(302, { location: Buffer.from(decodeURIComponent(url.slice(4))).toString("latin1") }).end();
    else response.end(CONTENT);
  });
});

afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await Promise.all([outside.close(), inside.close()]);
});

/** The internet, where what stands outside is this machine's first address, and names are what a name server says. */
function internet(names: NameServer | undefined): Internet {
  return {
    isAllowed: (address) => address === "127.0.0.1" || isPublicAddress(address),
    resolve: (hostname, given) => resolvePublicName(hostname, given, [names?.at ?? "127.0.0.1:1"]),
  };
}

async function fetched(uri: string, names?: NameServer, settings: Partial<NftFetchSettings> = {}): Promise<string> {
  const opened = openNftFetcher(
    { fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000, ...settings },
    internet(names),
  );
  const answer = await opened.fetch(uri, signal);
  return "status" in answer ? answer.status : `content ${answer.content}`;
}

async function nameServer(answer: Parameters<typeof startNameServer>[0]): Promise<NameServer> {
  const names = await startNameServer(answer);
  closing.push(() => names.close());
  return names;
}

/** A server of bytes that are written as they are. */
async function rawServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => serve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as { port: number }).port;
}

describe("A service of this machine or its network", () => {
  const spellings = [
    "127.0.0.2",
    "127.0.0.2.",
    "127.2",
    "127.0.2",
    "0x7f.0.0.2",
    "0x7f000002",
    "0177.0.0.2",
    "017700000002",
    "2130706434",
    "%31%32%37.0.0.2",
    "１２７.0.0.2",
    "127。0。0。2",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[0:0:0:0:0:ffff:127.0.0.2]",
    "[::127.0.0.2]",
    "[64:ff9b::127.0.0.2]",
    "[2002:7f00:2::1]",
    "[2001:0:7f00:2::1]",
    "[::]",
    "[fe80::1]",
    "[fc00::1]",
    "[ff02::1]",
    "0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.168.0.1",
    "224.0.0.1",
    "255.255.255.255",
  ];

  test.each(spellings)("is not reached as %s, at once or by a redirect", async (host) => {
    const uri = `http://${host}:${inside.port}/`;
    expect(await fetched(uri)).toBe("UNREACHABLE_TOKEN_URI");
    expect(await fetched(`http://127.0.0.1:${outside.port}/to?${encodeURIComponent(uri)}`)).toBe("UNREACHABLE_TOKEN_URI");
    expect(inside.asked).toEqual([]);
  });

  test.each([
    "file:///etc/passwd",
    "ftp://127.0.0.2/",
    "gopher://127.0.0.2/",
    "data:application/json,{}",
    "ipfs://bafy",
    "javascript:1",
    "ws://127.0.0.2/",
  ])("is not reached by a redirect to %s", async (location) => {
    const gateway = { ipfsGateway: `http://127.0.0.2:${inside.port}/ipfs/` };
    expect(await fetched(`http://127.0.0.1:${outside.port}/to?${encodeURIComponent(location)}`, undefined, gateway)).toBe(
      "INVALID_TOKEN_URI_SCHEME",
    );
    expect(inside.asked).toEqual([]);
  });

  test.each([
    "http://127.0.0.1@127.0.0.2:PORT/",
    "http://127.0.0.1:1@127.0.0.2:PORT/",
    "http://127.0.0.1%2f@127.0.0.2:PORT/",
    "http:\\\\127.0.0.2:PORT/",
    "http://127.0.0.1#@127.0.0.2:PORT/",
  ])("is not reached by what looks like another host: %s", async (uri) => {
    await fetched(uri.replace("PORT", `${inside.port}`));
    expect(inside.asked).toEqual([]);
  });

  test("is not reached through the gateway's redirects: its own address is the operator's word, where it sends to is not", async () => {
    const gateway = { ipfsGateway: `http://127.0.0.1:${outside.port}/to?${encodeURIComponent(`http://127.0.0.2:${inside.port}/`)}` };
    expect(await fetched("ipfs://bafy/1.json", undefined, { ipfsGateway: `http://127.0.0.1:${outside.port}/` })).toBe(`content ${CONTENT}`);
    expect(await fetched("ipfs://bafy/1.json", undefined, gateway)).not.toBe("content secret");
    expect(inside.asked).toEqual([]);
  });

  test("is not reached by a name that leads to it, to it among others, or to it the second time", async () => {
    const answers: Record<string, string[][]> = {
      "inside.example": [["127.0.0.2"]],
      "among.example": [["127.0.0.1", "127.0.0.2"]],
      "changing.example": [["127.0.0.1"], ["127.0.0.2"]],
    };
    const names = await nameServer((name, type) => (type === "A" ? (answers[name]!.shift() ?? ["127.0.0.2"]) : []));
    for (const host of ["inside.example", "among.example"])
      expect(await fetched(`http://${host}:${inside.port}/`, names)).toBe("UNREACHABLE_TOKEN_URI");
    expect(await fetched(`http://changing.example:${outside.port}/`, names)).toBe(`content ${CONTENT}`);
    // one question for one fetch: the connection goes where was checked
    expect(names.asked.filter((question) => question === "A changing.example")).toHaveLength(1);
    expect(await fetched(`http://changing.example:${inside.port}/`, names)).toBe("UNREACHABLE_TOKEN_URI");
    expect(inside.asked).toEqual([]);
  });

  test("is not reached by a name whose IPv4 addresses are public and whose IPv6 address is its own", async () => {
    const names = await nameServer((_, type) => (type === "A" ? ["127.0.0.1"] : ["::1"]));
    expect(await fetched(`http://both.example:${outside.port}/`, names)).toBe("UNREACHABLE_TOKEN_URI");
    expect(outside.asked).toEqual([]);
  });

  test("is not found under names of this machine's host file", async () => {
    const names = await nameServer(() => []);
    expect(await fetched(`http://localhost:${inside.port}/`, names)).toBe("UNREACHABLE_TOKEN_URI");
    expect(names.asked).toContain("A localhost");
  });

  test("is not reached by a public address of this machine", () => {
    expect(isOthersAddress("8.8.8.8", ["127.0.0.1", "8.8.8.8", "2600::1"])).toBe(false);
    expect(isOthersAddress("2600::1", ["8.8.8.8", "2600:0:0::1"])).toBe(false);
    expect(isOthersAddress("8.8.4.4", ["8.8.8.8", "::1"])).toBe(true);
  });

  test.each([22, 25, 111, 445, 1023])("is not asked on port %i, which is of no web server", async (port) => {
    expect(await fetched(`http://8.8.8.8:${port}/`)).toBe("INVALID_TOKEN_URI");
    expect(await fetched(`http://127.0.0.1:${outside.port}/to?${encodeURIComponent(`https://8.8.8.8:${port}/`)}`)).toBe(
      "INVALID_TOKEN_URI",
    );
  });
});

describe("A server that holds up whoever asks", () => {
  test.each([
    ["status lines without an end", (socket: Socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n")],
    ["headers without an end, slowly", (socket: Socket) => drip(socket, "X: 1\r\n", "HTTP/1.1 200 OK\r\n")],
    ["a body byte by byte", (socket: Socket) => drip(socket, "1\r\n{\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")],
    ["nothing", () => {}],
  ])("is left when the time is over: %s", async (_, serve) => {
    expect(await fetched(`http://127.0.0.1:${await rawServer(serve)}/`, undefined, { timeoutMs: 150 })).toBe("UNREACHABLE_TOKEN_URI");
  });

  test.each([
    ["headers of a megabyte", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(1_000_000)}\r\n\r\n`],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
    ["no HTTP", "220 mail.example ESMTP\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"],
  ])("is left at once when it answers with %s", async (_, answer) => {
    const port = await rawServer((socket) => socket.end(answer));
    expect(await fetched(`http://127.0.0.1:${port}/`, undefined, { timeoutMs: 60_000 })).toBe("UNREACHABLE_TOKEN_URI");
  });

  test("makes Firn keep no more than the bytes that it sends, in however many pieces", async () => {
    const pieces = 20_000;
    const before = liveArrays();
    let kept = Number.NaN;
    const port = await rawServer((socket) => {
      socket.setNoDelay(true).write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const send = (left: number) => {
        if (left > 0) return socket.write("1\r\n0\r\n", () => setImmediate(send, left - 1));
        // a turn later, so that the last pieces are there
        setImmediate(() => {
          kept = liveArrays() - before;
          socket.end("0\r\n\r\n");
        });
      };
      send(pieces);
    });
    const opened = openNftFetcher({ fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000 }, internet(undefined));
    expect(await opened.fetch(`http://127.0.0.1:${port}/`, signal)).toEqual({ content: Buffer.alloc(pieces, "0") });
    expect(kept).toBeLessThan(pieces / 10);
  });

  test("keeps nobody's thread while its name server does not answer: other names are found meanwhile", async () => {
    const names = await nameServer((name) => (name === "silent.example" ? undefined : ["127.0.0.1"]));
    const giveUp = new AbortController();
    const silent = Array.from({ length: 100 }, () => resolvePublicName("silent.example", giveUp.signal, [names.at]));
    expect(await resolvePublicName("quick.example", signal, [names.at])).toContainEqual({ address: "127.0.0.1", family: 4 });
    giveUp.abort();
    expect((await Promise.all(silent)).flat()).toEqual([]);
  });
});

test("A token URI puts nothing into a request but its path", async () => {
  await fetched(`http://127.0.0.1:${outside.port}/a\r\nX-Injected: 1\r\n\r\nGET /b`);
  await fetched(`http://127.0.0.1:${outside.port}/a%0d%0aX-Injected: 1`);
  await fetched("ipfs://bafy/a\r\nX-Injected: 1", undefined, { ipfsGateway: `http://127.0.0.1:${outside.port}/ipfs/` });
  expect(outside.asked).toEqual(["/aX-Injected:%201GET%20/b", "/a%0d%0aX-Injected:%201", "/ipfs/bafy/a%0D%0AX-Injected%3A%201"]);
  expect(Object.keys(outside.headers)).not.toContain("x-injected");
});

const DRIP_MS = 20;

function drip(socket: Socket, piece: string, start = ""): void {
  socket.write(start);
  void (async () => {
    for (; !socket.destroyed; await delay(DRIP_MS)) socket.write(piece);
  })();
}

/** How many pieces of bytes somebody holds: what nobody holds is let go of before. */
function liveArrays(): number {
  return queryObjects(Uint8Array, { format: "count" });
}
