/** The devnet panel in a browser: it does to the network what its forms say, for the server's own pages only. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { useBrowser, Visit } from "./browser.ts";
import { hasBrowser, skipReason, startBrowser } from "./chromium.ts";
import { ask } from "./worlds.ts";

const { visit } = useBrowser();
const RECEIVER = "P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2";
const NODE = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
let network: LocalNetwork;
let url: string;
let port: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  network = await startDevnet({ allowedHosts: ["localhost", "firn.test", "*"] });
  url = new URL(network.urls.P).origin;
  port = new URL(url).port;
});
afterAll(() => network?.stop());

async function balance(): Promise<string> {
  const path = `/v1/networks/local/blockchains/p-chain/balances?addresses=${RECEIVER}`;
  const { balances } = await ask<{ balances: { unlockedUnstaked: { amount: string }[] } }>({ url }, path);
  return balances.unlockedUnstaked[0]?.amount ?? "0";
}

/** Presses a button of the card with a heading, and waits until it says something. */
async function press(user: Visit, heading: string, button: string, says: RegExp): Promise<void> {
  const card = user.page.locator("section.card", { has: user.page.getByRole("heading", { name: heading, exact: true }) });
  const form = card.locator("form.action", { has: user.page.getByRole("button", { name: button, exact: true }) }).first();
  await form.getByRole("button", { name: button, exact: true }).click();
  await expect.poll(() => form.getByRole("status").textContent()).toMatch(says);
}

describe.skipIf(!hasBrowser)(`the devnet panel${skipReason}`, () => {
  test("funds an address exactly, and says what was wrong with an input before anything is sent", async () => {
    const user = await visit(url);
    await user.open("/devnet");
    await user.page.getByLabel("Address").fill(RECEIVER);
    await user.page.getByLabel("AVAX", { exact: true }).fill("1.0000000001");
    const asked = user.urls.length;
    await press(user, "Fund an address", "Fund", /^The amount is 1\.0000000001; write AVAX above zero with at most nine decimals/);
    expect(user.urls.slice(asked).filter((each) => each.endsWith("/ext/firn"))).toEqual([]);
    await user.page.getByLabel("AVAX", { exact: true }).fill("123.000000001");
    await user.page.getByRole("button", { name: "Fund", exact: true }).click();
    await user.page.getByText(`pays 123.000000001 AVAX to ${RECEIVER}.`).waitFor();
    expect(await balance()).toBe("123000000001");
    expect(await user.barriers()).toEqual([]);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("moves the clock, builds blocks and sets uptimes", async () => {
    const user = await visit(url);
    await user.open("/devnet");
    const before = network.now();
    await user.page.getByLabel("By").fill("1d12h");
    await press(user, "Clock", "Advance", /^The clock shows \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/);
    expect(network.now() - before).toBeGreaterThanOrEqual(129_600);
    await user.page.getByLabel("To", { exact: true }).fill("2001-01-01");
    await press(user, "Clock", "Set", /only goes forward/);
    await press(user, "Blocks", "Build blocks", /^The heights are P \d+, X \d+, C \d+\.$/);
    const row = user.page.locator("tr", { has: user.page.locator(`a[title="${NODE}"]`) });
    await row.getByLabel("%").fill("12.3456");
    await row.getByRole("button").click();
    await expect.poll(() => row.getByRole("status").textContent()).toBe("It is 12.3456 %.");
    await expect.poll(() => row.textContent()).toContain("12.3456 %");
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("goes back to a snapshot only once that was confirmed", async () => {
    const user = await visit(url);
    await user.open("/devnet");
    const kept = await balance();
    await press(user, "Snapshots", "Take a snapshot", /^This is snapshot 1\.$/);
    await network.fund(RECEIVER, 5n);
    const revert = user.page.getByRole("button", { name: "Revert to snapshot 1" });
    await revert.click();
    await user.page.getByText("Everything that happened since is lost.").waitFor();
    await user.page.getByRole("button", { name: "Cancel" }).click();
    await revert.click();
    expect(await balance()).toBe(`${BigInt(kept) + 5n}`);
    await user.page.getByRole("button", { name: "Revert", exact: true }).click();
    await user.page.getByText("Back at snapshot 1: the clock shows").waitFor();
    expect(await balance()).toBe(kept);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("creates an L1, and lists it with its RPC", async () => {
    const user = await visit(url);
    await user.open("/devnet");
    await user.page.getByLabel("Name", { exact: true }).fill("<i>dex</i>");
    await press(user, "L1s", "Create an L1", /use 1 to 128 letters, digits and spaces/);
    await user.page.getByLabel("Name", { exact: true }).fill("dex");
    await user.page.getByLabel("Validators", { exact: true }).fill("17");
    await press(user, "L1s", "Create an L1", /write a whole number from 1 to 16/);
    await user.page.getByLabel("Validators", { exact: true }).fill("2");
    await user.page.getByRole("button", { name: "Create an L1" }).click();
    await user.page.getByText("The L1 dex runs, with chain ID 99001.").waitFor();
    await expect.poll(() => user.text('section.table[aria-label="L1s of this devnet"]')).toContain("dex 99001 runs");
    expect(user.problems).toEqual([]);
    await user.end();
  });
});

describe.skipIf(!hasBrowser)(`a page of another origin${skipReason}`, () => {
  let browser: Browser;
  let elsewhere: Server;
  beforeAll(async () => {
    browser = await startBrowser("--host-resolver-rules=MAP firn.test 127.0.0.1, MAP evil.test 127.0.0.1");
    elsewhere = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Elsewhere</h1>"));
    await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", () => resolve(undefined)));
  });
  afterAll(async () => {
    await browser?.close();
    elsewhere?.close();
  });

  /** What a page that is opened at an origin gets when it asks the devnet. */
  async function asked(page: string, target: string, path: string, method: string): Promise<number | string> {
    const user = await Visit.start(browser, page, { expected: [""] });
    await user.page.goto(page);
    const status = await user.page.evaluate(
      async ([to, name]) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { seconds: 86_400 } });
        const sent = fetch(to!, { method: "POST", headers: { "content-type": "application/json" }, body });
        return sent.then(
          (response) => response.status,
          () => "refused by the browser",
        );
      },
      [target + path, method],
    );
    await user.end();
    return status;
  }

  test("reads, and does not move the clock; the server's own page does, under a name that was allowed", async () => {
    const evil = `http://evil.test:${(elsewhere.address() as AddressInfo).port}/`;
    const own = `http://firn.test:${port}`;
    expect(await asked(evil, own, "/ext/info", "info.getNetworkID")).toBe(200);
    const before = network.now();
    expect([403, "refused by the browser"]).toContain(await asked(evil, own, "/ext/firn", "firn.advanceTime"));
    // a name of the site itself that resolves to this server, which serves it because of the *
    const rebound = `http://evil.test:${port}`;
    expect(await asked(`${rebound}/`, rebound, "/ext/info", "info.getNetworkID")).toBe(200);
    expect(await asked(`${rebound}/`, rebound, "/ext/firn", "firn.advanceTime")).toBe(403);
    expect(network.now() - before).toBeLessThan(86_400);
    const user = await Visit.start(browser, own);
    await user.open("/devnet");
    await user.page.getByLabel("By").fill("1d");
    await press(user, "Clock", "Advance", /^The clock shows/);
    expect(network.now() - before).toBeGreaterThanOrEqual(86_400);
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
