/** The home page of a local network that grows while somebody looks at it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { ask } from "./worlds.ts";

type Overview = components["schemas"]["Overview"];

const { visit } = useBrowser();
let network: LocalNetwork;
let url: string;
const RECEIVER = "0x00000000000000000000000000000000000B0b01";

beforeAll(async () => {
  if (!hasBrowser) return;
  network = await startDevnet();
  url = new URL(network.urls.P).origin;
});
afterAll(() => network?.stop());

describe.skipIf(!hasBrowser)(`the home page of a devnet${skipReason}`, () => {
  test("shows each chain's height and what happened last, in sentences, and follows them without being loaded again", async () => {
    const user = await visit(url);
    await user.open("/");
    for (let round = 0; round < 3; round++) {
      await network.fund("P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2", 1_000_000_000n);
      await network.fund(RECEIVER, 1_500_000_000n);
    }
    const overview = await ask<Overview>({ url }, "/v1/overview");
    const [p] = overview.chains;
    const [c] = overview.evmChains;
    const links = () => user.page.locator("main a").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
    await expect.poll(links).toContain(`#/evm/43112/tx/${c!.transactions[0]!.txHash}`);
    const shown = await links();
    for (const { txHash } of p!.transactions) expect(shown).toContain(`#/P/tx/${txHash}`);
    for (const { txHash } of c!.transactions) expect(shown).toContain(`#/evm/43112/tx/${txHash}`);
    expect(shown).toEqual(expect.arrayContaining([`#/P/block/${p!.height}`, `#/evm/43112/block/${c!.height}`]));
    const text = await user.text();
    expect(text).toMatch(/P ewoq sent 1 AVAX to P-local1g6…mxyymev2/);
    expect(text).toMatch(/C ewoq sent 1\.5 AVAX to 0x00000000…000B0b01/);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("says what time it is in the network", async () => {
    const user = await visit(url);
    await user.open("/");
    await network.advanceTime(100_000n);
    await expect.poll(() => user.text()).toContain("1 d 3 h ahead of this machine's");
    await user.end();
  });

  test("counts the transactions of the last day, and draws those of each hour", async () => {
    type Metrics = components["schemas"]["MetricsApiResponse"];
    const user = await visit(url);
    await network.fund(RECEIVER, 1_000_000_000n);
    await network.advanceTime(7_200n);
    await network.fund(RECEIVER, 1_000_000_000n);
    const hours = await Promise.all(
      ["/v2/chains/total", ...["p-chain", "x-chain"].map((chain) => `/v2/networks/fuji/blockchains/${chain}`)].map(async (path) => {
        const { results } = await ask<Metrics>({ url }, `${path}/metrics/txCount?timeInterval=hour&pageSize=24`);
        return results;
      }),
    );
    const newest = Math.max(...hours.flat().map(({ timestamp }) => timestamp));
    const ofDay = hours.flat().filter(({ timestamp }) => timestamp > newest - 24 * 3600);
    const sum = ofDay.reduce((all, { value }) => all + value, 0);
    const [results = []] = hours;
    expect(results.filter(({ value }) => value > 0).length).toBeGreaterThan(1);
    expect(hours[1]!.some(({ value }) => value > 0)).toBe(true);
    await user.open("/");
    await expect.poll(() => user.text()).toMatch(new RegExp(`Transactions in 24 hours:?\\s*${sum}\\b`));
    await user.page.getByRole("img", { name: "Transactions of each of the last 24 hours" }).waitFor();
    await user.open("/evm/43112");
    await user.page.getByText("The numbers").click();
    const shown = user.page.getByLabel("Transactions by hour").locator("td.number");
    await expect.poll(() => shown.first().textContent()).toBe(`${results[0]!.value}`);
    await user.page.getByLabel("What").selectOption("feesPaid");
    const { results: fees } = await ask<Metrics>({ url }, "/v2/chains/43112/metrics/feesPaid?timeInterval=hour&pageSize=48");
    const paid = user.page.getByLabel("Fees by hour").locator("td.number data");
    await expect.poll(() => paid.first().getAttribute("value")).toBe(`${fees[0]!.value}`);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("tells what happened on the other chains if the list of one cannot be read", async () => {
    const user = await visit(url);
    await user.page.route("**/v1/chains/43112/transactions*", (route) => route.fulfill({ status: 503, json: { message: "later" } }));
    await user.open("/");
    await user.page.getByText("What happened on Avalanche (C-Chain) could not be read.").waitFor();
    expect(await user.text()).toMatch(/P ewoq sent 1 AVAX to P-local1g6…mxyymev2/);
    await user.end();
  });

  test("shows the ID of a page while it is read", async () => {
    const { evmChains } = await ask<Overview>({ url }, "/v1/overview");
    const { txHash } = evmChains[0]!.transactions[0]!;
    const user = await visit(url);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await user.page.route("**/v1/chains/43112", async (route) => {
      await held;
      await route.continue();
    });
    await user.page.goto(`${url}/#/evm/43112/tx/${txHash}`);
    const heading = user.page.getByRole("heading", { level: 1 });
    await expect.poll(() => heading.textContent()).toMatch(new RegExp(`^${txHash.slice(0, 8)}`));
    expect(await user.page.locator(".skeleton").count()).toBeGreaterThan(0);
    release();
    await expect.poll(() => heading.textContent()).toMatch(/^Transaction/);
    await user.end();
  });

  test("has the keys of the network, and the addresses of its interfaces", async () => {
    const user = await visit(url);
    await user.open("/");
    await user.page.getByRole("button", { name: "Show all 10" }).click();
    await user.page.getByText("P, X and the other interfaces").click();
    const text = await user.text();
    for (const name of ["ewoq", "account 9"]) expect(text).toContain(name);
    for (const endpoint of [`${url}/ext/bc/P`, `${url}/ext/bc/C/rpc`, `${url}/v1`, `${url}/ext/firn`]) expect(text).toContain(endpoint);
    await user.end();
  });

  test("adds the C-chain to the browser's wallet, and says what the wallet said", async () => {
    const user = await visit(url);
    await user.page.addInitScript(() => {
      const asked: unknown[] = [];
      const request = async (call: unknown) => {
        if (asked.push(call) > 1) throw new Error("User rejected the request.");
      };
      Object.assign(globalThis, { asked, ethereum: { request } });
    });
    await user.open("/");
    const button = user.page.getByRole("button", { name: /^Add .* to wallet$/ });
    await button.click();
    await user.page.getByText("The wallet has Avalanche (C-Chain).").waitFor();
    expect(await user.page.evaluate(() => (globalThis as unknown as { asked: unknown[] }).asked)).toEqual([
      {
        method: "wallet_addEthereumChain",
        params: [
          {
            chainId: "0xa868",
            chainName: "Avalanche (C-Chain)",
            nativeCurrency: { name: "AVAX", symbol: "AVAX", decimals: 18 },
            rpcUrls: [`${url}/ext/bc/C/rpc`],
          },
        ],
      },
    ]);
    await button.click();
    await user.page.getByText("User rejected the request.").waitFor();
    await user.end();
  });

  test("keeps the colours that its user chose, whatever the system's are", async () => {
    const user = await visit(url, { colorScheme: "light" });
    const colours = () => user.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await user.open("/");
    const light = await colours();
    await user.page.getByLabel("Colours").selectOption("dark");
    await expect.poll(colours).not.toBe(light);
    const dark = await colours();
    await user.page.reload();
    await user.settled();
    expect(await colours()).toBe(dark);
    await user.page.getByLabel("Colours").selectOption("system");
    await expect.poll(colours).toBe(light);
    await user.page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(colours).toBe(dark);
    await user.end();
  });

  test.each(["light", "dark"] as const)("has no barrier in %s colours, nor on a phone", async (colorScheme) => {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 360, height: 740 },
    ]) {
      const user = await visit(url, { colorScheme, viewport });
      await user.open("/");
      expect(await user.barriers()).toEqual([]);
      expect(user.problems).toEqual([]);
      await user.end();
    }
  });
});

