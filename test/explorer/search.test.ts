/** The search: every kind of thing leads to its screen, and what is not found says what is understood. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { CHAIN_ID, HOSTILE_SYMBOL, openEvmContracts } from "./evm-contracts.ts";
import { ask, recordedWorld, type World } from "./worlds.ts";

type Schemas = components["schemas"];
const { visit } = useBrowser();

/** Types a text into the field and presses Enter, as a user who uses the keyboard only. */
async function searchFor(user: Visit, text: string): Promise<void> {
  await user.open("/");
  await user.page.locator("h1").click();
  await user.page.keyboard.press("/");
  await user.page.keyboard.insertText(text);
  await user.page.keyboard.press("Enter");
}

async function leadsTo(user: Visit, text: string, path: string): Promise<void> {
  await searchFor(user, text);
  await user.page.waitForURL((url) => decodeURIComponent(url.hash) === `#${path}`);
  await user.page.locator("h1").waitFor();
}

describe.skipIf(!hasBrowser)(`in latest-1${skipReason}`, () => {
  let world: World;
  let user: Visit;
  const chainPath = (chain: string) => `/v1/networks/fuji/blockchains/${chain}-chain`;
  beforeAll(async () => {
    world = await recordedWorld("latest-1");
    user = await visit(world.url);
  });
  afterAll(async () => {
    await user?.end();
    await world?.stop();
  });

  test("IDs of transactions and blocks lead to them, with quotes and blanks around them too", async () => {
    for (const chain of ["p", "x", "c"]) {
      const { transactions } = await ask<Schemas["ListPChainTransactionsResponse"]>(world, `${chainPath(chain)}/transactions?pageSize=1`);
      const [{ txHash }] = transactions as [Schemas["PChainTransaction"]];
      await leadsTo(user, `  "${txHash}",`, `/${chain.toUpperCase()}/tx/${txHash}`);
    }
    const { blocks } = await ask<Schemas["ListPrimaryNetworkBlocksResponse"]>(world, `${chainPath("p")}/blocks?pageSize=1`);
    await leadsTo(user, blocks[0]!.blockHash, `/P/block/${blocks[0]!.blockNumber}`);
    expect(user.problems).toEqual([]);
  });

  test("nodes, subnets, blockchains, assets, L1 validators and addresses lead to their screens", async () => {
    const network = "/v1/networks/fuji";
    const { validators } = await ask<{ validators: { nodeId: string }[] }>(world, `${network}/validators?pageSize=1`);
    await leadsTo(user, validators[0]!.nodeId, `/validator/${validators[0]!.nodeId}`);
    const { subnets } = await ask<Schemas["ListSubnetsResponse"]>(world, `${network}/subnets?pageSize=100`);
    const subnet = subnets.find(({ createBlockIndex }) => createBlockIndex !== "-1")!;
    await user.open("/");
    await searchFor(user, subnet.subnetId);
    // the transaction that created it has the same ID
    await user.page.locator(`section[aria-label="Results"] a[href="#/subnet/${subnet.subnetId}"]`).first().waitFor();
    const { validators: ofL1s } = await ask<Schemas["ListL1ValidatorsResponse"]>(world, `${network}/l1Validators?pageSize=1`);
    if (ofL1s[0] !== undefined) await leadsTo(user, ofL1s[0].validationId, `/l1-validator/${ofL1s[0].validationId}`);
    const address = "custom1hw6latcc3up3vldh442kqa0qlld849xyyf2hke";
    for (const form of [address, `P-${address}`, `X-${address}`, `C-${address}`]) await leadsTo(user, form, `/address/${address}`);
    expect(user.problems).toEqual([]);
  });

  test("several results are a list, and the way back leads to the list", async () => {
    await searchFor(user, "7");
    const links = user.page.locator('section[aria-label="Results"] td:first-child a');
    await links.first().waitFor();
    const { results } = await ask<Schemas["SearchResponse"]>(world, "/v1/search?query=7");
    expect(await links.count()).toBe(results.length);
    expect(await user.barriers()).toEqual([]);
    await links.first().click();
    await user.page.waitForURL((url) => !url.hash.startsWith("#/search/"));
    await user.page.goBack();
    await links.first().waitFor();
    expect(await user.page.getByRole("combobox", { name: "Search" }).inputValue()).toBe("7");
  });

  test("the way back from the only result leads to where the search began", async () => {
    const { blocks } = await ask<Schemas["ListPrimaryNetworkBlocksResponse"]>(world, `${chainPath("p")}/blocks?pageSize=1`);
    await leadsTo(user, blocks[0]!.blockHash, `/P/block/${blocks[0]!.blockNumber}`);
    await user.page.goBack();
    await user.page.waitForURL((url) => url.hash === "#/");
  });

  test("what is not found says how it was read and what can be searched for", async () => {
    const visitor = await visit(world.url);
    for (const text of ["there is no such thing", `0x${"00".repeat(31)}07`, "<script>alert(1)</script>", "\u202eabc", "%", "a/b?c#d"]) {
      await searchFor(visitor, text);
      await visitor.page.getByText("Nothing was found").waitFor();
      const { forms } = await ask<Schemas["SearchResponse"]>(world, `/v1/search?query=${encodeURIComponent(text)}`);
      const shown = await visitor.text();
      expect(visitor.urls).toContain(`${world.url}/v1/search?query=${encodeURIComponent(text)}`);
      for (const form of forms!) expect(shown).toContain(form);
    }
    expect(await visitor.barriers()).toEqual([]);
    await searchFor(visitor, "P-custom1hw6latcc3up3vldh442kqa0qlld849xyyf2hkf");
    await visitor.page.locator(".notice").first().waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.end();
  });

  test("what is typed is suggested, and a suggestion is opened by the keyboard", async () => {
    const visitor = await visit(world.url);
    await visitor.open("/");
    await visitor.page.keyboard.press("/");
    await visitor.page.keyboard.type("p:7");
    const options = visitor.page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(["Block P 7"]);
    expect(await visitor.barriers()).toEqual([]);
    await visitor.page.keyboard.press("ArrowDown");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.waitForURL((url) => url.hash === "#/P/block/7");
    await visitor.page.getByRole("combobox", { name: "Search" }).fill("custom1hw6latcc3up3vldh442kqa0qlld849xyyf2hke");
    await options.first().click();
    await visitor.page.waitForURL((url) => url.hash === "#/address/custom1hw6latcc3up3vldh442kqa0qlld849xyyf2hke");
    expect(visitor.problems).toEqual([]);
    await visitor.end();
  });

  test("Escape closes the suggestions, and a selector says what it names", async () => {
    const visitor = await visit(world.url);
    await visitor.open("/");
    await visitor.page.keyboard.press("/");
    await visitor.page.keyboard.type("x:1");
    const options = visitor.page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();
    await visitor.page.keyboard.press("Escape");
    await options.first().waitFor({ state: "hidden" });
    await searchFor(visitor, "0xA9059CBB");
    await visitor.page.getByText("transfer(address,uint256)").waitFor();
    await visitor.end();
  });
});

