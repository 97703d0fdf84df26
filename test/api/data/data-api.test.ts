import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type AccessRequest, type Admission, openAccess } from "../../../src/api/access/access.ts";
import { publicChainId } from "../../../src/api/data/network-labels.ts";
import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { X_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import { sourceTips } from "../../../src/index/tables.ts";
import type { Store, StoreReader } from "../../../src/store/store.ts";
import { exchange } from "../../serve/small-node.ts";
import { change, heightChanges, openSmallStore, smallNetwork } from "../../serve/small-store.ts";
import { type DataNode, startDataNode } from "./data-node.ts";
import { LIST_LENGTH } from "./echo-routes.ts";

const LIST = "/v1/networks/mainnet/blockchains/p-chain/echoes:list";
const POST = "/v1/networks/mainnet/blockchains/p-chain/echoes";
const JSON_BODY = { "Content-Type": "application/json" };
const ID = "ab".repeat(32);

let node: DataNode;
beforeAll(async () => {
  node = await startDataNode({ clock: () => 1_700_000_000n });
  // What is refused tells the heights of the last state that was read: each test by itself finds one, too
  await fetch(`http://127.0.0.1:${node.port}${LIST}`);
});
afterAll(() => node.remove());

const post = (body: string, headers: Record<string, string> = JSON_BODY) => node.ask(POST, { method: "POST", body, headers });
const addressList = (count: number) =>
  Array.from({ length: count }, (_, index) => encodeBech32("avax", index.toString(16).padStart(40, "0"))).join(",");

describe("A request", () => {
  test("is answered with its parameters as the schema says, and with what is fresh about it", async () => {
    const { status, body, headers } = await node.ask(`${LIST}?txTypes=BaseTx&pageSize=2&rltoken=x&token=y`);
    expect([status, body.asked]).toEqual([200, { pageSize: 2, sortOrder: "desc", txTypes: ["BaseTx"] }]);
    expect(body.chainInfo).toEqual({ chainName: "p-chain", network: "mainnet" });
    expect(["p", "x", "c"].map((chain) => headers.get(`firn-height-${chain}`))).toEqual(["10", "20", "30"]);
    expect(["p", "x", "c"].map((chain) => headers.get(`firn-seconds-behind-${chain}`))).toEqual(["0", "0", "0"]);
  });

  test("may escape the colon of a verb, and may end in a slash", async () => {
    expect((await node.ask(LIST.replace(":", "%3A"))).status).toBe(200);
    expect((await node.ask(LIST.replace(":", "%3a"))).status).toBe(200);
    expect((await node.ask(`${LIST}/`)).status).toBe(200);
  });

  test("has its path decoded once", async () => {
    const path = (id: string) => `/v1/networks/mainnet/echoes/${id}`;
    const escaped = [...formatId(ID)].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
    expect((await node.ask(path(escaped))).body).toEqual({ echoId: ID, clock: 1_700_000_000, platformHeight: 10 });
    expect((await node.ask(path(escaped.replaceAll("%", "%25")))).body.message).toContain("echoId must be an ID");
  });

  test("for something that has no pages may carry a token of a page, as anything else that its route does not name", async () => {
    const path = `/v1/networks/mainnet/echoes/${formatId(ID)}`;
    for (const query of ["pageToken=x", "pageToken=", "pageToken=a&pageToken=b"]) {
      expect((await node.ask(`${path}?${query}`)).body).toEqual({ echoId: ID, clock: 1_700_000_000, platformHeight: 10 });
    }
  });

  test("by HEAD has the headers of the answer, and no body", async () => {
    const head = await exchange(node.port, `HEAD ${LIST} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const got = await exchange(node.port, `GET ${LIST} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String(got.body.length));
  });

  test("behind another one on the same connection is answered in its turn", async () => {
    const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const { body } = await exchange(
      node.port,
      `${get(`${LIST}?pageSize=1`)}${get("/v1/nothing")}${get("/ext/health/liveness", "Connection: close\r\n")}`,
    );
    expect(body.indexOf('"numbers":[1]')).toBeLessThan(body.indexOf("there is no route"));
    expect(body.indexOf("there is no route")).toBeLessThan(body.indexOf('"healthy":true'));
  });

  test("followed by bytes that are no request is answered first", async () => {
    const { body } = await exchange(node.port, `GET ${LIST}?pageSize=1 HTTP/1.1\r\nHost: localhost\r\n\r\n\x01\x02garbage\r\n\r\n`);
    expect(body).toMatch(/^.*"numbers":\[1\].*HTTP\/1\.1 400 Bad Request/s);
  });
});

describe("A list", () => {
  test("is walked by its tokens, whatever the names of network and chain, and keeps the filters of its first page", async () => {
    const numbers: number[] = [];
    let path: string | undefined = `${LIST}?pageSize=10&sortOrder=asc&txTypes=ImportTx`;
    while (path !== undefined) {
      const { status, body } = await node.ask(path);
      expect(status).toBe(200);
      expect(body.asked).toMatchObject({ sortOrder: "asc", txTypes: ["ImportTx"] });
      numbers.push(...body.numbers);
      const token: string | undefined = body.nextPageToken;
      const other = LIST.replace("p-chain", formatId("00".repeat(32)));
      path = token === undefined ? undefined : `${other}?pageSize=4&sortOrder=desc&txTypes=BaseTx&pageToken=${token}`;
    }
    expect(numbers).toEqual(Array.from({ length: LIST_LENGTH }, (_, index) => index + 1));
  });

  test("does not take the token of another chain, another route or another server", async () => {
    const { body } = await node.ask(`${LIST}?pageSize=1`);
    const refused = { message: expect.stringContaining("pageToken is not from this list") };
    const other = await node.ask(`${LIST.replace("p-chain", "x-chain")}?pageToken=${body.nextPageToken}`);
    expect([other.status, other.body]).toEqual([400, expect.objectContaining(refused)]);
    const byPost = await node.ask(`${POST}?pageToken=${body.nextPageToken}`, {
      method: "POST",
      body: '{"addresses":""}',
      headers: JSON_BODY,
    });
    expect([byPost.status, byPost.body]).toEqual([400, expect.objectContaining(refused)]);
    expect((await node.ask(`${LIST}?pageToken=`)).status).toBe(400);
    expect((await node.ask(`${LIST}?pageToken=a&pageToken=b`)).status).toBe(400);
  });

  test("by POST carries a short list of addresses in its token, and asks for a long one again", async () => {
    const ask = (query: string, body: object) =>
      node.ask(`${POST}?${query}`, { method: "POST", body: JSON.stringify(body), headers: JSON_BODY });
    const few = await ask("pageSize=2", { addresses: addressList(3) });
    expect((await ask(`pageToken=${few.body.nextPageToken}`, {})).body.addresses).toHaveLength(1);
    const many = await ask("pageSize=1000", { addresses: addressList(1024) });
    expect(many.body.nextPageToken.length).toBeLessThanOrEqual(512);
    expect((await ask(`pageToken=${many.body.nextPageToken}`, { addresses: addressList(1024) })).body.addresses).toHaveLength(10);
    expect((await ask(`pageToken=${many.body.nextPageToken}`, {})).body.message).toContain("addresses must be sent again");
    expect((await ask(`pageToken=${many.body.nextPageToken}`, { addresses: addressList(1023) })).body.message).toContain(
      "must be the same",
    );
    const longest = Array<string>(80).fill(addressList(50)).join();
    const again = await ask("pageSize=49", { addresses: longest });
    expect((await ask(`pageToken=${again.body.nextPageToken}`, { addresses: longest })).body.addresses).toHaveLength(1);
    const deep = `{"addresses":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const path = `${POST}?pageToken=${many.body.nextPageToken}`;
    const refused = await node.ask(path, { method: "POST", body: deep, headers: JSON_BODY });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("addresses must be sent again")]);
  });
});

describe("Status 400 tells of", () => {
  test.each([
    ["a malformed value", `${LIST}?pageSize=0`, "pageSize must be an integer from 1 to 100, got 0"],
    ["a network that nobody knows", LIST.replace("mainnet", "moonnet"), "network must be one of mainnet, fuji, testnet"],
    ["a chain that the route does not take", LIST.replace("p-chain", "c-chain"), "blockchainId must be p-chain, x-chain"],
    [
      "a blockchain ID of another network",
      LIST.replace("p-chain", publicChainId(X_CHAIN, "fuji")),
      "blockchainId must be p-chain, x-chain",
    ],
    ["a malformed URL", "/v1/networks/%zz/height", "the path is not a valid URL"],
    ["bytes that are no UTF-8", "/v1/networks/%ff%fe/height", "the path is not a valid URL"],
    ["what a handler refuses", "/v1/failures/400", "failed with 400"],
  ])("%s", async (_, path, message) => {
    const { status, body } = await node.ask(path);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([
    ["a body that is no JSON", "{", JSON_BODY, "the body is not valid JSON"],
    ["an empty body", "", JSON_BODY, "the body is empty"],
    ["a body that is no object", "[]", JSON_BODY, "the body must be a JSON object with addresses"],
    ["a body without what it must have", "{}", JSON_BODY, "addresses is missing"],
    ["a body of another type", "addresses=x", { "Content-Type": "text/plain" }, "the body must be JSON"],
    ["a content type that is none", "{}", { "Content-Type": "json" }, "the body must be JSON"],
    ["a body that is too long", JSON.stringify({ addresses: "x".repeat(4_300_000) }), JSON_BODY, "the body is longer than"],
    [
      "lists in lists",
      `{"addresses":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      JSON_BODY,
      "addresses must be one text, got a list of 1",
    ],
    [
      "objects in objects",
      `{"addresses":${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}}`,
      JSON_BODY,
      "addresses must be one text, got an object",
    ],
    ["keys that would change objects", '{"__proto__":{"addresses":"x"}}', JSON_BODY, "addresses is missing"],
  ])("%s", async (_, body, headers, message) => {
    const answer = await post(body, headers);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test("a body that was not sent", async () => {
    expect((await node.ask(POST, { method: "POST" })).body.message).toContain("the body must be a JSON object");
  });
});

describe("Status 404 tells of", () => {
  test.each([
    ["a network that is not served here", LIST.replace("mainnet", "fuji"), "network fuji is not served here; use mainnet"],
    ["a route that there is not", "/v1/nothing", "there is no route GET /v1/nothing"],
    ["the root", "/v1", "there is no route GET /v1"],
    ["a part of the path that names nothing", `/v1/networks/mainnet/echoes/${"x".repeat(2000)}`, "longer than any name"],
    ["what a handler does not find", "/v1/failures/404", "failed with 404"],
  ])("%s", async (_, path, message) => {
    const { status, body } = await node.ask(path);
    expect([status, body.message]).toEqual([404, expect.stringContaining(message)]);
  });

  test.each(["PUT", "DELETE", "PATCH", "POST"])("a method that a route does not have: %s", async (method) => {
    expect((await node.ask(LIST, { method })).status).toBe(404);
  });

  test("paths that only begin like the API's, in the node's own words", async () => {
    const { status, body } = await exchange(node.port, "GET /v1x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect([status, body]).toEqual([404, "404 page not found\n"]);
  });
});

test("Status 502 tells of a wrong answer from behind", async () => {
  expect((await node.ask("/v1/failures/502")).status).toBe(502);
});

describe("Access", () => {
  const admit = vi.fn((_: AccessRequest) => ({ headers: [] }) as Admission);
  let guarded: DataNode;
  beforeAll(async () => {
    guarded = await startDataNode({ access: { ...openAccess, admit }, trustedProxies: ["127.0.0.1"] });
  });
  afterEach(() => admit.mockReset());
  afterAll(() => guarded.remove());

  test("is asked for with the key under both names, the address and the price", async () => {
    admit.mockReturnValue({ headers: ["ratelimit-limit", "600"] });
    const headers = { "X-Data-Api-Key": "a", "x-glacier-api-key": "b", "X-Forwarded-For": "203.0.113.7", Authorization: "Bearer x" };
    const answer = await guarded.ask(LIST, { headers });
    expect([answer.status, answer.headers.get("ratelimit-limit")]).toEqual([200, "600"]);
    expect(admit).toHaveBeenCalledWith({ keys: ["a", "b"], ip: "203.0.113.7" }, 20);
  });

  test.each([401, 403, 429] as const)(
    "that is refused is answered with %i and its headers, before the request is looked at",
    async (status) => {
      admit.mockReturnValue({ headers: ["retry-after", "7"], refusal: { status, message: "not now" } });
      const answer = await guarded.ask(`${LIST.replace("mainnet", "moonnet")}?pageSize=0`, {
        headers: { Origin: "https://wallet.example" },
      });
      expect([answer.status, answer.body.message, answer.headers.get("retry-after")]).toEqual([status, "not now", "7"]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    },
  );
});

describe("A failure", () => {
  let fault: "none" | "reads" | "snapshots" = "none";
  let failing: DataNode;
  beforeAll(async () => {
    const small = await openSmallStore();
    failing = await startDataNode({ store: faultyStore(small.store, () => fault) });
    await failing.ask(LIST);
  });
  afterEach(() => {
    fault = "none";
    failing.defects.length = 0;
  });
  afterAll(() => failing.remove());

  test("in the store while a route reads is 500, logged, and its details are not told", async () => {
    fault = "reads";
    const { status, body } = await failing.ask("/v1/networks/mainnet/height");
    expect([status, body.message]).toEqual([500, "the server failed to answer; its log has the cause"]);
    expect(failing.defects).toEqual([expect.objectContaining({ message: "the disk is on fire" })]);
  });

  test("when there is no store any more is 503", async () => {
    fault = "snapshots";
    const { status, body } = await failing.ask("/v1/networks/mainnet/height");
    expect([status, body.message]).toEqual([503, expect.stringContaining("the store does not answer")]);
    expect(failing.defects).toHaveLength(1);
  });

  test("in a route's own answer is 500, and no client gets the answer", async () => {
    const { status, body } = await failing.ask("/v1/wrong-answer");
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining("secret")]);
    expect(String(failing.defects)).toContain('answer.height must be integer, is "secret text"');
  });

  test("leaves the next request alone", async () => {
    expect((await failing.ask("/v1/networks/mainnet/height")).body).toEqual({ height: 10 });
  });
});

/** Fails like a disk does: from the outside of everything that is tested. */
function faultyStore(store: Store, fault: () => string): Store {
  const faultyReader = (reader: StoreReader): StoreReader => ({
    get: async (table, key) => {
      // the server's own reads of heights and freshness come first
      if (fault() === "reads" && table.name === "platform_chain") throw new Error("the disk is on fire");
      return reader.get(table, key);
    },
    getMany: (table, keys) => reader.getMany(table, keys),
    getParts: (table, column, parts) => reader.getParts(table, column, parts),
    scan: (table, range) => reader.scan(table, range),
  });
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (name !== "snapshot") return typeof own === "function" ? own.bind(target) : own;
      return <R>(read: (reader: StoreReader) => Promise<R>) => {
        if (fault() === "snapshots") return Promise.reject(new Error("no store"));
        return target.snapshot((reader) => read(faultyReader(reader)));
      };
    },
  });
}

