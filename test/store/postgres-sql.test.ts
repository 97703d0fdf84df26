/** The SQL of docs/store-postgres.md, run on the stores of recordings: it gives what the Data API answers from the same rows. */
import { readFileSync } from "node:fs";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { labelOf } from "../../src/api/data/network-labels.ts";
import { encodeBech32 } from "../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../src/base/bytes/cb58.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { P_CHAIN } from "../../src/index/primary/primary-chain.ts";
import { primaryBlocks } from "../../src/index/primary/transactions/transaction-tables.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import { copyRows } from "../../src/store/copy.ts";
import { openStore } from "../../src/store/open.ts";
import { type Store, scanAll } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { followHere, HASTE } from "../conformance/evm/followed.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase, scratchRole } from "../postgres/scratch-database.ts";
import { serveStoreHere } from "../serve/serve-here.ts";
import { scratchDirectory } from "./scratch.ts";

const page = readFileSync(new URL("../../docs/store-postgres.md", import.meta.url), "utf8");
const [role, grants, validators, balances, transfers] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);

interface Copied {
  readonly store: Store;
  /** of the copy in PostgreSQL */
  readonly url: string;
  /** the answer of the Data API from the store in the file */
  get<T>(path: string): Promise<Record<string, T>>;
  readonly hrp: string;
  readonly base: string;
}

async function copied(directory: string, options: Partial<ServeOptions> = {}): Promise<Copied> {
  const { url } = await scratchDatabase();
  const store = await openStore({ directory, mode: "read" });
  onTestFinished(() => store.close());
  const target = await openStore({
    directory: "",
    postgres: { address: { url }, tables: allTables },
    mode: "write",
    isUnfinishedCopy: true,
  });
  await copyRows({ from: store, to: target, tables: allTables, onStep: () => {}, signal: new AbortController().signal });
  await target.close();
  const { network } = await storeNetwork(store, directory);
  const serving = await serveStoreHere({ store, network }, directory, options);
  onTestFinished(() => serving.stop());
  const get = async <T>(path: string) => {
    const response = await fetch(`${serving.url}/v1${path}`);
    const body = await response.json();
    expect(response.status, JSON.stringify(body)).toBe(200);
    return body as Record<string, T>;
  };
  return { store, url, get, hrp: network.hrp, base: `/networks/${labelOf(network)}` };
}

