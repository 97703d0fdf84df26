/** The history of an address explains its balance: what all its transactions changed is what it has, for every address of a recording. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { type AssetTotal, balanceRows, type ChainBalances, totals } from "../../explorer/src/screens/address/balance-rows.ts";
import { type Change, primaryItem } from "../../explorer/src/screens/address/changes.ts";
import { drawn } from "../share.ts";
import { ask, recordedWorld, type World } from "./worlds.ts";

type Schemas = components["schemas"];
type Transaction = Schemas["Transaction"];

const CHAINS = ["P", "X", "C"] as const;
const pathOf = (chain: string) => `/v1/networks/fuji/blockchains/${chain.toLowerCase()}-chain`;

describe.each(drawn("histories of addresses", ["latest-1", "eras-1"] as const, 1))("%s", (name) => {
  let world: World;
  let overview: Schemas["Overview"];
  const history = new Map<(typeof CHAINS)[number], Transaction[]>();

  beforeAll(async () => {
    world = await recordedWorld(name);
    overview = await ask(world, "/v1/overview");
    for (const chain of CHAINS) history.set(chain, await walk(chain));
  });
  afterAll(() => world?.stop());

  async function walk(chain: string): Promise<Transaction[]> {
    const all: Transaction[] = [];
    for (let token = ""; ; ) {
      const page = await ask<{ transactions: Transaction[]; nextPageToken?: string }>(
        world,
        `${pathOf(chain)}/transactions?pageSize=100${token && `&pageToken=${token}`}`,
      );
      all.push(...page.transactions);
      if (page.nextPageToken === undefined) return all;
      token = page.nextPageToken;
    }
  }

  const aliasOf = (blockchainId: string) => overview.chains.find((chain) => chain.blockchainId === blockchainId)?.alias;

  async function balancesOf(address: string): Promise<ChainBalances[]> {
    const read = async (chain: (typeof CHAINS)[number]) => ({
      chain,
      balances: (await ask<Schemas["ListPChainBalancesResponse"]>(world, `${pathOf(chain)}/balances?addresses=${address}`)).balances,
    });
    return Promise.all(CHAINS.map(read));
  }

  function addresses(): string[] {
    const utxos = [...history.values()]
      .flat()
      .flatMap((tx) => [...("consumedUtxos" in tx ? tx.consumedUtxos : []), ...("emittedUtxos" in tx ? tx.emittedUtxos : [])]);
    return [...new Set(utxos.flatMap((utxo) => utxo.addresses))];
  }

  /** What the genesis of the P-chain gave, which no transaction did. */
  async function ofGenesis(address: string): Promise<Change[]> {
    const created = new Set(history.get("P")!.flatMap((tx) => ("emittedUtxos" in tx ? tx.emittedUtxos : []).map(({ utxoId }) => utxoId)));
    const changes: Change[] = [];
    for (let token = ""; ; ) {
      const query = `addresses=${address}&includeSpent=true&pageSize=100${token && `&pageToken=${token}`}`;
      const page = await ask<Schemas["ListPChainUtxosResponse"]>(world, `${pathOf("P")}/utxos?${query}`);
      for (const { utxoId, blockNumber, asset } of page.utxos) {
        if (blockNumber !== "0" || created.has(utxoId)) continue;
        changes.push({ key: asset.assetId, amount: BigInt(asset.amount), decimals: asset.denomination, symbol: asset.symbol });
      }
      if (page.nextPageToken === undefined) return changes;
      token = page.nextPageToken;
    }
  }

  test("all changes together, and what genesis gave, are the balance", async () => {
    const all = addresses();
    expect(all.length).toBeGreaterThan(5);
    for (const address of all) {
      const changes = CHAINS.flatMap((chain) => history.get(chain)!.flatMap((tx) => primaryItem(chain, tx, address).changes));
      const has = totals(await balancesOf(address), aliasOf);
      expect({ address, has: summed([...changes, ...(await ofGenesis(address))]) }).toEqual({ address, has: named(has) });
    }
  });

  test("rows have every amount of the answers, in words", async () => {
    for (const address of addresses().slice(0, 20)) {
      const answers = await balancesOf(address);
      const rows = answers.flatMap((answer) => balanceRows(answer, (id) => aliasOf(id) ?? id));
      const amounts = answers.flatMap(({ balances }) => Object.values(balances).flat() as { amount: string }[]);
      expect(rows.map(({ amount }) => `${amount}`)).toEqual(amounts.map(({ amount }) => amount));
      for (const row of rows) expect(row.state).not.toMatch(/[A-Z][a-z]*[A-Z]|undefined/);
    }
  });
});

function summed(changes: readonly Change[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { key, amount } of changes) sums.set(key, (sums.get(key) ?? 0n) + amount);
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => [key, `${sum}`]));
}

function named(assets: readonly AssetTotal[]): Record<string, string> {
  const shown = assets.filter(({ amount }) => amount !== 0n);
  return Object.fromEntries(shown.map(({ assetId, type, amount }) => [type === "nft" ? `${assetId} NFT` : assetId, `${amount}`]));
}
