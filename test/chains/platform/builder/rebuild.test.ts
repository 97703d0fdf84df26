/** Builds every recorded block again: in the state before it, with its transactions in the mempool and the clock at its time. */

import { beforeAll, describe, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import type { BuildContext } from "../../../../src/chains/mempool/issuer.ts";
import type { PlatformBlock } from "../../../../src/chains/platform/block.ts";
import { PlatformIssuer } from "../../../../src/chains/platform/builder/platform-issuer.ts";
import type { SignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { unwrapParsed } from "../../../../src/ingest/ingest-log.ts";
import type { ProposerHeader } from "../../../../src/network/execution.ts";
import { type NodeReplay, replayNode } from "../../../conformance/node-replay.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";

interface Rebuilt {
  readonly recorded: PlatformBlock;
  readonly built: PlatformBlock | undefined;
}

describe.each(["latest-1", "eras-1"] as const)("with the transactions and the time of a recorded block (%s)", (name) => {
  let rebuilt: Rebuilt[];

  beforeAll(async () => {
    rebuilt = [];
    const replay = replayNode(recordingFolder(name), {
      projections: [],
      before(item, node) {
        if (item.kind !== "block" || item.chainId !== PLATFORM_CHAIN_ID) return;
        const { unwrapped, block } = unwrapParsed(item, (bytes) => node.chains.platform.parse(bytes));
        rebuilt.push({ recorded: block, built: rebuild(block, unwrapped.header, node) });
      },
    });
    for await (const _ of replay);
  });

  test("the builder makes the recorded block, byte for byte", () => {
    const different = rebuilt.filter(({ recorded, built }) => recorded.id !== built?.id);
    expect(different.map(({ recorded, built }) => [recorded.height, recorded.kind, built?.kind])).toEqual([]);
  });

  test("there were rewards to propose, both decisions, and several transactions at once to put in order", () => {
    const blocks = rebuilt.map(({ recorded }) => recorded);
    const kinds = new Set(blocks.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["BanffAbortBlock", "BanffCommitBlock", "BanffProposalBlock", "BanffStandardBlock"]);
    expect(blocks.filter((block) => decisionsOf(block).length > 1).length).toBeGreaterThan(5);
  });
});

function decisionsOf(block: PlatformBlock): readonly SignedTx[] {
  return "txs" in block ? block.txs : [];
}

function rebuild(recorded: PlatformBlock, header: ProposerHeader | undefined, node: NodeReplay): PlatformBlock | undefined {
  const { platform } = node.chains;
  const context: BuildContext = {
    network: platform.state.network,
    level: "full",
    clock: "time" in recorded ? recorded.time : platform.state.timestamp,
    prefersCommit: () => recorded.kind === "BanffCommitBlock",
    pChainHeight: header?.epoch?.pChainHeight ?? header?.pChainHeight ?? 0n,
  };
  const txs = decisionsOf(recorded);
  // their order is the builder's, not that of their issue, unless one builds on another
  const issuer = issuerOf(txs.toReversed(), context, node) ?? issuerOf(txs, context, node);
  if (issuer === undefined) return undefined;
  node.fetch(issuer.buildKeys());
  const built = issuer.build(context);
  return built && platform.parse(built.bytes);
}

/** undefined if a transaction is refused */
function issuerOf(txs: readonly SignedTx[], context: BuildContext, { chains, fetch }: NodeReplay): PlatformIssuer | undefined {
  const issuer = new PlatformIssuer(chains.platform);
  try {
    for (const tx of txs) {
      fetch(issuer.admissionKeys(tx));
      // the recorded node's mempool had been told to take what the release's cannot meter
      issuer.admit(tx, context, { skipsMempoolRules: true });
    }
    return issuer;
  } catch {
    return undefined;
  }
}
