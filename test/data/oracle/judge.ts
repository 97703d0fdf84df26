/**
 * Holds the Data API against the oracle: imports a recording up to each of some heights, serves it, asks random queries of every kind,
 * walks their pages to the end, and expects what loops over the whole history give.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBech32 } from "../../../src/primitives/address.ts";
import { formatId } from "../../../src/primitives/cb58.ts";
import type { ShortId } from "../../../src/primitives/id.ts";
import { formatNodeId } from "../../../src/primitives/node-id.ts";
import type { Serving } from "../../../src/server/serve.ts";
import { importUntil, serveAt } from "../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { DataClient, type Params } from "./client.ts";
import type { Chain, History } from "./history.ts";
import { CHAIN_NAMES } from "./json.ts";
import { listBlockchains, listBlocks, listL1Validators, listLatestVertices, listSubnets, listVertices } from "./network.ts";
import { Queries } from "./queries.ts";
import { readHistory } from "./read-history.ts";
import { listDelegators, listHistoricalRewards, listPendingRewards, listValidators, networkDetails } from "./staking.ts";
import { assetDetails, listTxs, txJson } from "./transactions.ts";
import { balances, lastActivities, listChainIds, listUtxos } from "./utxos.ts";

const NETWORK = "/networks/fuji";
const chainPath = (chain: Chain) => `${NETWORK}/blockchains/${CHAIN_NAMES[chain]}`;

/** A place in a recording; `RUNS` random queries of each kind are asked there. */
export interface Moment {
  readonly label: string;
  readonly heights: Readonly<Record<string, number>>;
  /** seconds from the last block to the server's clock */
  readonly clockAhead?: bigint;
}

const RUNS = Number(process.env.FIRN_ORACLE_RUNS ?? 40);

