import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPublicAddress } from "../../../src/base/public-address.ts";
import type { NftFetchSettings } from "../../../src/evm/chain-settings.ts";
import { openNftFetcher } from "../../../src/evm/nft/fetcher.ts";
import { type HostileServer, localInternet, startHostileServer } from "./hostile-server.ts";

const CONTENT = '{"name":"One"}';
const MAX_BYTES = 1000;
const NAMES = {
  "good.example": ["127.0.0.1"],
  "inside.example": ["127.0.0.2"],
  "mapped.example": ["::ffff:127.0.0.2"],
  "both.example": ["127.0.0.2", "127.0.0.1"],
  "nowhere.example": [],
};

let server: HostileServer;
let other: HostileServer;

beforeEach(async () => {
  // an address of its own, so that a fetch which is not held back gets there
  other = await startHostileServer((_, response) => response.end("secret"), "127.0.0.2");
  server = await startHostileServer(({ url = "" }, response) => {
    const redirect = (location: string, status = 302) => response.writeHead(status, { location }).end();
    if (url === "/good" || url.startsWith("/ipfs/")) response.end(CONTENT);
    else if (url === "/throttled") response.writeHead(429).end();
    else if (url === "/missing") response.writeHead(404).end();
    else if (url === "/broken") response.writeHead(500).end();
    else if (url === "/declared-large") response.writeHead(200, { "content-length": "1000000" }).write("{");
    else if (url === "/endless") for (let i = 0; i < 100; i++) response.write("x".repeat(100));
    else if (url === "/silent-head") return;
    else if (url === "/silent-body") response.writeHead(200).write("{");
    else if (url === "/cut") response.writeHead(200, { "content-length": "500" }).write("{", () => response.destroy());
    else if (url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("0".repeat(1_000_000)));
    else if (url === "/to-good") redirect("/good", 301);
    else if (url === "/to-inside") redirect(`http://inside.example:${other.port}/`);
    else if (url === "/to-literal") redirect(`http://127.0.0.2:${other.port}/`);
    else if (url === "/to-metadata") redirect("http://169.254.169.254/latest/meta-data/", 307);
    else if (url === "/to-file") redirect("file:///etc/passwd");
    else if (url === "/to-nothing") response.writeHead(302).end();
    else if (url === "/to-garbage") redirect("http://[::");
    else if (url.startsWith("/hop/")) redirect(url === "/hop/1" ? "/good" : `/hop/${Number(url.slice(5)) - 1}`);
    else if (url === "/loop") redirect("/loop");
    else response.writeHead(400).end();
  });
});

afterEach(async () => {
  await server.close();
  await other.close();
});

function fetcher(settings: Partial<NftFetchSettings> = {}, isPublic: (address: string) => boolean = isPublicAddress) {
  const internet = localInternet(NAMES, isPublic);
  const opened = openNftFetcher({ fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000, ...settings }, internet);
  return { ...internet, fetch: (uri: string) => opened.fetch(uri, new AbortController().signal) };
}

async function statusOf(uri: string, settings: Partial<NftFetchSettings> = {}): Promise<string> {
  const fetched = await fetcher(settings).fetch(uri);
  return "status" in fetched ? fetched.status : `content ${fetched.content}`;
}

const on = (path: string, host = "good.example") => `http://${host}:${server.port}${path}`;

