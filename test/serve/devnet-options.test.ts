/** Options of `firn serve` have the same effect when a devnet is served; several servers can share one devnet. */

import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type AccessSettings, OPEN_TO_ALL } from "../../src/api/access/access.ts";
import { defaultDataSettings } from "../../src/api/data/context.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { type ServeDevnetOptions, serveDevnet } from "../../src/serve/serve-devnet.ts";
import { exchange, post } from "./small-node.ts";

let network: LocalNetwork;
beforeAll(async () => {
  network = await startDevnet({ hasEvm: false });
});
afterAll(() => network?.stop());

async function served<T>(options: Partial<ServeDevnetOptions>, use: (url: string, port: number) => Promise<T>): Promise<T> {
  const { dataDirectory, devnet } = network;
  const serving = await serveDevnet(devnet, { dataDirectory, httpPort: 0, log: pino({ level: "silent" }), ...options });
  try {
    return await use(serving.url, Number(new URL(serving.url).port));
  } finally {
    await serving.stop();
  }
}

test("hosts that are not allowed are refused in both interfaces", async () => {
  const statuses = (port: number, host: string) =>
    Promise.all([
      post(port, "/ext/firn", "{}", { Host: host }),
      exchange(port, `GET /v1/networks HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    ]).then((responses) => responses.map(({ status }) => status));
  await served({}, async (_, port) => expect((await statuses(port, "firn.example"))[0]).toBe(403));
  await served({ allowedHosts: ["firn.example"] }, async (_, port) => expect((await statuses(port, "firn.example"))[0]).toBe(200));
});

test("the Data API can want a key", async () => {
  const access: AccessSettings = { ...OPEN_TO_ALL, keyScope: "data" };
  await served({ access }, async (url) => {
    expect((await fetch(`${url}/v1/networks/fuji/validators`)).status).toBe(401);
    expect((await fetch(`${url}/ext/health`)).status).toBe(200);
  });
});

test("the Data API answers as its settings say", async () => {
  const path = "/v1/networks/local/blockchains/p-chain/transactions?pageSize=100";
  const shown = async (url: string) => ((await (await fetch(url + path)).json()) as { transactions: unknown[] }).transactions.length;
  const all = await served({}, shown);
  // a page ends once its transactions have this many UTXOs
  const settings = { ...defaultDataSettings, pageUtxos: 1 };
  expect(await served({ settings }, shown)).toBeLessThan(all);
});

test("a public one tells nothing of the node", async () => {
  await served({ isPublic: true }, async (url) => {
    const response = await fetch(`${url}/ext/health`);
    expect([response.status, response.headers.get("Node-Id")]).toEqual([404, null]);
  });
});

test("metrics have the chains and the process", async () => {
  const text = await served({}, async (url) => (await fetch(`${url}/ext/metrics`)).text());
  expect(text).toContain('firn_chain_height_blocks{chain="P"} 0');
  expect(text).toContain('process="devnet"');
});

test("without an EVM the C-chain's RPC says so, and there is nothing to upgrade to", async () => {
  await served({}, async (url, port) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
    expect((await post(port, "/ext/bc/C/rpc", body)).body).toContain("without an EVM");
    const socket = new WebSocket(`${url.replace("http", "ws")}/ext/bc/C/ws`);
    const refused = await new Promise<Error>((resolve) => socket.on("error", resolve));
    expect(String(refused)).toContain("404");
  });
});
