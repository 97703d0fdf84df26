/** The explorer's page and files over HTTP; `test/explorer` looks at it with a browser. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, buildExplorer } from "../explorer/build.ts";
import { exchange, type SmallNode, startSmallNode } from "./small-node.ts";

const BROWSER = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n";
const NODE_ANSWER = "404 page not found\n";

let node: SmallNode;
beforeAll(async () => {
  await buildExplorer();
  node = await startSmallNode({ hasExplorer: true });
});
afterAll(() => node.remove());

const ask = (port: number, path: string, headers = "", method = "GET") =>
  exchange(port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
const get = (path: string, headers = "", method = "GET") => ask(node.port, path, headers, method);

describe("/", () => {
  test("is the explorer to a browser, whatever its query", async () => {
    for (const path of ["/", "/?utm=1"]) {
      const { status, headers, body } = await get(path, BROWSER);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(body).toContain('<div id="app">');
    }
  });

  test.each([
    ["a client that takes anything", "Accept: */*\r\n", "GET"],
    ["a client of JSON", "Accept: application/json\r\n", "GET"],
    ["a client that says nothing", "", "GET"],
    ["a browser that posts", BROWSER, "POST"],
  ])("is what a node says to %s", async (_, headers, method) => {
    const { status, body } = await get("/", `${headers}Content-Length: 0\r\n`, method);
    expect([status, body]).toEqual([404, NODE_ANSWER]);
  });

  test("is what a node says to browsers as well, if the explorer is turned off", async () => {
    const without = await startSmallNode({ hasExplorer: false });
    try {
      const { status, body } = await ask(without.port, "/", BROWSER);
      expect([status, body]).toEqual([404, NODE_ANSWER]);
      expect((await ask(without.port, "/explorer/x.js")).body).toBe(NODE_ANSWER);
    } finally {
      await without.remove();
    }
  });

  test("is refused under a host that the operator did not allow", async () => {
    const { status, body } = await exchange(node.port, `GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n${BROWSER}\r\n`);
    expect([status, body]).toEqual([403, "invalid host specified\n"]);
  });
});

test("the policy lets the page load nothing from elsewhere, run no other script and be in no frame", async () => {
  const policy = (await get("/", BROWSER)).headers.get("content-security-policy")!;
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

describe("its files", () => {
  /** named by the page */
  const files = async () => {
    const { body } = await get("/", BROWSER);
    return [...body.matchAll(/(?:src|href)="\.(\/explorer\/[^"]+)"/g)].map(([, path]) => path!);
  };

  test("are all there, are named relative to the page, and never change under their name", async () => {
    const paths = await files();
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("take less than 200 kB together, compressed", () => {
    const names = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sizes = names.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name)), { level: 9 }).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  test("are compressed for who takes that", async () => {
    const [script] = (await files()).filter((path) => path.endsWith(".js"));
    const plain = await fetch(`http://127.0.0.1:${node.port}${script}`, { headers: { "accept-encoding": "identity" } });
    const zipped = await fetch(`http://127.0.0.1:${node.port}${script}`, { headers: { "accept-encoding": "gzip" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(await zipped.text()).toBe(await plain.text());
  });

  test.each(["/explorer/", "/explorer/none.js", "/explorer/../package.json", "/explorer/%2e%2e/cli/main.js", "/explorer/index.html"])(
    "%s is not one of them",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  test("cannot be written", async () => {
    expect((await get("/explorer/none.js", "Content-Length: 0\r\n", "POST")).status).toBe(405);
  });

  test("are sent without a body if only their head is asked for", async () => {
    const { status, body } = await get((await files())[0]!, "", "HEAD");
    expect([status, body]).toEqual([200, ""]);
  });
});
