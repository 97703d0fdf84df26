import Type from "typebox";
import { describe, expect, test } from "vitest";
import type { EvmChain } from "../../../src/api/data/evm/evm-chain.ts";
import { type AnyDataRoute, dataRoute } from "../../../src/api/data/route.ts";
import { P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../src/index/primary/primary-chain.ts";

const base = {
  method: "GET",
  path: "/declared",
  operationId: "declared",
  tag: "Test",
  summary: "Nothing.",
  cost: "O(1)",
  computeUnits: 1,
  query: Type.Object({}),
  response: Type.Object({}),
} as const;
const use = (..._: unknown[]): Record<string, never> => ({});
const one = (chain: PrimaryChain | EvmChain) => use(chain);
const all = (chains: readonly EvmChain[]) => use(chains);

// the compiler is the test: an error that is expected and absent is one of its own
const routes: readonly AnyDataRoute[] = [
  dataRoute({ ...base, chains: [P_CHAIN, X_CHAIN], handle: async (_, context) => one(context.chain) }),
  dataRoute({ ...base, evm: "chain", handle: async (_, context) => one(context.evmChain) }),
  dataRoute({ ...base, evm: "all", handle: async (_, context) => all(context.evmChains) }),
  dataRoute({ ...base, chains: [P_CHAIN], evm: "chain", handle: async (_, context) => use(one(context.chain), one(context.evmChain)) }),
  // @ts-expect-error it names no chains
  dataRoute({ ...base, handle: async (_, context) => use(context.chain) }),
  // @ts-expect-error it is of no EVM chain
  dataRoute({ ...base, chains: [P_CHAIN], handle: async (_, context) => use(context.evmChain) }),
  // @ts-expect-error it is of all EVM chains, not of one
  dataRoute({ ...base, evm: "all", handle: async (_, context) => use(context.evmChain) }),
  // @ts-expect-error it is of one EVM chain, not of all
  dataRoute({ ...base, evm: "chain", handle: async (_, context) => use(context.evmChains) }),
];

describe("a route's handler", () => {
  test("sees the chains that the route declares, and the compiler refuses any others", () => {
    expect(routes.map(({ chains, evm }) => [chains?.length, evm])).toEqual([
      [2, undefined],
      [undefined, "chain"],
      [undefined, "all"],
      [1, "chain"],
      [undefined, undefined],
      [1, undefined],
      [undefined, "all"],
      [undefined, "chain"],
    ]);
  });
});