describe("Freshness", () => {
  test("is told of every chain, and is judged for the chains that a route needs", async () => {
    const stale = await startDataNode({ maxStalenessSeconds: 60 });
    try {
      const lag = (seconds: bigint) =>
        change(sourceTips, { chainId: smallNetwork.xChainId }, { height: 25n, acceptedAt: seconds * 1_000_000_000n });
      await stale.store.commit([...heightChanges({ P: 10n, X: 21n, C: 30n }), lag(60n)]);
      expect((await stale.ask(LIST.replace("p-chain", "x-chain"))).headers.get("firn-seconds-behind-x")).toBe("60");

      await stale.store.commit([...heightChanges({ P: 10n, X: 22n, C: 30n }), lag(61n)]);
      const { status, body, headers } = await stale.ask(LIST.replace("p-chain", "x-chain"));
      expect([status, headers.get("firn-seconds-behind-x")]).toEqual([503, "61"]);
      expect(body.message).toBe("the index of the x-chain is 61s behind its source; at most 60s are served here");
      expect((await stale.ask(LIST)).status).toBe(200);
      expect((await stale.ask("/v1/failures/404")).status).toBe(404);
    } finally {
      await stale.remove();
    }
  });

  test("of a chain that is not indexed yet is 503", async () => {
    const lacking = await startDataNode({ network: { ...smallNetwork, cChainId: "0c".repeat(32) } });
    try {
      const { status, body, headers } = await lacking.ask("/v1/networks/mainnet/height");
      expect([status, body.message]).toEqual([503, "the c-chain is not indexed yet; try again later"]);
      expect(headers.has("firn-height-c")).toBe(false);
    } finally {
      await lacking.remove();
    }
  });
});

