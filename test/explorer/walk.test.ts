/** Every screen of the explorer, on networks of every kind. */
import { afterEach, describe, expect, test } from "vitest";
import { serveEvm } from "../sdk/evm-served.ts";
import { drawn } from "../share.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { HOSTILE_NAMES, startBusyDevnet } from "./busy-devnet.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { screenOf, walk } from "./walk.ts";
import { recordedWorld, SAMPLES } from "./worlds.ts";

const { visit } = useBrowser();
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function userOf(url: string): Promise<Visit> {
  const user = await visit(url);
  ending.push(() => user.end());
  return user;
}

test("a screen is known by its path without IDs", () => {
  expect(screenOf("/P/tx/2ZTdCvVzy6DYnqyGjPaSPKx8yXx")).toBe("/P/tx/:");
  expect(screenOf("/evm/43112/nft/0x0000000000000000000000000000000000000001/7")).toBe("/evm/:/nft/:/:");
  expect(screenOf("/validators")).toBe("/validators");
});

describe.skipIf(!hasBrowser)(`every screen${skipReason}`, () => {
  test.each(drawn("recordings that are walked", ["latest-1", "eras-1"] as const, 1))(
    "of %s is whole, says what the API says, and has no barrier",
    async (name) => {
      const world = await recordedWorld(name);
      ending.push(() => world.stop());
      const { screens, problems } = await walk(await userOf(world.url), { perScreen: SAMPLES });
      expect(problems).toEqual([]);
      for (const screen of [
        "/",
        "/P/tx/:",
        "/P/block/:",
        "/X/tx/:",
        "/address/:",
        "/validators",
        "/validator/:",
        "/subnets",
        "/subnet/:",
      ]) {
        expect([...screens.keys()]).toContain(screen);
      }
    },
  );

  test("of an EVM chain is whole, says what the API says, and has no barrier", async () => {
    const world = await serveEvm("evm-1");
    ending.push(() => world.stop());
    const { screens, problems } = await walk(await userOf(world.serverUrl), { perScreen: SAMPLES });
    expect(problems).toEqual([]);
    for (const screen of ["/evm/:", "/evm/:/tx/:", "/evm/:/block/:", "/evm/:/address/:", "/evm/:/token/:"]) {
      expect([...screens.keys()]).toContain(screen);
    }
  });

  test("of a devnet under load, with names that try to do harm, is whole and does none", async () => {
    const devnet = await startBusyDevnet();
    let isRunning = true;
    const load = devnet.load(() => isRunning);
    ending.push(async () => {
      isRunning = false;
      await load;
      await devnet.stop();
    });
    const user = await userOf(devnet.url);
    const { coin, nft, multi } = devnet.contracts;
    const tokens = [coin, nft, multi, ...devnet.hostile].map((token) => `/evm/43112/token/${token}`);
    const { screens, problems } = await walk(user, {
      from: ["/", "/devnet", "/operator", "/evm/43112/tokens", `/evm/43112/tx/${devnet.failed}`],
      perScreen: SAMPLES,
    });
    expect(problems).toEqual([]);
    const hostile = await walk(user, { from: tokens, perScreen: tokens.length, followsLinks: false });
    expect(hostile.problems).toEqual([]);
    expect(await user.page.title()).not.toContain("owned");
    expect([...screens.keys()]).toContain("/devnet");
    // the names are there, as text
    await user.open(tokens.at(-HOSTILE_NAMES.length)!);
    expect(await user.text()).toContain("<script>");
    expect(await user.page.locator("main script").count()).toBe(0);
  });
});