describe("Content on the network", () => {
  test("is read, also behind redirects, without telling who asks", async () => {
    expect(await statusOf(on("/good"))).toBe(`content ${CONTENT}`);
    expect(await statusOf(on("/to-good"))).toBe(`content ${CONTENT}`);
    expect(await statusOf(on("/hop/3"))).toBe(`content ${CONTENT}`);
    expect(Object.keys(server.headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });

  test("is not asked for unless the operator wants it", async () => {
    expect(await statusOf(on("/good"), { fetches: false })).toBe("UNINDEXED");
    expect(server.asked).toEqual([]);
  });

  test("is bounded in bytes, whether the length is told, not told or packed", async () => {
    expect(await statusOf(on("/declared-large"))).toBe("METADATA_CONTENT_TOO_LARGE");
    expect(await statusOf(on("/endless"))).toBe("METADATA_CONTENT_TOO_LARGE");
    expect(await statusOf(on("/packed"))).toBe("INVALID_METADATA");
    expect(await statusOf(on("/good"), { maxBytes: CONTENT.length })).toBe(`content ${CONTENT}`);
    expect(await statusOf(on("/good"), { maxBytes: CONTENT.length - 1 })).toBe("METADATA_CONTENT_TOO_LARGE");
  });

  test("is bounded in time, whatever part does not come", async () => {
    for (const path of ["/silent-head", "/silent-body"]) {
      expect(await statusOf(on(path), { timeoutMs: 50 }), path).toBe("UNREACHABLE_TOKEN_URI");
    }
    const never = openNftFetcher(
      { fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 50 },
      { isAllowed: () => true, resolve: () => new Promise(() => {}) },
    );
    expect(await never.fetch(on("/good"), new AbortController().signal)).toEqual({ status: "UNREACHABLE_TOKEN_URI" });
  });

  test("ends with the caller's patience", async () => {
    const giveUp = new AbortController();
    const opened = openNftFetcher({ fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000 }, fetcher());
    const fetched = opened.fetch(on("/silent-body"), giveUp.signal);
    giveUp.abort();
    expect(await fetched).toEqual({ status: "UNREACHABLE_TOKEN_URI" });
  });

  test.each([
    ["/throttled", "THROTTLED_TOKEN_URI"],
    ["/missing", "UNREACHABLE_TOKEN_URI"],
    ["/broken", "UNREACHABLE_TOKEN_URI"],
    ["/cut", "UNREACHABLE_TOKEN_URI"],
    ["/to-nothing", "UNREACHABLE_TOKEN_URI"],
    ["/to-garbage", "UNREACHABLE_TOKEN_URI"],
    ["/hop/4", "UNREACHABLE_TOKEN_URI"],
    ["/loop", "UNREACHABLE_TOKEN_URI"],
    ["/to-file", "INVALID_TOKEN_URI_SCHEME"],
  ])("of %s is %s", async (path, status) => {
    expect(await statusOf(on(path))).toBe(status);
  });
});

describe("An address that is not of the public internet", () => {
  test.each([
    "http://inside.example/",
    "http://mapped.example/",
    "http://both.example/",
    "http://nowhere.example/",
    "http://unknown.example/",
    "http://127.0.0.2/",
    "http://2130706434/",
    "http://0x7f.2/",
    "http://0/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.2]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[64:ff9b::7f00:1]/",
  ])("is not reached by %s", async (uri) => {
    const url = new URL(uri);
    url.port = `${other.port}`;
    expect(await statusOf(url.href)).toBe("UNREACHABLE_TOKEN_URI");
    expect(other.asked).toEqual([]);
  });

  test.each(["/to-inside", "/to-literal", "/to-metadata"])("is not reached through the redirect %s", async (path) => {
    expect(await statusOf(on(path))).toBe("UNREACHABLE_TOKEN_URI");
    expect([server.asked, other.asked]).toEqual([[path], []]);
  });

  test("is not reached by a name that leads elsewhere when it is looked up again", async () => {
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const lookups: string[] = [];
    const opened = openNftFetcher(
      { fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000 },
      {
        isAllowed: (address) => address === "127.0.0.1",
        async resolve(hostname) {
          lookups.push(hostname);
          return answers.shift()!.map((address) => ({ address, family: 4 }));
        },
      },
    );
    expect(await opened.fetch(on("/good", "rebinding.example"), new AbortController().signal)).toEqual({ content: Buffer.from(CONTENT) });
    expect(lookups).toEqual(["rebinding.example"]);
    expect(await opened.fetch(on("/good", "rebinding.example"), new AbortController().signal)).toEqual({ status: "UNREACHABLE_TOKEN_URI" });
  });

  test("is what the fetcher refuses by itself: even this server, by name or by number", async () => {
    const opened = openNftFetcher({ fetches: true, ipfsGateway: undefined, maxBytes: MAX_BYTES, timeoutMs: 60_000 });
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await opened.fetch(on("/good", host), new AbortController().signal)).toEqual({ status: "UNREACHABLE_TOKEN_URI" });
    }
    expect(server.asked).toEqual([]);
  });
});

describe("Token URIs", () => {
  test.each([
    ["no URI at all", "INVALID_TOKEN_URI"],
    ["/relative.json", "INVALID_TOKEN_URI"],
    ["http://", "INVALID_TOKEN_URI"],
    ["http://user:password@good.example/", "INVALID_TOKEN_URI"],
    ["ftp://good.example/1.json", "INVALID_TOKEN_URI_SCHEME"],
    ["file:///etc/passwd", "INVALID_TOKEN_URI_SCHEME"],
    ["javascript:alert(1)", "INVALID_TOKEN_URI_SCHEME"],
    ["ar://abc", "INVALID_TOKEN_URI_SCHEME"],
    ["ipfs://bafyexample/1.json", "UNINDEXED"],
  ])("%s is %s", async (uri, status) => {
    expect(await statusOf(uri)).toBe(status);
  });
});

describe("IPFS", () => {
  const gateway = () => ({ ipfsGateway: `http://127.0.0.1:${server.port}/ipfs` });

  test("is read through the operator's gateway, which may be a private one", async () => {
    const opened = openNftFetcher({ fetches: true, maxBytes: MAX_BYTES, timeoutMs: 60_000, ...gateway() });
    for (const uri of ["ipfs://bafyexample/1.json", "ipfs://ipfs/bafyexample/1.json", "IPFS://bafyexample/a%20b?x#y"]) {
      expect(await opened.fetch(uri, new AbortController().signal), uri).toEqual({ content: Buffer.from(CONTENT) });
    }
    expect(server.asked).toEqual(["/ipfs/bafyexample/1.json", "/ipfs/bafyexample/1.json", "/ipfs/bafyexample/a%20b"]);
  });

  test.each([
    "ipfs://../api/v0/config",
    "ipfs://bafy/../../api",
    "ipfs://bafy/%2e%2e/%2e%2e/api",
    "ipfs://bafy/..%2f..%2fapi",
    "ipfs:///api",
    "ipfs://",
  ])("leads nowhere else on the gateway's host: %s", async (uri) => {
    expect(await statusOf(uri, gateway())).toBe("INVALID_TOKEN_URI");
    expect(server.asked).toEqual([]);
  });
});
