import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, post, type SmallNode, startSmallNode } from "../serve/small-node.ts";
import { heightChanges } from "../serve/small-store.ts";

const NETWORK_ID = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';
const ANSWER = '{"jsonrpc":"2.0","result":{"networkID":"1"},"id":1}\n';

let node: SmallNode;
beforeAll(async () => {
  node = await startSmallNode();
});
afterAll(() => node.remove());

const get = (path: string, headers = "") =>
  exchange(node.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);

describe("an answered request", () => {
  test("has the node's headers, and the heights of the state it was made from", async () => {
    const { status, headers, body } = await post(node.port, "/ext/info", NETWORK_ID);
    expect([status, body]).toEqual([200, ANSWER]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("node-id")).toMatch(/^NodeID-/);
    expect(["p", "x", "c"].map((chain) => headers.get(`firn-height-${chain}`))).toEqual(["10", "20", "30"]);
  });

  test("tells the new heights after a commit", async () => {
    await node.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    expect((await post(node.port, "/ext/info", NETWORK_ID)).headers.get("firn-height-p")).toBe("11");
  });

  test.each(["/ext/health", "/ext/health/readiness", "/ext/metrics"])(
    "of %s tells them too, though nobody asked for anything else",
    async (path) => {
      const before = (await get(path)).headers.get("firn-height-p");
      const height = BigInt(before!) + 1n;
      await node.store.commit(heightChanges({ P: height, X: 20n, C: 30n }));
      expect((await get(path)).headers.get("firn-height-p")).toBe(`${height}`);
    },
  );

  test("is sent in chunks above 2048 bytes, as the node does", async () => {
    const id = "x".repeat(3000);
    const long = await post(node.port, "/ext/info", NETWORK_ID.replace('"id":1', `"id":"${id}"`));
    expect(long.headers.get("transfer-encoding")).toBe("chunked");
    expect(long.headers.has("content-length")).toBe(false);
    expect(long.body).toContain(`"id":"${id}"`);
  });

  test("echoes the bytes of an id that is not UTF-8", async () => {
    const body = Buffer.from(NETWORK_ID.replace('"id":1', '"id":"\xff\xe9"'), "latin1");
    expect((await post(node.port, "/ext/info", body)).body).toContain('"id":"\xff\xe9"}');
  });

  test("may come behind another one on the same connection", async () => {
    const head = `POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${NETWORK_ID.length}\r\n`;
    const { body } = await exchange(node.port, `${head}\r\n${NETWORK_ID}${head}Connection: close\r\n\r\n${NETWORK_ID}`);
    expect(body.split(ANSWER)).toHaveLength(3);
  });
});

describe("a notification", () => {
  test("is answered with an empty body and no content type, but nosniff", async () => {
    const { status, headers, body } = await post(node.port, "/ext/info", '{"jsonrpc":"2.0","method":"info.getNetworkID"}');
    expect([status, body, headers.get("content-length")]).toEqual([200, "", "0"]);
    expect(headers.has("content-type")).toBe(false);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a refused request", () => {
  test("with another method is 405, whatever the method is called", async () => {
    for (const method of ["GET", "DELETE", "FOO", "get"]) {
      const { status, body } = await exchange(node.port, `${method} /ext/info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect([status, body]).toEqual([405, `rpc: POST method required, received ${method}`]);
    }
  });

  test("with another media type is 415 before its body is read", async () => {
    const { status, body } = await post(node.port, "/ext/info", "{", { "Content-Type": "text/plain;charset=x" });
    expect([status, body]).toEqual([415, "rpc: unrecognized Content-Type: text/plain"]);
  });

  test("to a foreign host is 403, even to an unknown path, and by address it is served", async () => {
    expect((await post(node.port, "/ext/nowhere", "", { Host: "example.org" })).status).toBe(403);
    expect((await post(node.port, "/ext/info", NETWORK_ID, { Host: "10.0.0.5:9650" })).body).toBe(ANSWER);
  });

  test("without a host, with two, or with a malformed one is 400 and closes the connection", async () => {
    const none = await exchange(node.port, "POST /ext/info HTTP/1.1\r\n\r\n");
    expect([none.status, none.body]).toEqual([400, "400 Bad Request: missing required Host header"]);
    expect((await exchange(node.port, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")).status).toBe(400);
    expect((await exchange(node.port, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n")).body).toBe("400 Bad Request: malformed Host header");
  });

  test("that is no HTTP gets the same plain 400", async () => {
    const { status, headers, body } = await exchange(node.port, "hello\r\n\r\n");
    expect([status, headers.get("content-type"), body]).toEqual([400, "text/plain; charset=utf-8", "400 Bad Request"]);
  });
});

describe("paths", () => {
  test("are decoded, cleaned by a redirect that keeps the query, and matched exactly", async () => {
    expect((await post(node.port, "/ext%2Finf%6f", NETWORK_ID)).body).toBe(ANSWER);
    const redirect = await get("/ext/../ext//info?a=%20");
    expect([redirect.status, redirect.headers.get("location")]).toEqual([301, "/ext/info?a=%20"]);
    expect((await get("/ext/info/")).body).toBe("404 page not found\n");
    expect((await get("/ext/%zz")).status).toBe(400);
  });
});

describe("the C-chain's path", () => {
  const rpc = async (body: string) => JSON.parse((await post(node.port, "/ext/bc/C/rpc", body)).body);

  test("says that there is no EVM upstream, also to batches", async () => {
    const answer = await rpc('{"jsonrpc":"2.0","id":7,"method":"eth_blockNumber"}');
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32601 } });
    expect(answer.error.message).toContain("eth_blockNumber");
    expect(await rpc('[{"id":"a","method":"x"},5]')).toMatchObject([{ id: "a" }, { id: null, error: { code: -32600 } }]);
  });

  test("answers GET with nothing", async () => {
    const { status, body, headers } = await get("/ext/bc/C/rpc");
    expect([status, body, headers.has("content-type")]).toEqual([200, "", false]);
  });
});

describe("a store that is gone", () => {
  test("is told in the answer, and later requests are still answered", async () => {
    const other = await startSmallNode();
    await other.store.close();
    const { body } = await post(other.port, "/ext/bc/P", '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight"}');
    expect(body).not.toContain('"result"');
    expect((await exchange(other.port, "GET /ext/health/liveness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).status).toBe(
      200,
    );
    await other.remove();
  });
});

describe("a body that does not end", () => {
  test("closes the connection, and is no defect", async () => {
    const defects = node.defects.length;
    const head = "POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    const cutOff = connect(node.port, "127.0.0.1", () => cutOff.end(`${head}{`));
    await once(cutOff, "close");
    expect(node.defects.slice(defects)).toEqual([]);
    expect((await post(node.port, "/ext/info", NETWORK_ID)).body).toBe(ANSWER);
  });
});

describe("--public", () => {
  test("closes health and what belongs to this one node, and keeps the rest", async () => {
    const open = await startSmallNode({ isPublic: true });
    expect((await post(open.port, "/ext/health", NETWORK_ID)).status).toBe(404);
    for (const method of ["info.getNodeID", "info.getNodeIP", "info.getVMs"]) {
      expect((await post(open.port, "/ext/info", `{"jsonrpc":"2.0","id":1,"method":"${method}"}`)).body).toContain("can't find method");
    }
    const { body, headers } = await post(open.port, "/ext/info", NETWORK_ID);
    expect([body, headers.has("node-id")]).toEqual([ANSWER, false]);
    await open.remove();
  });
});