export function judge(name: RecordingName, moments: readonly Moment[]): void {
  const directory = mkdtempSync(join(tmpdir(), "firn-oracle-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  for (const moment of moments)
    describe(`${name} ${moment.label}: the Data API says what the blocks say of`, () => judgeMoment(name, moment, directory));
}

function judgeMoment(name: RecordingName, { heights, clockAhead = 1n }: Moment, directory: string): void {
  let serving: Serving;
  let client: DataClient;
  let history: History;
  let queries: Queries;
  let clock: bigint;

  beforeAll(async () => {
    const folder = recordingFolder(name);
    await importUntil(folder, directory, heights, "replay");
    history = await readHistory(folder, { heights });
    queries = new Queries(history);
    const last = Math.max(...[...history.blocks, ...history.vertices].map(({ time }) => Number(time)));
    clock = BigInt(last) + clockAhead;
    serving = await serveAt(directory, clock);
    client = new DataClient(serving.url);
  });
  afterAll(() => serving?.stop());

  const addresses = (list: readonly ShortId[] | undefined) =>
    list?.map((address, i) => `${["", "P-", "X-"][i % 3]}${encodeBech32(history.network.hrp, address)}`).join(",");
  const ids = (list: readonly string[] | undefined, format: (id: string) => string) => list?.map(format).join(",");

  /** Random pages: small ones for short lists, so that no walk is long. */
  async function walk(
    path: string,
    list: string,
    params: Params,
    expected: readonly unknown[],
    { most = 100, body }: { most?: number; body?: object } = {},
  ) {
    const least = Math.min(most, Math.max(1, Math.ceil(expected.length / 12)));
    const pageSize = Math.min(most, least + (expected.length % 7));
    const items = await client.walk(path, list, { ...params, pageSize }, body);
    expect(
      items.map(withoutGenesis),
      `${path} ${JSON.stringify(params, (_, value) => (typeof value === "bigint" ? `${value}` : value))}`,
    ).toEqual(expected);
  }

  async function property<T>(arbitrary: fc.Arbitrary<T>, hold: (query: T) => Promise<void>, runs = RUNS): Promise<void> {
    await fc.assert(fc.asyncProperty(arbitrary, hold), { numRuns: runs, endOnFailure: false });
  }

  test("UTXOs, by GET and POST", async () => {
    await property(queries.utxos(), async (query) => {
      const { chain, assetId, addresses: asked, ...rest } = query;
      const params = { ...rest, assetId: assetId && formatId(assetId) };
      const expected = listUtxos(history, query);
      await walk(`${chainPath(chain)}/utxos`, "utxos", { ...params, addresses: addresses(asked) }, expected);
      if (asked === undefined) return;
      await walk(`${chainPath(chain)}/utxos`, "utxos", params, expected, { most: 1024, body: { addresses: addresses(asked) } });
    });
  });

  test("balances at any time", async () => {
    await property(
      queries.balances(),
      async (query) => {
        const { chain, blockTimestamp } = query;
        const { balances: answered } = await client.get(`${chainPath(chain)}/balances`, {
          blockTimestamp,
          addresses: addresses(query.addresses),
        });
        expect(sortedBuckets(answered)).toEqual(sortedBuckets(balances(history, query, clock)));
      },
      RUNS * 4,
    );
  });

  test("when addresses were last active", async () => {
    await property(queries.addresses(), async ({ chain, addresses: asked }) => {
      const path = `${chainPath(chain)}/lastActivityTimestampByAddresses`;
      const newest = lastActivities(history, chain, asked);
      const got = await client.ask(path, { addresses: addresses(asked) });
      const posted = await client.ask(path, {}, { addresses: addresses(asked) });
      expect(posted).toEqual(got);
      if (newest.length === 0) expect(got.status).toBe(404);
      else expect(newest).toContainEqual(got.body);
    });
  });

  test("the chains of addresses", async () => {
    await property(queries.addresses(), async ({ addresses: asked }) => {
      const answer = await client.get(`${NETWORK}/addresses:listChainIds`, { addresses: addresses(asked) });
      expect(answer).toEqual({ addresses: listChainIds(history, asked) });
    });
  });

  test("transactions of a chain, of addresses, of an asset, of an L1 validator, and of active stakers", async () => {
    await property(queries.txs(), async (query) => {
      const { chain, assetId, l1ValidationId, isStaking, addresses: asked, ...rest } = query;
      const owners = asked?.map(({ address, isEvm }) => (isEvm ? `0x${address}` : encodeBech32(history.network.hrp, address))).join(",");
      const path = assetId ? `/assets/${formatId(assetId)}/transactions` : isStaking ? "/transactions:listStaking" : "/transactions";
      const params = { ...rest, addresses: owners, l1ValidationId: l1ValidationId && formatId(l1ValidationId) };
      await walk(`${chainPath(chain)}${path}`, "transactions", params, listTxs(history, query));
    });
  });

  test("one transaction, one asset", async () => {
    for (const tx of fc.sample(fc.constantFrom(...history.txs), 3 * RUNS)) {
      const answered = await client.get(`${chainPath(tx.chain)}/transactions/${formatId(tx.txId)}`);
      // one that was proposed again is shown in its last block
      const last = history.txs.findLast(({ txId }) => txId === tx.txId)!;
      expect(withoutGenesis(answered)).toEqual(txJson(history, last));
    }
    for (const { assetId } of history.assets) {
      expect(await client.get(`${chainPath("X")}/assets/${formatId(assetId)}`)).toEqual(assetDetails(history, assetId));
    }
  });

  test("validators with every filter and order", async () => {
    await property(
      queries.validators(clock),
      async (query) => {
        const { nodeIds, subnetId, ...rest } = query;
        const params = { ...rest, nodeIds: nodeIds?.join(), subnetId: subnetId && formatId(subnetId) };
        await walk(`${NETWORK}/validators`, "validators", params, listValidators(history, query, clock));
      },
      RUNS * 4,
    );
  });

  test("one node's validations", async () => {
    const nodes = [...new Set(history.stakers.map(({ nodeId }) => nodeId))].map(formatNodeId);
    for (const node of nodes) {
      const expected = listValidators(history, { nodeIds: [node] }, clock);
      await walk(`${NETWORK}/validators/${node}`, "validators", {}, expected);
    }
  });

  test("delegators", async () => {
    await property(queries.delegators(), async (query) => {
      const { rewardAddresses, nodeIds, ...rest } = query;
      const params = { ...rest, rewardAddresses: addresses(rewardAddresses), nodeIds: ids(nodeIds, formatNodeId) };
      await walk(`${NETWORK}/delegators`, "delegators", params, listDelegators(history, query));
    });
  });

  test("rewards, expected and paid", async () => {
    await property(queries.rewards(), async (query) => {
      const { addresses: asked, nodeIds, sortOrder } = query;
      const params = { sortOrder, addresses: addresses(asked), nodeIds: ids(nodeIds, formatNodeId) };
      await walk(`${NETWORK}/rewards:listPending`, "pendingRewards", params, listPendingRewards(history, query, clock));
      await walk(`${NETWORK}/rewards`, "historicalRewards", params, listHistoricalRewards(history, query));
    });
  });

  test("L1 validators and their balances", async () => {
    await property(queries.l1Validators(), async (query) => {
      const { l1ValidationId, nodeId, subnetId, includeInactiveL1Validators } = query;
      const params = {
        l1ValidationId: l1ValidationId && formatId(l1ValidationId),
        nodeId: nodeId && formatNodeId(nodeId),
        subnetId: subnetId && formatId(subnetId),
        includeInactiveL1Validators,
      };
      await walk(`${NETWORK}/l1Validators`, "validators", params, listL1Validators(history, query));
    });
  });

  test("subnets and blockchains", async () => {
    for (const sortOrder of ["asc", "desc", undefined] as const) {
      for (const pageSize of [1, 3, 100]) {
        const subnets = await client.walk(`${NETWORK}/subnets`, "subnets", { sortOrder, pageSize });
        expect(subnets).toEqual(listSubnets(history, sortOrder));
        const blockchains = await client.walk(`${NETWORK}/blockchains`, "blockchains", { sortOrder, pageSize });
        expect(blockchains).toEqual(listBlockchains(history, sortOrder));
      }
    }
    for (const subnet of listSubnets(history, undefined)) {
      expect(await client.get(`${NETWORK}/subnets/${subnet.subnetId}`)).toEqual(subnet);
    }
    for (const blockchain of listBlockchains(history, undefined)) {
      const { genesisData: _, ...answered } = await client.get(`${NETWORK}/blockchains/${blockchain.blockchainId}`);
      expect(answered).toEqual(blockchain);
    }
  });

  test("blocks", async () => {
    await property(queries.blocks(), async (query) => {
      const { chain, ...params } = query;
      const expected = listBlocks(history, query);
      const pageSize = Math.min(100, Math.max(1, Math.ceil(expected.length / 12)));
      const answered = await client.walk(`${chainPath(chain)}/blocks`, "blocks", { ...params, pageSize });
      // who proposed a block is in its wrapper, which this history does not open
      expect((answered as Record<string, unknown>[]).map(({ proposerDetails: _, ...block }) => block)).toEqual(expected);
    });
  });

  test("vertices", async () => {
    const path = `${chainPath("X")}/vertices`;
    for (const vertexHeight of new Set(history.vertices.map(({ height }) => Number(height)).concat(99))) {
      for (const sortOrder of ["asc", "desc"] as const) {
        const expected = listVertices(history, { vertexHeight, sortOrder });
        await walk(`${path}:listByHeight`, "vertices", { vertexHeight, sortOrder }, expected);
      }
    }
    await walk(path, "vertices", {}, listLatestVertices(history));
    for (const vertex of listLatestVertices(history)) expect(await client.get(`${path}/${vertex.vertexHash}`)).toEqual(vertex);
  });

  test("the primary network as a whole", async () => {
    const { validatorDetails, delegatorDetails } = (await client.get(NETWORK)) as Record<string, Record<string, unknown>>;
    const { delegatorCount, delegated, ...validators } = networkDetails(history);
    expect(validatorDetails).toMatchObject(validators);
    expect(delegatorDetails).toEqual({ delegatorCount, totalAmountStaked: delegated });
  });
}

/** How a genesis is shown to clients is not the oracle's business: it has tests of its own. */
function withoutGenesis(item: unknown): unknown {
  const { blockchainInfo, ...rest } = item as { blockchainInfo?: { genesisData?: object } };
  if (blockchainInfo === undefined) return item;
  const { genesisData: _, ...info } = blockchainInfo;
  return { ...rest, blockchainInfo: info };
}

/** The order of assets in a balance means nothing. */
function sortedBuckets(balances: unknown): unknown {
  const sorted = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry, Object.keys(entry).sort())).sort();
  return Object.fromEntries(
    Object.entries(balances as Record<string, readonly object[]>).map(([bucket, entries]) => [bucket, sorted(entries)]),
  );
}
