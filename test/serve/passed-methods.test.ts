import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cheatMethods } from "../../src/serve/evm/cheats/cheat-methods.ts";
import { isPassed, METHODS_OF_NODE, METHODS_OF_OTHERS } from "../../src/serve/evm/passed-methods.ts";

const page = readFileSync("docs/devnet.md", "utf8");
const part = page.slice(page.indexOf("**Methods that reach the EVM.**"), page.indexOf("**Time.** After"));

test("the page lists the methods that reach the EVM, all of them, once, and no other", () => {
  const [ofNode, ofOthers] = part.split("Tools that were made for other nodes");
  const named = (text: string) => [...text.matchAll(/`([a-z0-9]+_\w+)`[,\n]/g)].map(([, name]) => name);
  expect(named(ofNode!)).toEqual([...new Set(named(ofNode!))]);
  expect(new Set(named(ofNode!))).toEqual(new Set(METHODS_OF_NODE));
  expect(new Set(named(ofOthers!))).toEqual(new Set(METHODS_OF_OTHERS));
});

test("none of them is done by Firn for the whole network, or changes the EVM alone", () => {
  expect([...cheatMethods.keys()].filter(isPassed)).toEqual([]);
  expect(
    [...METHODS_OF_NODE, ...METHODS_OF_OTHERS].filter((name) => /_(?:set|mine|impersonate|drop|reset|load|dump|rollback|reorg)/.test(name)),
  ).toEqual([]);
});

test.each([
  "anvil_dumpState",
  "eth_getWork",
  "debug_dbGet",
  "eth_signTransaction",
  "eth_nothing",
  "toString",
  "constructor",
  "",
  "ETH_CALL",
])("%j reaches it not", (method) => {
  expect(isPassed(method)).toBe(false);
});
