/** The page of an address with thousands of UTXOs and transactions costs what one with a few costs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_POINTS } from "../../explorer/src/screens/address/sampling.ts";
import { isWhole } from "../share.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { recordedWorld, type World } from "./worlds.ts";

const { visit } = useBrowser();
/** owns 13,000 UTXOs in scale-1 */
const LARGE = "custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22";
const MOST_REQUESTS = 7;
const MOST_BYTES = 150_000;

describe.skipIf(!hasBrowser || !isWhole)(`an address with 13,000 UTXOs${skipReason}`, () => {
  let world: World;
  beforeAll(async () => {
    world = await recordedWorld("scale-1");
  });
  afterAll(() => world?.stop());

  test.each(["", "/utxos", "/history", "/staking"])("asks a few bounded pages for %j", async (tab) => {
    const user = await visit(world.url);
    await user.open("/");
    const sizes: number[] = [];
    const reading: Promise<unknown>[] = [];
    user.page.on("response", (response) => {
      if (!response.url().includes("/v1/networks/")) return;
      reading.push(response.body().then((body) => sizes.push(body.length)));
    });
    await user.open(`/address/${LARGE}${tab}`);
    await user.page.locator(".tabs a[aria-current]").waitFor();
    await user.settled();
    await Promise.all(reading);
    expect(sizes.length).toBeGreaterThan(0);
    // its balances are drawn over time, too
    expect(sizes.length).toBeLessThanOrEqual(MOST_REQUESTS + (tab === "" ? MOST_POINTS : 0));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
