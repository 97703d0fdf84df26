import { describe, expect, test } from "vitest";
import { EMPTY_SHORT_ID, PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { executeTx } from "../../../../src/chains/platform/block-execution.ts";
import { unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { emptyState, NOW, nodeOf, testNetwork } from "../state/fixture.ts";

describe("adding a validator after Durango", () => {
  const network = testNetwork();
  const add = (nodeId: string, placement: "standard" | "proposal") => () => {
    const base = { networkId: network.networkId, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo: new Uint8Array() };
    const validator = { nodeId, start: NOW, end: NOW + 1n, weight: 1n };
    const rewardsOwner = { kind: "OutputOwners" as const, locktime: 0n, threshold: 0, addresses: [] };
    const tx = assemble(unsignedTx, { kind: "AddValidatorTx", ...base, validator, stake: [], rewardsOwner, shares: 0 }, []);
    executeTx(tx, { network, state: emptyState(network), level: "full", clock: NOW, placement, branch: "commit", gasPrice: undefined });
  };

  test("is refused for its empty node ID first, in a standard block; otherwise for the era", () => {
    expect(add(EMPTY_SHORT_ID, "standard")).toThrow(/validator nodeID cannot be empty$/);
    expect(add(nodeOf(1), "standard")).toThrow(/AddValidatorTx is not permitted post-Durango$/);
    expect(add(EMPTY_SHORT_ID, "proposal")).toThrow(/staker transaction proposed after Banff/);
  });
});