describe.skipIf(!hasBrowser)(`the header on a phone${skipReason}`, () => {
  test("is one line, whose menu has the places", async () => {
    const user = await visit(url, { viewport: { width: 390, height: 844 } });
    await user.open("/");
    const parts = [
      user.page.locator(".brand"),
      user.page.getByRole("combobox", { name: "Search" }),
      user.page.getByRole("button", { name: "Menu" }),
    ];
    const boxes = await Promise.all(parts.map(async (part) => (await part.boundingBox())!));
    // each stands beside the one before
    for (const [i, box] of boxes.slice(1).entries()) {
      expect(box.x).toBeGreaterThanOrEqual(boxes[i]!.x + boxes[i]!.width);
      expect(box.y).toBeLessThan(boxes[i]!.y + boxes[i]!.height);
    }
    const places = user.page.getByRole("navigation", { name: "Places" });
    expect(await places.isVisible()).toBe(false);
    await user.page.getByRole("button", { name: "Menu" }).click();
    expect(await user.barriers()).toEqual([]);
    await places.getByRole("link", { name: "Validators" }).click();
    await user.page.waitForURL((to) => to.hash === "#/validators");
    expect(await places.isVisible()).toBe(false);
    await user.end();
  });
});

describe.skipIf(!hasBrowser)(`the home page of a server in trouble${skipReason}`, () => {
  test("says that a health check fails, in place of how far the chains are", async () => {
    const user = await visit(url, { expected: ["503"] });
    await user.open("/");
    expect(await user.text(".heights")).toContain("up to date");
    // what a server answers whose checks fail
    await user.page.route("**/v1/health-check", (route) => route.fulfill({ status: 503, body: '{"healthy":false,"checks":{}}' }));
    await user.page.getByText("A health check of this server fails").waitFor();
    expect(await user.text(".heights")).toContain("not healthy");
    expect(await user.barriers()).toEqual([]);
    await user.end();
  });

  test("says since when it has not answered, claims nothing, and goes on when it answers again", async () => {
    const other = await startDevnet();
    const { port, origin } = new URL(other.urls.P);
    const user = await visit(origin, { expected: ["ERR_CONNECTION_REFUSED", "Failed to load"] });
    await user.open("/");
    expect(await user.text(".heights")).toContain("up to date");
    await other.stop();
    await user.page.getByText(/Firn has not answered since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/).waitFor();
    expect(await user.text(".heights")).toContain("unknown");
    expect(await user.text(".heights")).not.toContain("up to date");
    expect(await user.barriers()).toEqual([]);
    const again = await startDevnet({ httpPort: Number(port) });
    await user.page.getByText("Firn has not answered since").waitFor({ state: "detached" });
    expect(await user.text(".heights")).toContain("up to date");
    await again.stop();
    await user.end();
  });
});

describe.skipIf(!hasBrowser)(`the home page of a devnet with an L1${skipReason}`, () => {
  test("fits a phone, and its owners' addresses are copied with their chain", async () => {
    const l1 = await network.createL1({ name: "AlongNameWithoutASpaceInItAtAll" });
    const user = await visit(url, { viewport: { width: 390, height: 844 }, permissions: ["clipboard-read", "clipboard-write"] });
    await user.open("/");
    await expect.poll(() => user.text()).toContain("AlongNameWithoutASpace");
    expect(await user.barriers()).toEqual([]);
    await user.open("/address/local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u");
    const copies = await user.page.locator("h1 .id").allInnerTexts();
    expect(copies.map((text) => text.trim().split(/\s/)[0])).toEqual(
      ["P", "X", "C"].map((letter) => `${letter}-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u`),
    );
    await user.open(`/l1-validator/${l1.validators[0]!.validationId}`);
    await user.page.locator("button.copy[aria-label^='Copy P-local']").first().click();
    await expect.poll(() => user.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^P-local1/);
    expect(await user.barriers()).toEqual([]);
    await user.end();
  });
});
