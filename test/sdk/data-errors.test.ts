/**
 * Every error status with the official clients: Firn is made to return each one, and each client must raise the error that its types
 * promise, with the sentence that was sent. Only 502 comes from a route of the test; in practice it occurs if an EVM chain's node answers
 * wrongly (`evm-recorded.test.ts`).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPEN_TO_ALL } from "../../src/api/access/access.ts";
import { addKey, revokeKey } from "../../src/api/access/manage-keys.ts";
import { listBlockchains } from "../../src/api/data/blockchains/list-blockchains.ts";
import { DataError } from "../../src/api/data/errors.ts";
import { dataRoute } from "../../src/api/data/route.ts";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { blockchainCreations } from "../../src/index/primary/network/network-tables.ts";
import { sourceTips } from "../../src/index/tables.ts";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import type { Store } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { eventuallyHolds } from "../patience.ts";
import { serveHere } from "../serve/serve-here.ts";
import { startSmallNode } from "../serve/small-node.ts";
import { change, openSmallStore } from "../serve/small-store.ts";
import { askPlainly, CLIENT_NAMES, type ClientOptions, clientNamed } from "./data-clients.ts";
import { methodNamed } from "./data-methods.ts";
import { expectStatus } from "./data-statuses.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-client-errors-"));
beforeAll(() => importUntil(recordingFolder("x-dag"), directory, {}, "replay"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function serving(options: Partial<ServeOptions>, use: (serverUrl: string) => Promise<void>): Promise<void> {
  const server = await serveHere(directory, options);
  try {
    await use(server.url.replace(/\/$/, ""));
  } finally {
    await server.stop();
  }
}

test("400 and 404: what is malformed, what there is not, and a network that is served elsewhere", async () => {
  await serving({}, async (serverUrl) => {
    const client = { serverUrl };
    const unknown = formatId(PLATFORM_CHAIN_ID);
    await expectStatus(400, /addresses.*nonsense/, client, ["listUtxos", { blockchainId: "p-chain", addresses: "nonsense" }]);
    await expectStatus(400, /pageSize must be an integer from 1 to 100, got 101/, client, ["listValidators", { pageSize: 101 }]);
    await expectStatus(400, /pageToken/, client, ["listSubnets", { pageToken: "of-another-server" }]);
    await expectStatus(404, unknown, client, ["getTransaction", { blockchainId: "x-chain", txHash: unknown }]);
    await expectStatus(404, "99999999", client, ["getBlock", { blockchainId: "p-chain", blockId: "99999999" }]);
    await expectStatus(404, "network mainnet is not served here", { serverUrl, network: "mainnet" }, [
      "getNetwork",
      { network: "mainnet" },
    ]);
  });
});

test("401, 403: without a key, with a revoked one; with a good one clients are served", async () => {
  const { key } = await addKey(directory, { name: "good", tier: "free", privileges: ["read"] });
  const { key: revoked } = await addKey(directory, { name: "revoked", tier: "free", privileges: ["read"] });
  await revokeKey(directory, "revoked");
  await serving({ access: { ...OPEN_TO_ALL, keyScope: "data" } }, async (serverUrl) => {
    await expectStatus(401, /needs an API key/, { serverUrl }, ["listSubnets"]);
    await expectStatus(401, /key/, { serverUrl, apiKey: "unknown" }, ["listSubnets"]);
    await expectStatus(403, /is revoked/, { serverUrl, apiKey: revoked }, ["listSubnets"]);
    for (const name of CLIENT_NAMES) {
      const [page] = await clientNamed(name, { serverUrl, apiKey: key }).pages(methodNamed("listSubnets"), {});
      expect(page!.headers.get("x-glacier-api-key"), name).toBe(key);
    }
  });
});

test("429: a budget that is spent", async () => {
  const rateLimits = { unauthenticated: { perDay: 20 } };
  await serving({ access: { ...OPEN_TO_ALL, rateLimits } }, async (serverUrl) => {
    await askPlainly(`${serverUrl}/v1/networks/fuji/subnets`);
    await expectStatus(429, /try again in \d+ s/, { serverUrl }, ["listSubnets"]);
  });
});

describe("On a store of mainnet:", () => {
  const mainnet = (port: number): ClientOptions => ({ serverUrl: `http://127.0.0.1:${port}`, network: "mainnet" });

  test("500: a disk that cannot be read", async () => {
    const small = await openSmallStore();
    const node = await startSmallNode({ store: unreadable(small.store) });
    await expectStatus(500, /its log has the cause/, mainnet(node.port), ["listBlockchains"]);
    await node.remove();
    await small.remove();
  });

  test("502: a wrong answer from behind", async () => {
    const failing = dataRoute({
      ...listBlockchains,
      handle: () => Promise.reject(new DataError(502, "the answer from behind is none")),
    });
    const node = await startSmallNode({ dataRoutes: [failing] });
    await expectStatus(502, /from behind is none/, mainnet(node.port), ["listBlockchains"]);
    await node.remove();
  });

  test("503: an index that is behind its source; once it is not, a client that repeats what failed is served", async () => {
    const node = await startSmallNode({ maxStalenessSeconds: 60 });
    const behindBy = (seconds: bigint) =>
      node.store.commit([change(sourceTips, { chainId: PLATFORM_CHAIN_ID }, { height: 99n, acceptedAt: seconds * 1_000_000_000n })]);
    await behindBy(61n);
    await expectStatus(503, /the index of the p-chain is 61s behind/, mainnet(node.port), ["listBlockchains"]);
    const chainkit = new Avalanche({ network: "mainnet", enableTelemetry: false });
    const answer = chainkit.data.primaryNetwork.listBlockchains({}, { serverURL: `http://127.0.0.1:${node.port}` });
    const refused = () => node.metrics.counts.responses["v1/listBlockchains 503"];
    await eventuallyHolds(() => expect(refused()).toBeGreaterThan(CLIENT_NAMES.length));
    await behindBy(1n);
    expect((await answer).result.blockchains).toEqual([]);
    await node.remove();
  });
});

/** The list cannot be read; what the server itself needs can. */
function unreadable(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (name !== "snapshot") return typeof own === "function" ? own.bind(target) : own;
      const snapshot: Store["snapshot"] = (read) =>
        target.snapshot((reader) =>
          read({
            get: (table, key) => reader.get(table, key),
            getMany: (table, keys) => reader.getMany(table, keys),
            getParts: (table, column, parts) => reader.getParts(table, column, parts),
            scan(table, range) {
              if (table.name === blockchainCreations.name) throw new Error("the disk is on fire");
              return reader.scan(table, range);
            },
          }),
        );
      return snapshot;
    },
  });
}