async function recorded(heights: Readonly<Record<string, number>> = {}): Promise<Copied> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder("latest-1"), directory, heights, "replay");
  return copied(directory);
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  // the database may be dropped first
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres)(`the SQL of the page${skipReason}`, () => {
  test("a role of analysts reads the store and calls its functions, and neither writes it nor reads other schemas", async () => {
    const { url } = await recorded();
    const owner = await connected(url);
    await owner.query("CREATE SCHEMA private; CREATE TABLE private.secrets AS SELECT 1 AS secret");
    await owner.query("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA firn FROM PUBLIC");
    const analyst = await scratchRole();
    const given = `${role!.replace(/CREATE ROLE .*\n/, "")}${grants!}`.replaceAll("analyst", analyst);
    const client = await connected(url.replace("postgres@", `${analyst}@`));
    await expect(client.query(balances!)).rejects.toThrow("permission denied");
    await owner.query(given);
    const granted = await connected(url.replace("postgres@", `${analyst}@`));
    expect((await granted.query("SELECT count(*)::int AS rows FROM firn.validations")).rows[0].rows).toBeGreaterThan(0);
    for (const sql of [validators!, balances!, transfers!]) await granted.query(sql);
    await expect(granted.query("INSERT INTO firn.known_nodes VALUES (1000000, '')")).rejects.toThrow("read-only transaction");
    await granted.query("SET default_transaction_read_only = off");
    await expect(granted.query("INSERT INTO firn.known_nodes VALUES (1000000, '')")).rejects.toThrow("permission denied");
    await expect(granted.query("SELECT * FROM private.secrets")).rejects.toThrow("permission denied");
  });

  test("validators by stake are those of the Data API", async () => {
    // when there were several
    const { url, get, base } = await recorded({ P: 36, X: 119, C: 10 });
    interface Listed {
      readonly nodeId: string;
      readonly amountStaked: string;
      readonly amountDelegated?: string;
    }
    const query = `validationStatus=active&subnetId=${formatId("00".repeat(32))}&pageSize=100`;
    const listed = (await get<readonly Listed[]>(`${base}/validators?${query}`)).validators!;
    const shown = listed.map(({ nodeId, amountStaked, amountDelegated = "0" }) => [nodeId, amountStaked, amountDelegated]);
    const { rows } = await (await connected(url)).query(validators!);
    const found = rows.map(({ node_id, weight, delegated }) => [formatNodeId(node_id), weight, delegated]);
    expect(found.length).toBeGreaterThan(1);
    expect([...found].sort()).toEqual([...shown].sort());
    expect(found.map(([, weight]) => BigInt(weight))).toEqual(
      found.map(([, weight]) => BigInt(weight)).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)),
    );
  });

  test("balances at a height are those of the Data API, of every address at some heights", async () => {
    const { store, url, get, hrp, base } = await recorded();
    const client = await connected(url);
    const owners =
      "SELECT DISTINCT encode(unnest(addresses), 'hex') AS owner FROM firn.utxo_records r, firn.platform_utxo(r.bytes) WHERE created_on = 0";
    const addresses = (await client.query(owners)).rows.map(({ owner }) => owner as string).sort();
    expect(addresses.length).toBeGreaterThan(10);
    const shared =
      "SELECT 1 FROM firn.utxo_records r, firn.platform_utxo(r.bytes) WHERE created_on = 0 AND threshold = 1 AND cardinality(addresses) > 1";
    expect((await client.query(shared)).rows.length).toBeGreaterThan(0);
    let compared = 0;
    for (const { height, time } of await heightsWithOwnTime(store)) {
      for (const address of addresses) {
        const sql = balances!
          .replace("10", `${height}`)
          .replace("> 10", `> ${height}`)
          .replace(/\\x[0-9a-f]{40}/, `\\x${address}`);
        const { rows } = await client.query(sql);
        const query = `addresses=${encodeBech32(hrp, address)}&blockTimestamp=${time + 1n}`;
        const answer = (await get<Balances>(`${base}/blockchains/p-chain/balances?${query}`)).balances!;
        expect(rows.map(({ asset_id, balance }) => [formatId(asset_id), balance]).sort(), `${address} at ${height}`).toEqual(
          sumsOf(answer),
        );
        compared += rows.length;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  test("transfers of tokens are those of the Data API", async () => {
    const replay = await startReplayRpc({ recording: recordingFolder("evm-1") });
    onTestFinished(() => replay.close());
    const directory = scratchDirectory();
    const following = await followHere([entryOf([replay.url])], HASTE, directory);
    await following.indexedTo("43112", replay.head);
    await following.stop();
    const { url, get } = await copied(directory);
    const client = await connected(url);
    const tokens = (await get<readonly { readonly address: string }[]>("/chains/43112/tokens?pageSize=100")).tokens!;
    const kinds = new Set<number>();
    for (const { address } of tokens) {
      const listed = (await get<readonly Shown[]>(`/chains/43112/tokens/${address}/transfers?pageSize=100`)).transfers!;
      const { rows } = await client.query(transfers!.replace(/\\x[0-9a-f]{40}/, address.toLowerCase().replace("0x", "\\x")));
      expect(rows.map(foundTransfer)).toEqual(listed.map(shownTransfer));
      for (const { erc20Token, erc721Token } of listed) kinds.add(erc20Token ? 20 : erc721Token ? 721 : 1155);
    }
    expect([...kinds].sort((a, b) => a - b)).toEqual([20, 721, 1155]);
  });
});

/** Blocks after whose second nothing changes for two seconds: what is asked by time is what is asked by height. */
async function heightsWithOwnTime(store: Store): Promise<{ height: bigint; time: bigint }[]> {
  const blocks: { height: bigint; time: bigint }[] = [];
  for await (const { key, value } of scanAll(store, primaryBlocks, { chain: P_CHAIN })) {
    blocks.push({ height: key.height, time: value.timestamp });
  }
  const alone = blocks.filter(({ time }, i) => (blocks[i + 1]?.time ?? time + 9n) > time + 1n);
  expect(alone.length).toBeGreaterThan(4);
  return Array.from({ length: 5 }, (_, i) => alone[Math.floor(((i + 1) * alone.length) / 5) - 1]!);
}

type Balances = Readonly<Record<string, readonly { readonly assetId: string; readonly amount: string }[]>>;

/** By asset, over all that is not in atomic memory. */
function sumsOf(balances: Balances): [string, string][] {
  const sums = new Map<string, bigint>();
  for (const [bucket, amounts] of Object.entries(balances)) {
    if (bucket.startsWith("atomicMemory")) continue;
    for (const { assetId, amount } of amounts) sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount));
  }
  return [...sums].map(([assetId, sum]): [string, string] => [assetId, `${sum}`]).sort();
}

interface Token {
  readonly tokenId: string;
}

interface Shown {
  readonly blockNumber: string;
  readonly txHash: string;
  readonly logIndex: number;
  readonly from: { readonly address: string };
  readonly to: { readonly address: string };
  readonly value?: string;
  readonly erc20Token?: object;
  readonly erc721Token?: Token;
  readonly erc1155Token?: Token;
}

function shownTransfer({ blockNumber, txHash, logIndex, from, to, value = "1", erc721Token, erc1155Token }: Shown): string[] {
  const tokenId = (erc721Token ?? erc1155Token)?.tokenId ?? "0";
  return [blockNumber, txHash, `${logIndex}`, from.address.toLowerCase(), to.address.toLowerCase(), tokenId, value];
}

function foundTransfer(row: Readonly<Record<string, string>>): string[] {
  return [row.height!, `0x${row.tx_hash}`, row.log_index!, `0x${row.sender}`, `0x${row.receiver}`, row.token_id!, row.value!];
}
