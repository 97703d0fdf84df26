/** Pictures of NFTs from hostile URIs and servers: only servers of the internet are asked, few at a time, and seldom. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPublicAddress } from "../../../src/base/public-address.ts";
import type { NftFetchSettings } from "../../../src/evm/chain-settings.ts";
import { pictureType } from "../../../src/evm/nft/picture-type.ts";
import { MAX_PICTURE_BYTES, PICTURE_LIMITS, Pictures } from "../../../src/evm/nft/pictures.ts";
import { eventuallyHolds } from "../../patience.ts";
import { type HostileServer, localInternet, startHostileServer } from "./hostile-server.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const SETTINGS: NftFetchSettings = { fetches: true, ipfsGateway: undefined, maxBytes: 1, timeoutMs: 600_000 };
/** no test waits for the time to be over */
const limits = { ...PICTURE_LIMITS, timeoutMs: 600_000 };

/** Stands for a server of the internet. */
let outside: HostileServer;
/** Stands for a service that only this machine may ask. */
let inside: HostileServer;
/** answers that wait until a test lets them go */
let held: (() => void)[];
let now: number;
let pictures: Pictures;
let net: ReturnType<typeof localInternet>;

beforeEach(async () => {
  held = [];
  now = 0;
  inside = await startHostileServer((_, response) => response.end(PNG), "127.0.0.2");
  outside = await startHostileServer(({ url = "" }, response) => {
    if (url.startsWith("/to?")) response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end();
    else if (url.startsWith("/held")) held.push(() => response.end(PNG));
    else if (url.startsWith("/large")) response.end(Buffer.concat([PNG, Buffer.alloc(MAX_PICTURE_BYTES)]));
    else if (url.startsWith("/html")) response.setHeader("content-type", "image/png").end("<html><svg></svg></html>");
    else if (url.startsWith("/missing")) response.writeHead(404).end();
    else response.setHeader("content-type", "text/html").end(PNG);
  });
  net = localInternet(
    { "out.example": ["127.0.0.1"], "in.example": ["127.0.0.2"], "both.example": ["127.0.0.1", "127.0.0.2"] },
    isPublicAddress,
  );
  pictures = new Pictures({ on: net, now: () => now, limits });
});
afterEach(async () => {
  for (const answer of held) answer();
  await Promise.all([outside.close(), inside.close()]);
});

const at = (path: string, host = "out.example") => `http://${host}:${outside.port}${path}`;

async function got(uri: string, settings: Partial<NftFetchSettings> = {}): Promise<string> {
  const answer = await pictures.get(uri, { ...SETTINGS, ...settings });
  return "problem" in answer ? answer.problem : `${answer.contentType} ${answer.content.length}`;
}

