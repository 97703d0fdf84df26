/**
 * What a request costs in PostgreSQL: how often it waits for the network, by method and route, each of which answers at least once. The
 * answers are those of the same rows in a file.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { labelOf } from "../../src/api/data/network-labels.ts";
import type { AnyDataRoute } from "../../src/api/data/route.ts";
import { dataRoutes } from "../../src/api/data/routes.ts";
import { services } from "../../src/api/rpc/registry.ts";
import type { Row } from "../../src/base/table/table.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { evmIcmLists, evmIcmMessages, evmIcmSent, icmList } from "../../src/evm/index/icm-tables.ts";
import { evmTransactions } from "../../src/evm/index/tables.ts";
import { openStore } from "../../src/store/open.ts";
import { checkpointsOf, importUntil } from "../conformance/checkpoints.ts";
import { followHere, HASTE } from "../conformance/evm/followed.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { type Answer, CountedServers } from "./counted-servers.ts";
import { RouteWalk } from "./route-walk.ts";
import { change } from "./small-store.ts";

/** Of every method and route, besides what a new snapshot costs. */
const BOUND = 10;

/** A page of transactions reads what they name in several steps, some of which a busy machine sends in two pieces. */
const BOUNDS: Readonly<Record<string, number>> = { listLatestPrimaryNetworkTransactions: 15 };

/** Why a method or route is not asked. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  "platform.sampleValidators": "its answers are random; it reads what platform.getValidatorsAt reads",
  "info.uptime": "passed on to nodes, of which there are none here",
  "avax.getAtomicTxStatus": "unknown since Helicon; before, it reads the row of avax.getAtomicTx",
  "health.health": "the results of the last checks, without a read",
  "health.readiness": "as health.health",
  "health.liveness": "as health.health",
  getNftPicture: "the picture is fetched from where the metadata says, after the reads of getTokenDetails",
  reindexNft: "only in the process that follows the chain",
  aggregateSignatures: "nobody signs here; elsewhere it asks an aggregator, without a read",
  getAggregatedSignatures: "nobody signs here; elsewhere it reads three rows before",
  keepContractBuild: "refused here; elsewhere it reads what getContractSource reads",
  ...Object.fromEntries(
    dataRoutes.filter(({ tag }) => tag === "Webhooks").map(({ operationId }) => [operationId, "only in the process that writes the store"]),
  ),
};

interface Recorded {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
}

/** Requests of each method; those with the longest parameters, which ask for most. */
const PER_METHOD = 25;
/** Things that are asked for by each route. */
const PER_ROUTE = 24;

/** Members of answers that are values of a parameter with another name. */
const SYNONYMS = {
  blockId: ["blockHash", "blockNumber"],
  vertexHeight: ["vertexHeight"],
  l1ValidationId: ["validationId"],
  query: ["txHash", "blockNumber", "nodeId", "subnetId", "symbol", "assetId"],
};

/** One of each route of metrics of the primary network. */
const METRICS = [
  ...["validatorCount", "txCount", "totalValidatorFeesDaily"],
  ...["perSubnetDailyFeesPaid", "perNodeDailyFeesPaid", "validationFeesDaily"],
];

/** The recorded node does not say one for its EVM chain. */
const BLOCKCHAIN = "33".repeat(32);

const counted: string[] = [];