describe.skipIf(!hasBrowser)(`on an EVM chain${skipReason}`, () => {
  let world: Awaited<ReturnType<typeof openEvmContracts>>;
  let user: Visit;
  beforeAll(async () => {
    world = await openEvmContracts();
    user = await visit(world.url);
  });
  afterAll(async () => {
    await user?.end();
    await world?.stop();
  });

  test("hashes, accounts, contracts, tokens and the chain lead to their screens", async () => {
    const { transactions, contracts } = world;
    await leadsTo(user, transactions.plain, `/evm/${CHAIN_ID}/tx/${transactions.plain}`);
    await leadsTo(user, transactions.plain.slice(2).toUpperCase(), `/evm/${CHAIN_ID}/tx/${transactions.plain}`);
    await leadsTo(user, CHAIN_ID, `/evm/${CHAIN_ID}`);
    const { address } = await ask<Schemas["Contract"]>(world, `/v1/chains/${CHAIN_ID}/addresses/${contracts.coin.address}`);
    await leadsTo(user, "Test Coin", `/evm/${CHAIN_ID}/token/${address}`);
    await leadsTo(
      user,
      HOSTILE_SYMBOL,
      `/evm/${CHAIN_ID}/token/${(await ask<Schemas["Contract"]>(world, `/v1/chains/${CHAIN_ID}/addresses/${contracts.hostile.address}`)).address}`,
    );
    await leadsTo(user, world.account.toLowerCase(), `/address/${world.account}`);
    expect(user.problems).toEqual([]);
  });

  test("a contract is a contract and an account", async () => {
    await searchFor(user, world.contracts.actor.address);
    const kinds = user.page.locator('section[aria-label="Results"] td:first-child');
    await kinds.first().waitFor();
    expect(await kinds.allInnerTexts()).toEqual(["Contract", "Address"]);
  });

  test("an account that nobody named has a page too", async () => {
    const unused = `0x${"0123".repeat(10)}`;
    await searchFor(user, unused);
    await user.page.waitForURL((url) => url.hash.toLowerCase() === `#/address/${unused}`);
  });
});