describe("A picture", () => {
  test("is what its bytes are, whatever its server says", async () => {
    expect(await got(at("/one"))).toBe(`image/png ${PNG.length}`);
    expect(outside.headers).toMatchObject({ accept: "image/*", "user-agent": "firn" });
    expect(Object.keys(outside.headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
    expect(await got(at("/html"))).toBe("NO_PICTURE");
    expect(await got(at("/large"))).toBe("METADATA_CONTENT_TOO_LARGE");
    expect(await got(at("/missing"))).toBe("UNREACHABLE_TOKEN_URI");
  });

  test("in its URI is read without asking anybody, also where nothing is fetched", async () => {
    for (const fetches of [true, false]) {
      expect(await got(`data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}`, { fetches })).toBe(
        `image/svg+xml ${SVG.length}`,
      );
      expect(await got(`data:image/svg+xml;utf8,${SVG}`, { fetches })).toBe(`image/svg+xml ${SVG.length}`);
      expect(await got("data:text/html,<script>", { fetches })).toBe("NO_PICTURE");
    }
    expect(await got(`data:,${SVG}${" ".repeat(MAX_PICTURE_BYTES)}`)).toBe("METADATA_CONTENT_TOO_LARGE");
  });

  test("is not fetched where the operator did not turn that on", async () => {
    expect(await got(at("/one"), { fetches: false })).toBe("UNINDEXED");
    expect(await got("ipfs://bafy/1.png")).toBe("UNINDEXED");
    expect(outside.asked).toEqual([]);
    expect(net.resolved).toEqual([]);
  });
});

describe("A service of this machine or its network", () => {
  test.each([
    () => `http://127.0.0.2:${inside.port}/`,
    () => `http://0x7f000002:${inside.port}/`,
    () => `http://[::ffff:127.0.0.2]:${inside.port}/`,
    () => `http://in.example:${inside.port}/`,
    () => `http://both.example:${inside.port}/`,
    () => at(`/to?${encodeURIComponent(`http://127.0.0.2:${inside.port}/`)}`),
    () => at(`/to?${encodeURIComponent(`http://in.example:${inside.port}/`)}`),
    () => "http://169.254.169.254/latest/meta-data/",
    () => "http://localhost/",
  ])("is not asked: %s", async (uri) => {
    expect(await got(uri())).toBe("UNREACHABLE_TOKEN_URI");
    expect(inside.asked).toEqual([]);
  });

  test.each([
    "file:///etc/passwd",
    "ftp://out.example/x",
    "gopher://out.example/x",
    "http://user:pw@out.example/x",
    "http://out.example:25/x",
    "//x",
  ])("is not reached by %s", async (uri) => {
    expect(await got(uri)).toMatch(/^INVALID_TOKEN_URI/);
    expect(outside.asked).toEqual([]);
  });

  test("that is the gateway answers URIs of ipfs, and not the same URL written by a stranger, before or after", async () => {
    const ipfsGateway = `http://127.0.0.2:${inside.port}/ipfs/`;
    const stranger = `${ipfsGateway}bafy/1.png`;
    expect(await got(stranger, { ipfsGateway })).toBe("UNREACHABLE_TOKEN_URI");
    expect(await got("ipfs://bafy/1.png", { ipfsGateway })).toBe(`image/png ${PNG.length}`);
    expect(await got(stranger, { ipfsGateway })).toBe("UNREACHABLE_TOKEN_URI");
    expect(inside.asked).toEqual(["/ipfs/bafy/1.png"]);
  });
});

describe("A server", () => {
  const waitFor = (count: number) => eventuallyHolds(() => expect(held.length).toBe(count));

  test("is asked once by all who want a picture at the same time, and again only after a while", async () => {
    const asking = Array.from({ length: 50 }, () => got(at("/held")));
    await waitFor(1);
    held[0]!();
    expect(new Set(await Promise.all(asking))).toEqual(new Set([`image/png ${PNG.length}`]));
    now = PICTURE_LIMITS.picturesForMs - 1;
    expect(await got(at("/held"))).toBe(`image/png ${PNG.length}`);
    expect(outside.asked).toEqual(["/held"]);
    now += 1;
    const again = got(at("/held"));
    await waitFor(2);
    held[1]!();
    expect(await again).toBe(`image/png ${PNG.length}`);
  });

  test("that has no picture is not asked for it again before a while is over", async () => {
    for (const path of ["/missing", "/html", "/large"]) {
      const first = await got(at(path));
      now += PICTURE_LIMITS.problemsForMs - 1;
      expect(await got(at(path))).toBe(first);
      expect(outside.asked).toEqual([path]);
      now += 1;
      expect(await got(at(path))).toBe(first);
      expect(outside.asked.splice(0)).toEqual([path, path]);
    }
  });

  test("is asked for few pictures at a time, and the rest wait, up to a number", async () => {
    const hosts = Array.from({ length: 5 }, (_, i) => `h${i}.example`);
    net = localInternet(Object.fromEntries(hosts.map((host) => [host, ["127.0.0.1"]])), isPublicAddress);
    pictures = new Pictures({ on: net, now: () => now, limits });
    const { running, waiting } = PICTURE_LIMITS;
    const asking = Array.from({ length: running + waiting }, (_, i) => got(at(`/held?${i}`, hosts[i % hosts.length]!)));
    await waitFor(running);
    expect(await got(at("/held?more"))).toBe("BUSY");
    expect(held.length).toBe(running);
    for (let next = 0; next < running + waiting; next++) {
      await eventuallyHolds(() => expect(held.length).toBeGreaterThan(next));
      held[next]!();
    }
    expect(new Set(await Promise.all(asking))).toEqual(new Set([`image/png ${PNG.length}`]));
  });

  test("is asked for so many pictures in a minute, whatever the URIs are, and no more", async () => {
    const { perHostAndMinute } = PICTURE_LIMITS;
    for (let i = 0; i < perHostAndMinute; i++) expect(await got(at(`/${i}`))).toBe(`image/png ${PNG.length}`);
    expect(await got(at("/one-more"))).toBe("BUSY");
    expect(await got(at("/0"))).toBe(`image/png ${PNG.length}`);
    expect(outside.asked.length).toBe(perHostAndMinute);
    now += 60_000;
    expect(await got(at("/one-more"))).toBe(`image/png ${PNG.length}`);
  });
});

test.each([
  ["image/png", PNG],
  ["image/jpeg", Buffer.from("ffd8ffe000104a464946", "hex")],
  ["image/gif", Buffer.from("GIF89a\x01\x00")],
  ["image/webp", Buffer.from("RIFF\x10\x00\x00\x00WEBPVP8 ")],
  ["image/avif", Buffer.from("\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00avifmiaf", "latin1")],
  ["image/svg+xml", Buffer.from(`\ufeff<?xml version="1.0"?>\n<!-- > -->\n<!DOCTYPE svg>\n ${SVG}`)],
  [undefined, Buffer.from("<html><svg/></html>")],
  [undefined, Buffer.from("<svgx/>")],
  [undefined, Buffer.from("<!--".repeat(100_000))],
  [undefined, Buffer.from("\x00\x00\x00\x1cftypheic\x00\x00\x00\x00mif1", "latin1")],
  [undefined, Buffer.alloc(0)],
])("bytes are told to be %s", (type, content) => {
  expect(pictureType(content)).toBe(type);
});

test("any bytes can be told or are no picture", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void pictureType(Buffer.from(bytes))));
});
