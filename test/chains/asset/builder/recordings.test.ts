import { describe, expect, test } from "vitest";
import { AssetIssuer } from "../../../../src/chains/asset/builder/asset-issuer.ts";
import type { BuiltBlock } from "../../../../src/chains/mempool/issuer.ts";
import type { SourceItem } from "../../../../src/sources/source.ts";
import { assetBlocks } from "../../../conformance/asset/recording.ts";
import { type NodeReplay, replayNode } from "../../../conformance/node-replay.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";

describe("blocks of the reference node's X-chain", () => {
  test.each(["latest-1", "eras-1"] as const)("of %s are built again, byte for byte, from their transactions", async (name) => {
    const folder = recordingFolder(name);
    const recorded = new Map(assetBlocks(folder).map(({ height, bytes }) => [height, bytes]));
    const built: BuiltBlock[] = [];
    let issuer: AssetIssuer | undefined;

    const before = (item: SourceItem, { chains, fetch }: NodeReplay) => {
      const chain = chains.assetChain(chains.network.xChainId)!;
      if (item.kind !== "block" || item.chainId !== chains.network.xChainId) return;
      issuer ??= new AssetIssuer(chain, chains.view);
      const { time, txs } = chain.parse(recorded.get(chain.tip.height + 1n)!);
      const context = { network: chains.network, level: "full" as const, clock: time };
      for (const tx of txs) {
        fetch(issuer.admissionKeys(tx));
        issuer.admit(tx, context);
      }
      fetch(issuer.buildKeys());
      const block = issuer.build({ ...context, prefersCommit: () => true, pChainHeight: 0n })!;
      built.push(block);
      issuer.accepted(block);
    };
    for await (const _ of replayNode(folder, { projections: [], before }));

    expect(built.map(({ height }) => height)).toEqual([...recorded.keys()].filter((height) => height > 0n));
    for (const { height, bytes } of built) expect(Buffer.from(bytes).equals(recorded.get(height)!)).toBe(true);
    expect(built.length).toBeGreaterThan(150);
  });
});
