/** Routes of webhooks over HTTP: whose they are, and what is refused. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addKey } from "../../src/api/access/manage-keys.ts";
import { defaultDataSettings } from "../../src/api/data/context.ts";
import { dataRoutes } from "../../src/api/data/routes.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import { NO_LIVE_CHAINS } from "../../src/serve/evm/evm-chains.ts";
import { type Serving, serveStore } from "../../src/serve/serve.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { openToWrite } from "../conformance/stores.ts";
import { serveHere } from "./serve-here.ts";

// Not one of those that are removed after each test
const directory = mkdtempSync(join(tmpdir(), "firn-webhooks-"));
let store: Store;
let serving: Serving;
let keys: { reader: string; writer: string; other: string };

beforeAll(async () => {
  await importUntil(recordingFolder("x-dag"), directory, {}, "replay");
  const reading = await openStore({ directory, mode: "read" });
  const { network } = await storeNetwork(reading, directory);
  await reading.close();
  store = await openToWrite(directory, network);
  const options = {
    ...{ dataDirectory: directory, httpHost: "127.0.0.1", httpPort: 0, allowedHosts: ["localhost"], isPublic: false, workers: 1 },
    ...{ healthCheckFrequencyMs: 30_000, log: pino({ level: "silent" }), settings: defaultDataSettings },
  };
  const make = async (...privileges: ("read" | "write")[]) => (await addKey(directory, { tier: "free", privileges })).key;
  keys = { reader: await make("read"), writer: await make("read", "write"), other: await make("read", "write") };
  serving = await serveStore({ store, network }, options, { chains: NO_LIVE_CHAINS });
});
afterAll(async () => {
  await serving?.stop();
  await store?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function ask(method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) {
  const response = await fetch(`${serving.url}/v1${path}`, {
    method,
    headers: { ...(key !== undefined && { "x-data-api-key": key }), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> & { message: string } };
}

const routes = dataRoutes
  .filter(({ tag }) => tag === "Webhooks")
  .map(({ method, path, body }) => ({ method, path, hasBody: body !== undefined }));
const pathOf = (path: string) => path.replace("{id}", "f33de69c-d13b-4691-908f-870d6e2e6b04");

test("without an API key every route answers 401", async () => {
  expect(routes).toHaveLength(12);
  for (const { method, path, hasBody } of routes) {
    const { status, body } = await ask(method, pathOf(path), hasBody ? { body: { ...valid(), addresses: [] } } : {});
    expect([method, path, status, body.message]).toEqual([
      method,
      path,
      401,
      "webhooks belong to an API key; send one in the header x-data-api-key",
    ]);
  }
});

test("a server that only reads the store answers 503", async () => {
  const reading = await serveHere(directory);
  try {
    const response = await fetch(`${reading.url}/v1/webhooks`, { headers: { "x-data-api-key": keys.writer } });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      503,
      expect.stringContaining("keeps no webhooks"),
    ]);
  } finally {
    await reading.stop();
  }
});

const ADDRESS = "custom18jma8ppw3nhx5r4ap8clazz0dps7rv5u9xde7p";
const NODE = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const SUBNET = "11111111111111111111111111111111LpoYY";

/** Changes by path, such as `metadata.keys`; undefined removes. */
function valid(changes: Readonly<Record<string, unknown>> = {}) {
  const body: Record<string, unknown> = {
    eventType: "validator_activity",
    url: "https://receiver.example.org/hook",
    network: "fuji",
    metadata: { keyType: "nodeId", keys: [NODE], subEvents: { validatorActivitySubEvents: ["validator_stake"] } },
  };
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    let within = body;
    for (const name of names.slice(0, -1)) within = within[name] as Record<string, unknown>;
    within[names.at(-1)!] = value;
  }
  return body;
}

test("a key that may only read lists webhooks, and does not make any", async () => {
  expect(await ask("GET", "/webhooks", { key: keys.reader })).toMatchObject({ status: 200, body: { webhooks: [] } });
  for (const { method, path, hasBody } of routes.filter((route) => route.method !== "GET")) {
    const { status, body } = await ask(method, pathOf(path), { key: keys.reader, ...(hasBody && { body: valid() }) });
    expect([path, status, body.message]).toEqual([path, 403, expect.stringContaining("lacks the privilege write")]);
  }
  expect(await ask("GET", "/webhooks:getSharedSecret", { key: keys.reader })).toMatchObject({ status: 403 });
});