describe("A network of one's own", () => {
  let own: DataNode;
  beforeAll(async () => {
    own = await startDataNode({ network: { ...smallNetwork, networkId: 9001, name: "home" } });
  });
  afterAll(() => own.remove());

  test("answers under its own name and ID and as Fuji, under Fuji's chain IDs too, and says Fuji", async () => {
    for (const label of ["home", "9001", "fuji", "testnet"]) {
      for (const chain of ["x-chain", publicChainId(X_CHAIN, "fuji"), formatId(smallNetwork.xChainId)]) {
        const { status, body } = await own.ask(`/v1/networks/${label}/blockchains/${chain}/echoes:list`);
        expect([status, body.chainInfo]).toEqual([200, { chainName: "x-chain", network: "fuji" }]);
      }
    }
  });

  test("is not mainnet", async () => {
    const { status, body } = await own.ask(LIST);
    expect([status, body.message]).toEqual([404, "network mainnet is not served here; use home, 9001, fuji, testnet"]);
    expect(
      (await own.ask(LIST.replace("mainnet/blockchains/p-chain", `fuji/blockchains/${publicChainId(X_CHAIN, "mainnet")}`))).status,
    ).toBe(400);
  });
});

describe("Browsers", () => {
  const preflight = (target: DataNode, origin: string, wanted?: string) =>
    fetch(`http://127.0.0.1:${target.port}${LIST}`, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "GET", ...(wanted && { "Access-Control-Request-Headers": wanted }) },
    });

  test("may send both key headers and what clients add, from anywhere by default", async () => {
    const wanted = "x-data-api-key, x-glacier-api-key, cache-control, pragma, expires, authorization, content-type, x-app-component";
    const { status, headers } = await preflight(node, "https://wallet.example", wanted);
    expect([status, headers.get("access-control-allow-origin"), headers.get("access-control-allow-headers")]).toEqual([204, "*", wanted]);
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PATCH, DELETE");
  });

  test("may read freshness and limits, also of errors", async () => {
    const paths = [LIST, "/v1/nothing", `${LIST}?pageSize=0`, LIST.replace("mainnet", "fuji"), "/v1/wrong-answer", "/v1/failures/502"];
    for (const path of paths) {
      const { headers } = await node.ask(path, { headers: { Origin: "https://wallet.example" } });
      expect(headers.get("access-control-allow-origin"), path).toBe("*");
      expect(headers.get("access-control-expose-headers")).toMatch(
        /Firn-Height-P, Firn-Seconds-Behind-P.*RateLimit-Remaining.*Retry-After/,
      );
    }
  });

  test("of other origins than the operator allows are told nothing", async () => {
    const strict = await startDataNode({ allowedOrigins: ["https://*.example.org"] });
    try {
      const allowed = await preflight(strict, "https://a.example.org");
      expect([allowed.headers.get("access-control-allow-origin"), allowed.headers.get("vary")]).toEqual([
        "https://a.example.org",
        "Origin",
      ]);
      expect((await preflight(strict, "https://example.com")).headers.has("access-control-allow-origin")).toBe(false);
      const answer = await strict.ask(LIST, { headers: { Origin: "https://example.com" } });
      expect([answer.headers.has("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([false, "Origin"]);
      expect((await strict.ask(LIST)).headers.get("vary")).toBe("Origin");
    } finally {
      await strict.remove();
    }
  });
});

test.each(["/v1/live", LIST, "/docs", "/docs/static/swagger-ui.css"])(
  "A Host that the operator does not allow gets nothing: %s",
  async (path) => {
    const { status, body } = await exchange(node.port, `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect([status, JSON.parse(body).error]).toEqual([403, "Forbidden"]);
  },
);

test("Responses are counted by operation and status", async () => {
  const counted = await startDataNode({});
  const { metrics } = counted;
  try {
    await counted.ask(LIST);
    await counted.ask(`${LIST}?pageSize=0`);
    await counted.ask("/v1/nothing");
    expect(metrics.counts.responses).toEqual({ "v1/listEchoes 200": 1, "v1/listEchoes 400": 1, "v1/none 404": 1 });
  } finally {
    await counted.remove();
  }
});
