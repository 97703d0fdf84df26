/** Which web pages may change a devnet, and what every page may read. */

import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { hostFilter, pageGuard } from "../../src/http/origins.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";

const HERE = [
  "http://localhost",
  "https://LOCALHOST:3000",
  "http://app.localhost:5173",
  "http://127.0.0.1:8080",
  "http://127.9.9.9",
  "http://[::1]:3000",
  "chrome-extension://ejbalbakoplchlghecdalmeeeajnimhm",
  "moz-extension://0f9b1c52-7f1f-4f3b-9d8e-5b6a1c2d3e4f",
];
const ELSEWHERE = [
  "https://evil.example",
  "http://localhost.evil.example",
  "http://127.0.0.1.evil.example",
  "http://evil.example:9650",
  "http://localhost:9650@evil.example",
  "http://localhost:9650, https://evil.example",
  "http://192.168.1.1",
  "file://",
  "null",
];

let network: LocalNetwork;
beforeAll(async () => {
  network = await startDevnet();
});
afterAll(() => network?.stop());

const message = (method: string, params: unknown = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

async function post(path: string, body: string, headers: Record<string, string>) {
  const response = await fetch(new URL(path, network.url), {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const heights = async () => {
  const { headers } = await post("/ext/info", message("info.getNetworkID"), {});
  return ["P", "X", "C"].map((alias) => headers.get(`Firn-Height-${alias}`));
};

describe("A page from elsewhere", () => {
  const cases: [string, string, () => string | Promise<string>][] = [
    ["drive the devnet", "/ext/firn", () => message("firn.advanceTime", { seconds: 3600 })],
    ["read what the devnet was told", "/ext/firn", () => message("firn.listKeys")],
    ["issue on P", "/ext/bc/P", () => message("platform.issueTx", { tx: "0x00" })],
    ["issue on P by a letter that Go takes for another", "/ext/P", () => message("platform.\u0131ssueTx", { tx: "0x00" })],
    ["issue on X", "/ext/bc/X", () => message("avm.issueTx", { tx: "0x00" })],
    ["issue by the wallet's path", "/ext/bc/X/wallet", () => message("wallet.issueTx", { tx: "0x00" })],
    ["issue on C", "/ext/bc/C/avax", () => message("avax.issueTx", { tx: "0x00" })],
    ["send on C", "/ext/bc/C/rpc", () => message("eth_sendRawTransaction", payment())],
    ["send on C among reads", "/ext/bc/C/rpc", () => `[${message("eth_chainId", [])},${message("eth_sendRawTransaction", payment())}]`],
    ["set a balance on C", "/ext/bc/C/rpc", () => message("hardhat_setBalance", [`0x${"11".repeat(20)}`, "0x1"])],
    ["send for another on C", "/ext/bc/C/rpc", () => message("eth_sendUnsignedTransaction", [{ from: `0x${"11".repeat(20)}` }])],
    ["hold blocks of C back", "/ext/bc/C/rpc", () => message("evm_setAutomine", [false])],
    ["impersonate on C", "/ext/bc/C/rpc", () => message("anvil_impersonateAccount", [`0x${"11".repeat(20)}`])],
    ["call what nobody knows on C", "/ext/bc/C/rpc", () => message("anvil_somethingNew", [])],
  ];
  const payment = () => new PlainWallet(network, EWOQ_KEY).payInEvm(0n, "11".repeat(20), 1n, 30_000_000_000n).params;

  test.each(cases)("may not %s: 403 with a sentence, and nothing is done", async (_, path, body) => {
    const before = [network.now(), await heights()];
    for (const origin of ELSEWHERE) {
      const { status, text } = await post(path, await body(), { Origin: origin });
      expect([origin, status]).toEqual([origin, 403]);
      expect(text).toBe(
        `pages of ${JSON.stringify(origin)} may not do this; the operator can name their origin in --http-allowed-origins\n`,
      );
    }
    const [time, after] = [network.now(), await heights()];
    expect(after).toEqual(before[1]);
    expect(time - (before[0] as number)).toBeLessThan(3600);
  });

  test.each([
    ["/ext/bc/P", message("platform.getHeight")],
    ["/ext/info", message("info.getNetworkID")],
    ["/ext/bc/C/rpc", message("eth_blockNumber", [])],
  ])("may read: %s", async (path, body) => {
    for (const origin of ELSEWHERE) {
      const { status, headers } = await post(path, body, { Origin: origin });
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
    }
  });

  test("has no WebSocket", async () => {
    for (const path of ["/ext/bc/C/ws", "/ext/bc/C/rpc"]) {
      const socket = new WebSocket(new URL(path, network.url.replace("http", "ws")), { origin: "https://evil.example" });
      expect(String((await once(socket, "error"))[0])).toContain("403");
    }
  });

  test("may not have metadata read again", async () => {
    const path = `/v1/chains/43112/nfts/collections/0x${"11".repeat(20)}/tokens/1:reindex`;
    for (const spelled of [path, path.replace(":", "%3A")]) {
      const { status, text } = await post(spelled, "{}", { Origin: "https://evil.example" });
      expect([status, JSON.parse(text).message]).toEqual([403, expect.stringContaining("may not do this")]);
    }
    expect((await post(path, "{}", {})).status).toBe(404);
  });
});

test.each([...HERE, undefined])("%s may drive the devnet, send and subscribe", async (origin) => {
  const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
  expect((await post("/ext/firn", message("firn.mine"), headers)).status).toBe(200);
  expect((await post("/ext/bc/P", message("platform.issueTx", { tx: "0x00" }), headers)).status).toBe(200);
  expect((await post("/ext/bc/C/rpc", message("eth_sendRawTransaction", ["0x00"]), headers)).status).toBe(200);
  const socket = new WebSocket(network.urls.cWebSocket, { headers });
  await once(socket, "open");
  socket.terminate();
});

test.each([
  ["/ext/firn", "text/plain", "rpc: unrecognized Content-Type: text/plain"],
  ["/ext/firn", "application/x-www-form-urlencoded", "rpc: unrecognized Content-Type: application/x-www-form-urlencoded"],
  ["/ext/bc/C/rpc", "text/plain", "invalid content type, only application/json is supported\n"],
  ["/ext/bc/C/rpc", "multipart/form-data; boundary=x", "invalid content type, only application/json is supported\n"],
  ["/ext/bc/C/rpc", "application/json; ;=", "invalid content type, only application/json is supported\n"],
])("%s takes no %s, which pages may send unasked", async (path, type, text) => {
  expect(await post(path, message("eth_chainId", []), { "Content-Type": type })).toMatchObject({ status: 415, text });
});

test.each(["application/json;charset=utf-8", "Application/JSON", "application/json-rpc", "application/jsonrequest"])(
  "the C-chain takes %s, as geth does",
  async (type) => {
    expect((await post("/ext/bc/C/rpc", message("eth_chainId", []), { "Content-Type": type })).text).toContain('"result":"0xa868"');
  },
);

test("a page that asks whether it may reach into a private network is not told so", async () => {
  const headers = {
    Origin: "https://evil.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
    "Access-Control-Request-Private-Network": "true",
  };
  const answer = await fetch(`${network.url}/ext/firn`, { method: "OPTIONS", headers });
  expect([...answer.headers.keys()].filter((name) => name.includes("private"))).toEqual([]);
});

test.each([
  ["/ext/firn", "https://evil.example", null],
  ["/ext/firn", "http://localhost:3000", "*"],
  ["/ext/bc/P", "https://evil.example", "*"],
])("a preflight to %s from %s is told %s", async (path, origin, allowed) => {
  const headers = { Origin: origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type" };
  const answer = await fetch(network.url + path, { method: "OPTIONS", headers });
  expect([answer.status, answer.headers.get("Access-Control-Allow-Origin")]).toEqual([200, allowed]);
});

describe("A page that the server itself sends", () => {
  const HOSTS = ["localhost", "firn.example", "*.internal", "single-label", "*"];

  test.each([
    ["http://192.168.1.5:9650", "192.168.1.5:9650", true],
    ["http://[fd00::5]:9650", "[fd00::5]:9650", true],
    ["http://10.0.0.7", "10.0.0.7", true],
    ["https://firn.example", "firn.example", true],
    ["https://Firn.Example:8443", "firn.example:8443", true],
    ["http://node.docker.internal:9650", "node.docker.internal:9650", true],
    ["http://firn:9650", "firn:9650", true],
    // any site can have its name resolve to this server
    ["http://evil.example:9650", "evil.example:9650", false],
    ["http://firn.example.evil.example", "firn.example.evil.example", false],
    // another server on the same machine, or under the same name
    ["http://192.168.1.5:3000", "192.168.1.5:9650", false],
    ["http://192.168.1.5", "192.168.1.5:9650", false],
    ["https://firn.example", "firn.example:9650", false],
    ["http://192.168.1.6:9650", "192.168.1.5:9650", false],
    // not what a browser sends
    ["http://user@192.168.1.5:9650", "user@192.168.1.5:9650", false],
    ["http://localhost:9650@evil.example", "localhost:9650@evil.example", false],
    ["http://192.168.1.5:9650/", "192.168.1.5:9650/", false],
    ["ftp://192.168.1.5:9650", "192.168.1.5:9650", false],
    ["http://", "", false],
    ["null", "null", false],
  ])("may act if nobody else can be reached by its host: %s asks %s, %s", (origin, host, isAllowed) => {
    expect(pageGuard(undefined, HOSTS)({ origin, host }) === undefined).toBe(isAllowed);
    expect(pageGuard(["https://app.example"], HOSTS)({ origin, host }) === undefined).toBe(isAllowed);
  });

  test("is another's if the browser says so: the proxy before the server hides scheme or port", () => {
    const page = { origin: "https://firn.example", host: "firn.example" };
    const guard = pageGuard(undefined, HOSTS);
    expect(guard({ ...page, "sec-fetch-site": "same-origin" })).toBeUndefined();
    for (const site of ["same-site", "cross-site", "none"])
      expect([site, guard({ ...page, "sec-fetch-site": site })]).not.toContain(undefined);
  });

  test("needs its name to be allowed by more than *", () => {
    const page = { origin: "http://firn.example", host: "firn.example" };
    expect(pageGuard(undefined, ["*"])(page)).toContain('pages of "http://firn.example" may not do this');
    expect(pageGuard(undefined, ["*", "firn.example"])(page)).toBeUndefined();
  });

  test("may drive a devnet by an address that is not of this machine's loopback", async () => {
    const asked = async (origin: string, host: string) => {
      const { port } = new URL(network.url);
      const request = httpRequest({ host: "127.0.0.1", port, path: "/ext/firn", method: "POST" });
      for (const [name, value] of Object.entries({ Host: host, Origin: origin, "Content-Type": "application/json" })) {
        request.setHeader(name, value);
      }
      request.end(message("firn.mine"));
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return response.statusCode;
    };
    expect(await asked("http://192.168.1.5:9650", "192.168.1.5:9650")).toBe(200);
    expect(await asked("http://192.168.1.5:3000", "192.168.1.5:9650")).toBe(403);
    expect(await asked("http://evil.example:9650", "192.168.1.5:9650")).toBe(403);
    expect(await asked("http://evil.example:9650", "evil.example:9650")).toBe(403);
  });
});

describe("The guard of pages", () => {
  test("lets those pass that the operator names, and no others then", () => {
    const guard = pageGuard(["https://*.example.org", "https://app.example"], ["localhost"]);
    expect(guard({ origin: "https://app.example" })).toBeUndefined();
    expect(guard({ origin: "https://a.example.org" })).toBeUndefined();
    expect(guard({ origin: "http://localhost:3000" })).toContain('pages of "http://localhost:3000" may not do this');
    expect(pageGuard(["*"], ["localhost"])({ origin: "null" })).toBeUndefined();
  });

  test.each([
    ["cross-site", "localhost:9650", false],
    ["same-site", "localhost:9650", false],
    ["same-origin", "localhost:9650", true],
    ["same-origin", "evil.example:9650", false],
    ["none", "localhost:9650", true],
  ])("knows a page that keeps its origin to itself: %s of %s", (site, host, isAllowed) => {
    expect(pageGuard(undefined, ["localhost"])({ "sec-fetch-site": site, host }) === undefined).toBe(isAllowed);
  });

  test("shows no more than the beginning of an origin", () => {
    expect(pageGuard(undefined, ["localhost"])({ origin: `https://${"a".repeat(100_000)}` })!.length).toBeLessThan(300);
  });
});

describe("Hosts", () => {
  test.each([
    ["firn", true],
    ["firn:9650", true],
    ["my_net-1", true],
    ["localhost:80", true],
    ["host.docker.internal:9650", true],
    ["127.0.0.1:9650", true],
    ["[::1]:9650", true],
    ["evil.example", false],
    ["firn.evil.example:9650", false],
    ["internal.example", false],
    ["firn.", false],
    ["a b", false],
  ])("of the container's defaults: %s, %s", (host, isServed) => {
    expect(hostFilter(["localhost", "single-label", "*.internal"])(host)).toBe(isServed);
  });

  test("without a dot are not served unless that is said", () => {
    expect(hostFilter(["localhost"])("firn")).toBe(false);
  });
});