test("a webhook is its key's own", async () => {
  const { status, body } = await ask("POST", "/webhooks", { key: keys.writer, body: valid() });
  expect([status, body]).toMatchObject([201, { status: "active", metadata: { keys: [NODE] }, chainId: "p-chain", waitingMessages: 0 }]);
  const { id } = body as unknown as { id: string };
  expect(await ask("GET", `/webhooks/${id}`, { key: keys.writer })).toMatchObject({ status: 200, body });
  expect(await ask("GET", `/webhooks/${id.toUpperCase()}`, { key: keys.writer })).toMatchObject({ status: 200 });
  for (const { method, path, hasBody } of routes.filter((route) => route.path.includes("{id}"))) {
    const sent = path.endsWith("addresses") ? { addresses: [`0x${"11".repeat(20)}`] } : {};
    const answered = await ask(method, path.replace("{id}", id), { key: keys.other, ...(hasBody && { body: sent }) });
    expect([path, answered.status]).toEqual([path, 404]);
  }
  expect(await ask("GET", "/webhooks", { key: keys.other })).toMatchObject({ body: { webhooks: [] } });
  expect(await ask("PATCH", `/webhooks/${id}`, { key: keys.writer, body: { status: "inactive", name: "off" } })).toMatchObject({
    body: { status: "inactive", name: "off" },
  });
  expect(await ask("GET", "/webhooks?status=active", { key: keys.writer })).toMatchObject({ body: { webhooks: [] } });
  expect(await ask("GET", "/webhooks?status=inactive", { key: keys.writer })).toMatchObject({ body: { webhooks: [{ id }] } });
  expect(await ask("GET", `/webhooks/${id}/addresses`, { key: keys.writer })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("only webhooks of address_activity") },
  });
});

const address = {
  eventType: "primary_network_address_activity",
  chainId: "p-chain",
  "metadata.keyType": "addresses",
  "metadata.keys": [ADDRESS],
};
const events = (...names: string[]) => ({ "metadata.subEvents": { addressActivitySubEvents: names } });

describe("refuses", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "another event",
      { eventType: "block" },
      "eventType must be one of address_activity, primary_network_address_activity, validator_activity",
    ],
    ["no URL", { url: undefined }, "url is missing"],
    ["a URL that is none", { url: "receiver" }, "url must be http or https"],
    ["another protocol", { url: "ftp://example.org" }, "url must be http or https"],
    ["a password", { url: "http://me:secret@example.org" }, "without a password"],
    ["no metadata", { metadata: undefined }, "metadata is missing; it must be an object with addresses"],
    ["metadata that are a list", { metadata: [] }, "metadata must be an object with addresses"],
    ["a member of another type", { "metadata.keys": [7] }, "metadata.keys must be at most 1000 values"],
    ["another network", { network: "mainnet" }, "network mainnet is not served here"],
    ["no network", { network: undefined }, "network must be one of"],
    [
      "another kind of key",
      { "metadata.keyType": "addresses" },
      'metadata.keyType must be nodeId or subnetId for this event, got "addresses"',
    ],
    ["a node that is none", { "metadata.keys": [SUBNET] }, "metadata.keys must be a node ID"],
    ["no keys", { "metadata.keys": [] }, "metadata.keys must name at least one node or subnet"],
    ["no events", { "metadata.subEvents": {} }, "metadata.subEvents.validatorActivitySubEvents must name at least one event"],
    [
      "an event that is none",
      { "metadata.subEvents.validatorActivitySubEvents": ["x"] },
      "metadata.subEvents.validatorActivitySubEvents must be",
    ],
    [
      "a threshold without its event",
      { "metadata.l1ValidatorFeeBalanceThreshold": "5" },
      "goes with the event l1_validator_balance_threshold",
    ],
    [
      "an amount that is none",
      {
        "metadata.subEvents": { validatorActivitySubEvents: ["l1_validator_balance_threshold"] },
        "metadata.l1ValidatorFeeBalanceThreshold": "-5",
      },
      "metadata.l1ValidatorFeeBalanceThreshold must be nAVAX in decimal digits",
    ],
    ["too many keys", { "metadata.keys": Array.from({ length: 1001 }, () => NODE) }, "metadata.keys must be at most 1000 values"],
    [
      "an EVM chain that is not served",
      { eventType: "address_activity", chainId: "43114" },
      "chainId must be an EVM chain that is indexed here",
    ],
    [
      "a chain of addresses that is none",
      { ...address, ...events("balance_change"), chainId: "c-chain" },
      "chainId must be p-chain, x-chain",
    ],
    [
      "an address that is none",
      { ...address, ...events("balance_change"), "metadata.keys": ["fuji1"] },
      "Invalid address format in metadata.keys",
    ],
    ["a filter without its event", { ...address, ...events("balance_threshold") }, "metadata.balanceThresholdFilter goes with the event"],
    ["a topic that is none", { "metadata.eventSignatures": ["0x12"] }, "metadata.eventSignatures must be 0x and 64 hex digits"],
  ])("%s", async (_, changes, message) => {
    const { status, body } = await ask("POST", "/webhooks", { key: keys.writer, body: valid(changes) });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
