/** The page of an address, of a recorded network and of a devnet: what stands on it is what the API says. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { decimal } from "../../explorer/src/components/amount.tsx";
import { MOST_POINTS } from "../../explorer/src/screens/address/sampling.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { drawn } from "../share.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { ask, recordedWorld, type World } from "./worlds.ts";

type Schemas = components["schemas"];
const { visit } = useBrowser();
const LIGHTS = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { colorScheme: "light", viewport: { width: 360, height: 740 } },
] as const;

/** Opens a tab and waits until it is the one that is shown. */
async function openTab(user: Visit, path: string): Promise<void> {
  await user.open(path);
  await user.page.locator(`.tabs a[href="#${path}"][aria-current]`).waitFor();
  await user.settled();
}

/** Cells of the rows of a table, as its reader sees them. */
async function rowsOf(user: Visit, label: string): Promise<string[][]> {
  await user.page.locator(`section[aria-label="${label}"]`).waitFor();
  const rows = user.page.locator(`section[aria-label="${label}"] tbody tr`);
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not on the screen
  const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)));
  return cells.map((row) => row.map((text) => text.replace(/\s+/g, " ").trim()));
}

describe.skipIf(!hasBrowser)(`an address of latest-1${skipReason}`, () => {
  const ADDRESS = "custom1hw6latcc3up3vldh442kqa0qlld849xyyf2hke";
  const chainPath = (chain: string) => `/v1/networks/fuji/blockchains/${chain}-chain`;
  let world: World;
  beforeAll(async () => {
    world = await recordedWorld("latest-1");
  });
  afterAll(() => world?.stop());

  test("shows every balance of P, X and C, in any of the address's forms", async () => {
    const user = await visit(world.url);
    for (const form of [ADDRESS, `P-${ADDRESS}`, `X-${ADDRESS}`, `C-${ADDRESS.toUpperCase()}`]) {
      await user.open(`/address/${form}`);
      const expected: string[] = [];
      for (const chain of ["p", "x", "c"]) {
        const { balances } = await ask<Schemas["ListPChainBalancesResponse"]>(world, `${chainPath(chain)}/balances?addresses=${ADDRESS}`);
        for (const { amount, denomination, utxoCount } of Object.values(balances).flat()) {
          expected.push(`${chain.toUpperCase()}-chain ${decimal(BigInt(amount), denomination)} ${utxoCount}`);
        }
      }
      const rows = await rowsOf(user, "Balances by chain and state");
      expect(rows.map(([chain, , amount, count]) => `${chain} ${amount!.split(" ")[0]} ${count}`)).toEqual(expected);
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("lists UTXOs with their owners, and spent ones if asked", async () => {
    const user = await visit(world.url);
    await openTab(user, `/address/${ADDRESS}/utxos`);
    const unspent = await ask<Schemas["ListPChainUtxosResponse"]>(world, `${chainPath("p")}/utxos?addresses=${ADDRESS}&pageSize=100`);
    const amounts = async () => (await rowsOf(user, "UTXOs")).map(([amount]) => amount);
    // until it is known which asset is the network's own, each is shown with its ID
    await expect.poll(amounts).toEqual(unspent.utxos.map(({ amount }) => `${decimal(BigInt(amount), 9)} AVAX`));
    const rows = await rowsOf(user, "UTXOs");
    const shared = unspent.utxos.findIndex(({ addresses }) => addresses.length > 1);
    expect(rows[shared]![2]).toContain(`${unspent.utxos[shared]!.threshold} of ${unspent.utxos[shared]!.addresses.length} must sign`);
    await user.page.getByLabel("spent ones too").check();
    const all = await ask<Schemas["ListPChainUtxosResponse"]>(
      world,
      `${chainPath("p")}/utxos?addresses=${ADDRESS}&pageSize=25&includeSpent=true`,
    );
    const spent = all.utxos.flatMap(({ consumingTxHash }) => consumingTxHash ?? []);
    expect(spent.length).toBeGreaterThan(0);
    const links = user.page.locator('section[aria-label="UTXOs"] a');
    const missing = async () => {
      const shown = (await links.evaluateAll((each) => each.map((a) => a.getAttribute("href")))).join();
      return spent.filter((hash) => !shown.includes(hash));
    };
    // until the answer is there, the unspent ones are
    await expect.poll(missing).toEqual([]);
    expect((await rowsOf(user, "UTXOs")).length).toBe(all.utxos.length);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("lists all transactions of all chains, newest first, as far as its reader asks", async () => {
    const user = await visit(world.url);
    await openTab(user, `/address/${ADDRESS}/history`);
    const more = user.page.locator(".more");
    const isMore = async () => (await more.count()) > 0;
    while (await isMore()) {
      const before = (await rowsOf(user, "Transactions")).length;
      await more.getByRole("button", { name: "Show more" }).click();
      await expect.poll(async () => (await rowsOf(user, "Transactions")).length > before || !(await isMore())).toBe(true);
    }
    const expected: string[] = [];
    for (const chain of ["p", "x", "c"]) {
      for (let token = ""; ; ) {
        const page = await ask<Schemas["ListPChainTransactionsResponse"]>(
          world,
          `${chainPath(chain)}/transactions?addresses=${ADDRESS}&pageSize=100${token && `&pageToken=${token}`}`,
        );
        expected.push(...page.transactions.map(({ txHash }) => `#/${chain.toUpperCase()}/tx/${txHash}`));
        if (page.nextPageToken === undefined) break;
        token = page.nextPageToken;
      }
    }
    const links = user.page.locator('section[aria-label="Transactions"] td:first-child a');
    const shown = await links.evaluateAll((each) => each.map((a) => a.getAttribute("href")!));
    expect([...shown].sort()).toEqual(expected.sort());
    const times = await user.page
      .locator('section[aria-label="Transactions"] time')
      .evaluateAll((all) => all.map((time) => time.getAttribute("datetime")!));
    expect(times).toEqual([...times].sort().reverse());
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("draws the balance over time from the API's past balances, ending with the present one", async () => {
    const user = await visit(world.url);
    await user.open(`/address/${ADDRESS}`);
    await user.page.getByText("The numbers").click();
    const rows = await rowsOf(user, "Balances");
    // the present of each chain, and the past
    expect(user.urls.filter((url) => url.includes("/v1/networks/")).length).toBeLessThanOrEqual(7 + MOST_POINTS);
    expect(rows.length).toBeGreaterThan(2);
    const ownBalance = async (query: string) => {
      const path = `${chainPath("p")}/balances?addresses=${ADDRESS}${query}`;
      const {
        atomicMemoryLocked: _,
        atomicMemoryUnlocked: __,
        ...own
      } = (await ask<Schemas["ListPChainBalancesResponse"]>(world, path)).balances;
      const sum = Object.values(own)
        .flat()
        .reduce((total, { amount }) => total + BigInt(amount), 0n);
      return `${decimal(sum, 9)} AVAX`;
    };
    for (const [time, balance] of rows.slice(0, -1)) {
      const seconds = Date.parse(time!.replace(" ", "T").replace(" UTC", "Z")) / 1000;
      expect({ time, balance }).toEqual({ time, balance: await ownBalance(`&blockTimestamp=${seconds}`) });
    }
    expect(rows.at(-1)![1]).toBe(await ownBalance(""));
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test.each(drawn("lights of an address", LIGHTS, 1))("has no barrier: $colorScheme, $viewport.width px", async (options) => {
    const user = await visit(world.url, options);
    for (const path of ["", "/utxos", "/history", "/staking"]) {
      await openTab(user, `/address/${ADDRESS}${path}`);
      expect({ path, barriers: await user.barriers() }).toEqual({ path, barriers: [] });
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("says what is wrong with a text that is no address", async () => {
    const user = await visit(world.url);
    await user.open("/address/P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t");
    await expect
      .poll(() => user.text())
      .toContain("An address is custom1… with or without P-, X- or C-, or 0x and 40 hex digits; this one is of another network");
    await user.open(`/address/${encodeURIComponent('<img src=x onerror="alert(1)">')}`);
    await expect.poll(() => user.text()).toContain("Not an address");
    expect(user.problems).toEqual([]);
    await user.end();
  });
});

describe.skipIf(!hasBrowser)(`an account of a devnet${skipReason}`, () => {
  let network: LocalNetwork;
  let url: string;
  beforeAll(async () => {
    network = await startDevnet();
    url = new URL(network.urls.P).origin;
  });
  afterAll(() => network?.stop());

  test("shows its coins, follows them, and what each transaction changed", async () => {
    const { evm } = network.accounts[0]!.addresses;
    const user = await visit(url);
    await user.open(`/address/${evm.toLowerCase()}`);
    expect(await user.text()).toContain("This is the key ewoq of the devnet");
    await network.fund("0x00000000000000000000000000000000000B0b01", 1_500_000_000n);
    const balance = async () => {
      const path = `/v1/chains/${network.evmChainId}/addresses/${evm}/balances:getNative`;
      return decimal(BigInt((await ask<Schemas["GetNativeBalanceResponse"]>({ url }, path)).nativeTokenBalance.balance), 18);
    };
    const expected = await balance();
    await expect.poll(() => user.text(".figure")).toBe(`${expected} AVAX`);
    await openTab(user, `/address/${evm}/history`);
    const rows = await rowsOf(user, "Transactions");
    expect(rows).toHaveLength(1);
    // what it paid, and the fee
    expect(rows[0]![1]).toMatch(/^-1\.5\d+ AVAX$/);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("names the other address of a key that is known", async () => {
    const { P, evm } = network.accounts[0]!.addresses;
    const user = await visit(url);
    await user.open(`/address/${P}`);
    const links = await user.page.locator("main a").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
    expect(links).toContain(`#/address/${evm}`);
    await user.end();
  });

  test("warns of a wrong checksum", async () => {
    const user = await visit(url);
    await user.open("/address/0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52Fc");
    expect(await user.text()).toContain("a letter or digit may be mistyped");
    await user.end();
  });

  test.each(drawn("lights of an address", LIGHTS, 1))("has no barrier: $colorScheme, $viewport.width px", async (options) => {
    const user = await visit(url, options);
    for (const path of ["", "/history", "/nfts", "/internal", "/contract"]) {
      await openTab(user, `/address/${network.accounts[0]!.addresses.evm}${path}`);
      expect({ path, barriers: await user.barriers() }).toEqual({ path, barriers: [] });
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
