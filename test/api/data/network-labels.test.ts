import { describe, expect, test } from "vitest";
import { DataError } from "../../../src/api/data/errors.ts";
import { NetworkPaths, publicChainId } from "../../../src/api/data/network-labels.ts";
import { formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { C_CHAIN, P_CHAIN, primaryChains, X_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { fuji, mainnet } from "../../../src/network/presets.ts";
import { smallNetwork } from "../../serve/small-store.ts";

const of = (network: object): NetworkInstance => ({ ...smallNetwork, ...network });
const custom = of({ networkId: 9001, name: "network-9001", hrp: "custom" });

function statusOf(run: () => unknown): number {
  try {
    run();
    return 200;
  } catch (error) {
    return error instanceof DataError ? error.status : Number.NaN;
  }
}

describe.each([
  ["mainnet", of(mainnet), { mainnet: 200, fuji: 404, testnet: 404, local: 400, Mainnet: 400, "1": 400, "": 400 }, "mainnet"],
  ["Fuji", of(fuji), { fuji: 200, testnet: 200, mainnet: 404, local: 400, "5": 400 }, "fuji"],
  [
    "a network of one's own",
    custom,
    { "network-9001": 200, "9001": 200, "9002": 400, fuji: 200, testnet: 200, mainnet: 404, local: 400 },
    "fuji",
  ],
] as const)("A store of %s", (_, network, statuses, label) => {
  const paths = new NetworkPaths(network);

  test("answers under its labels, knows the others' and no more", () => {
    expect(paths.label).toBe(label);
    for (const [text, status] of Object.entries(statuses))
      expect(
        statusOf(() => paths.checkNetwork(text)),
        text,
      ).toBe(status);
  });

  test("knows its chains by alias, by their own IDs and by the public ones of its label", () => {
    const ids = [formatId("00".repeat(32)), formatId(network.xChainId), formatId(network.cChainId)];
    for (const chain of primaryChains) {
      for (const name of [["p-chain", "x-chain", "c-chain"][chain]!, ids[chain]!, publicChainId(chain, label)]) {
        expect(paths.chainOf(name, primaryChains)).toBe(chain);
      }
    }
    const foreign = label === "fuji" ? "mainnet" : "fuji";
    expect(statusOf(() => paths.chainOf(publicChainId(X_CHAIN, foreign), primaryChains))).toBe(400);
    expect(statusOf(() => paths.chainOf("P", primaryChains))).toBe(400);
  });

  test("refuses a chain that the route does not take", () => {
    expect(() => paths.chainOf("x-chain", [P_CHAIN])).toThrow('blockchainId must be p-chain or the blockchain ID of it, got "x-chain"');
    expect(() => paths.chainOf("p-chain", [X_CHAIN, C_CHAIN])).toThrow("blockchainId must be x-chain, c-chain or");
  });
});

test("The public IDs are IDs", () => {
  for (const label of ["mainnet", "fuji"] as const)
    for (const chain of primaryChains) expect(parseId(publicChainId(chain, label))).toHaveLength(64);
});