describe.skipIf(!hasPostgres)(`round trips${skipReason}`, () => {
  test("are few for methods and routes of a primary network", async () => {
    const folder = recordingFolder("latest-1");
    const { heights, file, recordedAt } = checkpointsOf(folder).at(-1)!;
    const dataDirectory = scratchDirectory();
    await importUntil(folder, dataDirectory, heights, "full");
    const servers = await CountedServers.start(dataDirectory, { time: recordedAt });
    const call = ({ path, method, params }: Recorded, counts: (answer: Answer) => boolean) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      return servers.ask(path, (answer) => (counts(answer) ? method : undefined), { method: "POST", headers, body });
    };
    for (const request of longest(recordedIn(file))) await call(request, request.method.endsWith(".issueTx") ? isAnswer : hasResult);

    const walk = new RouteWalk(
      { network: [labelOf(servers.store.network)], blockchainId: ["p-chain", "x-chain", "c-chain"], metric: METRICS },
      SYNONYMS,
    );
    await walkAll(servers, walk, ({ path }) => !path.includes("/chains/"));
    for (const txID of walk.valuesOf("txHash")) {
      const { text } = await call({ path: "/ext/bc/C/avax", method: "avax.getAtomicTx", params: { txID } }, hasResult);
      const tx = JSON.parse(text).result?.tx;
      if (tx !== undefined) await call({ path: "/ext/bc/C/avax", method: "avax.issueTx", params: { tx } }, isAnswer);
    }
    hold(servers);
  });

  test("are few for vertices", async () => {
    const dataDirectory = scratchDirectory();
    await importUntil(recordingFolder("x-dag"), dataDirectory, {}, "replay");
    const servers = await CountedServers.start(dataDirectory, {});
    const walk = new RouteWalk({ network: [labelOf(servers.store.network)], blockchainId: ["x-chain"] }, SYNONYMS);
    await walkAll(servers, walk, ({ path }) => path.includes("/blockchains/{blockchainId}/"));
    hold(servers);
  });

  test("are few for routes of EVM chains", async () => {
    const replay = await startReplayRpc({ recording: recordingFolder("evm-1") });
    onTestFinished(() => replay.close());
    const dataDirectory = scratchDirectory();
    const following = await followHere([{ ...entryOf([replay.url]), blockchainId: BLOCKCHAIN }], HASTE, dataDirectory);
    await following.indexedTo("43112", replay.head);
    await following.stop();
    await addMessage(dataDirectory);
    const servers = await CountedServers.start(dataDirectory, { evmRpcs: [[replay.url]] });
    const values = { chainId: ["43112"], address: [], metric: ["txCount", "teleporterTotalTxnCount"], threshold: ["1"] };
    const walk = new RouteWalk(values, SYNONYMS);
    await walkAll(servers, walk, ({ path }) => !path.includes("{network}"));
    hold(servers);
  });

  test("are known of every method and route", () => {
    // devnets, which are never in a database, have the methods of firn
    const { firn: _, ...ofStores } = services;
    const methods = Object.values(ofStores).flatMap((service) => service.names());
    const all = [...methods, ...dataRoutes.map(({ operationId }) => operationId)];
    expect(all.filter((name) => !counted.includes(name) && !(name in NOT_ASKED)).sort()).toEqual([]);
    expect(Object.keys(NOT_ASKED).filter((name) => counted.includes(name))).toEqual([]);
  });
});

/** The recording has no messenger. */
async function addMessage(dataDirectory: string): Promise<void> {
  const store = await openStore({ directory: dataDirectory, mode: "write" });
  try {
    const [{ key }] = (await store.scan(evmTransactions, { limit: 1 })) as [Row<typeof evmTransactions>];
    const { chain, height, index } = key;
    const [messageId, address] = ["11".repeat(32), "22".repeat(20)];
    const place = { height, index, timestamp: 1n, messenger: address };
    await store.commit([
      change(
        evmIcmMessages,
        { chain, isSent: true, messageId },
        { nonce: 1n, from: address, to: address, receipts: [], data: Buffer.alloc(1) },
      ),
      change(
        evmIcmSent,
        { chain, messageId },
        { ...place, destination: messageId, feeToken: address, fee: 1n, retries: 0, hasReceipt: false },
      ),
      change(evmIcmLists, { chain, list: icmList("sent"), timestamp: 1n, messageId }, {}),
    ]);
  } finally {
    await store.close();
  }
}

function hold(servers: CountedServers): void {
  counted.push(...servers.most.keys());
  console.log(
    [...servers.most]
      .sort((a, b) => b[1] - a[1])
      .map((x) => x.join(" "))
      .join("\n"),
  );
  expect(servers.differences).toEqual([]);
  expect(servers.over((name) => BOUNDS[name] ?? BOUND)).toEqual([]);
}

function hasResult({ status, text }: Answer): boolean {
  return status === 200 && "result" in JSON.parse(text);
}

/** A store that nobody writes takes no transaction, which it knows when it has verified it. */
function isAnswer({ status }: Answer): boolean {
  return status === 200;
}

async function walkAll(servers: CountedServers, walk: RouteWalk, isWalked: (route: AnyDataRoute) => boolean): Promise<void> {
  for (const isLast of [false, true]) {
    for (const route of dataRoutes.filter(isWalked)) {
      for (const { path, init } of walk.requests(route, PER_ROUTE)) {
        const answer = await servers.ask(path, ({ status }) => (status < 300 ? route.operationId : undefined), init);
        if (!isLast && answer.status === 200) walk.learn(answer);
      }
    }
  }
}

function recordedIn(file: string): Recorded[] {
  const raw = readFileSync(file);
  return JSON.parse((file.endsWith(".gz") ? gunzipSync(raw) : raw).toString()).requests;
}

function longest(requests: readonly Recorded[]): Recorded[] {
  const byMethod = new Map<string, Recorded[]>();
  for (const request of requests) {
    const { method } = request;
    // it is random
    if (method === "platform.sampleValidators" || !/^(platform|avm|wallet|avax|index|info|proposervm)\./.test(method)) continue;
    byMethod.set(method, [...(byMethod.get(method) ?? []), request]);
  }
  const lengthOf = ({ params }: Recorded) => JSON.stringify(params ?? null).length;
  return [...byMethod.values()].flatMap((some) => some.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, PER_METHOD));
}
