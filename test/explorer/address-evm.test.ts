/** The page of an account of an EVM chain: coins, tokens and NFTs with hostile names, and a history that explains the balances. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { decimal } from "../../explorer/src/components/amount.tsx";
import { evmItem } from "../../explorer/src/screens/address/changes.ts";
import { MOST_POINTS } from "../../explorer/src/screens/address/sampling.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { CHAIN_ID, HOSTILE_NAME, HOSTILE_SYMBOL, openEvmContracts } from "./evm-contracts.ts";
import { ask } from "./worlds.ts";

type Schemas = components["schemas"];

const { visit } = useBrowser();
const COIN = { evmChainId: CHAIN_ID, symbol: "AVAX", decimals: 18 };
let world: Awaited<ReturnType<typeof openEvmContracts>>;

beforeAll(async () => {
  world = await openEvmContracts();
});
afterAll(() => world?.stop());

const pathOf = (address: string) => `/v1/chains/${CHAIN_ID}/addresses/${address}`;

async function coinsOf(address: string, block = ""): Promise<bigint> {
  const path = `${pathOf(address)}/balances:getNative${block && `?blockNumber=${block}`}`;
  return BigInt((await ask<Schemas["GetNativeBalanceResponse"]>(world, path)).nativeTokenBalance.balance);
}

/** By the keys of changes, without what is 0. */
async function balancesOf(address: string): Promise<Record<string, string>> {
  const tokens = await ask<Schemas["ListErc20BalancesResponse"]>(world, `${pathOf(address)}/balances:listErc20?pageSize=100`);
  const nfts = await ask<Schemas["ListCollectibleBalancesResponse"]>(world, `${pathOf(address)}/balances:listCollectibles?pageSize=100`);
  return {
    coin: `${(await coinsOf(address)) - (await coinsOf(address, "0"))}`,
    ...Object.fromEntries(tokens.erc20TokenBalances.map((token) => [token.address, token.balance])),
    ...Object.fromEntries(nfts.collectibleBalances.map((nft) => [`${nft.address} ${nft.tokenId}`, "balance" in nft ? nft.balance : "1"])),
  };
}

test("what the transactions of an account changed together is what it has, for everybody who took part", async () => {
  const { transactions: all } = await ask<Schemas["ListNativeTransactionsResponse"]>(
    world,
    `/v1/chains/${CHAIN_ID}/transactions?pageSize=100`,
  );
  const everybody = new Set(all.flatMap(({ from, to }) => [from.address, to.address]));
  for (const { address } of Object.values(world.contracts)) everybody.add(address);
  expect(everybody.size).toBeGreaterThan(6);
  for (const address of everybody) {
    const path = pathOf(address).replace("/v1/", "/v2/");
    const { transactions, nextPageToken } = await ask<Schemas["ListTransactionsV2Response"]>(world, `${path}/transactions?pageSize=100`);
    expect(nextPageToken).toBeUndefined();
    const sums = new Map<string, bigint>([["coin", 0n]]);
    for (const { key, amount } of transactions.flatMap((tx) => evmItem(COIN, tx, address).changes)) {
      sums.set(key, (sums.get(key) ?? 0n) + amount);
    }
    const shown = Object.fromEntries([...sums].filter(([key, sum]) => sum !== 0n || key === "coin").map(([key, sum]) => [key, `${sum}`]));
    expect({ address, has: shown }).toEqual({ address, has: await balancesOf(address) });
  }
});

describe.skipIf(!hasBrowser)(`an account${skipReason}`, () => {
  test("has the coins and tokens of the API, whose names are text", async () => {
    const user = await visit(world.url);
    await user.open(`/evm/${CHAIN_ID}/address/${world.account.toLowerCase()}`);
    await user.page.locator('section[aria-label="ERC-20 tokens"]').waitFor();
    const text = await user.text();
    expect(text).toContain(`${decimal(await coinsOf(world.account), 18)} AVAX`);
    const { erc20TokenBalances } = await ask<Schemas["ListErc20BalancesResponse"]>(world, `${pathOf(world.account)}/balances:listErc20`);
    expect(erc20TokenBalances).toHaveLength(2);
    for (const { balance, decimals } of erc20TokenBalances) expect(text).toContain(decimal(BigInt(balance), decimals));
    expect(text).toContain(HOSTILE_SYMBOL);
    expect(text).toContain(HOSTILE_NAME.slice(0, 38));
    expect(text).not.toContain("\u202e");
    expect(await user.page.locator("main img").count()).toBe(0);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("draws its coins over the blocks, ending with the balance that is shown", async () => {
    const user = await visit(world.url);
    await user.open(`/address/${world.account}`);
    await user.page.getByText("The numbers").first().click();
    const rows = await user.page.locator('section[aria-label="Balances"] tbody tr').allInnerTexts();
    // the balance and the tokens of each chain, and the past
    expect(user.urls.filter((url) => url.includes("/addresses/")).length).toBeLessThanOrEqual(4 + MOST_POINTS);
    for (const row of rows) {
      const [block, balance] = row.split(/\s+/);
      expect({ block, balance }).toEqual({ block, balance: decimal(await coinsOf(world.account, block!), 18) });
    }
    expect(rows.at(-1)).toContain(decimal(await coinsOf(world.account), 18));
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("has its NFTs, its internal transactions, and what it is as a contract", async () => {
    const user = await visit(world.url);
    const { nft, actor } = world.contracts;
    await user.open(`/address/${world.account}/nfts`);
    const nfts = user.page.locator('section[aria-label="NFTs"]');
    await nfts.waitFor();
    await nfts.getByText("Leaf", { exact: true }).waitFor();
    const picture = nfts.getByRole("img", { name: "Picture of Leaf" });
    await picture.waitFor();
    const { contentType, data } = await ask<Schemas["NftPicture"]>(
      world,
      `/v1/chains/${CHAIN_ID}/nfts/collections/${nft.address}/tokens/7/picture`,
    );
    expect(await picture.getAttribute("src")).toBe(`data:${contentType};base64,${data}`);
    expect(await nfts.getByRole("link", { name: "Leaf" }).getAttribute("href")).toBe(
      `#/evm/${CHAIN_ID}/nft/${await addressOf(nft.address)}/7`,
    );
    await user.open(`/address/${actor.address}/internal`);
    const internals = user.page.locator('section[aria-label="Internal transactions"]');
    await internals.waitFor();
    expect(await internals.locator("tbody tr").count()).toBe(2);
    await user.open(`/address/${actor.address}/contract`);
    await user.page.getByText("Deployed by").waitFor();
    expect(await user.text()).toContain("a contract that is no known token");
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test.each([
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 360, height: 740 } },
  ] as const)("has no barrier: $colorScheme, $viewport.width px", async (options) => {
    const user = await visit(world.url, options);
    for (const [tab, table] of [
      ["", "ERC-20 tokens"],
      ["/history", "Transactions"],
      ["/nfts", "NFTs"],
      ["/contract", "Contracts"],
    ]) {
      await user.open(`/address/${world.account}${tab}`);
      await user.page.locator(`section[aria-label="${table}"]`).waitFor();
      expect({ tab, barriers: await user.barriers() }).toEqual({ tab, barriers: [] });
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });
});

/** With its checksum. */
async function addressOf(address: string): Promise<string> {
  return (await ask<Schemas["Contract"]>(world, pathOf(address))).address;
}
