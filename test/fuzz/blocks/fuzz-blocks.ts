/**
 * Makes hostile blocks on a development node, reorganizes some, indexes them meanwhile, and compares the index with loops over the node's
 * final chain.
 */

import { hold, type Verdict } from "../../api/data/oracle/evm/court.ts";
import { openGrowing } from "../../api/data/oracle/evm/trials.ts";
import type { OracleBlock } from "../../api/data/oracle/evm/world.ts";
import { startAnvil } from "../../evm/anvil.ts";
import { gatedNode } from "./gated-node.ts";
import { heldDifferences } from "./held-rows.ts";
import { HostileTraffic } from "./traffic.ts";

export interface FuzzBlocksOptions {
  readonly blocks: number;
  readonly seed: number;
  /** about so many questions; default all */
  readonly cases?: number | undefined;
  readonly log: (line: string) => void;
}

export interface FuzzedBlocks extends Verdict {
  /** what happened on the chain that is left, by what it is */
  readonly happened: Readonly<Record<string, number>>;
}

/** anvil holds so many states in memory: of blocks without states it has no traces */
const KEPT_STATES = 4000;
const PIECE = 20;

export async function fuzzBlocks({ blocks, seed, cases, log }: FuzzBlocksOptions): Promise<FuzzedBlocks> {
  const node = await gatedNode(await startAnvil({ hardfork: "prague", args: ["--no-mining", "--prune-history", `${KEPT_STATES}`] }));
  const traffic = new HostileTraffic(node.anvil, seed);
  const { court, close } = await openGrowing(node, async () => {
    for (let made = 0; made < blocks; ) {
      const piece = Math.min(PIECE, blocks - made);
      if (traffic.int(2) === 0) {
        const snapshot = await node.anvil.call("evm_snapshot");
        await traffic.mine(1 + traffic.int(piece));
        await node.anvil.call("evm_revert", snapshot);
      }
      await traffic.mine(piece);
      made += piece;
      log(`${made} blocks`);
    }
  });
  try {
    const verdict = await hold(court, { seed, ...(cases !== undefined && { most: cases }) });
    const failures = [...verdict.failures, ...(await heldDifferences(node.url, court.lists.blocks))];
    return { ...verdict, failures, happened: happenedIn(court.lists.blocks) };
  } finally {
    await close();
  }
}

function happenedIn(blocks: readonly OracleBlock[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const { raw, receipt, transfers, internals, deployments, wrapped } of blocks.flatMap(({ transactions }) => transactions)) {
    count(`transactions of type ${Number(raw.type)}`);
    if (receipt.status === "0x0") count("failed transactions");
    for (const _ of receipt.logs) count("logs");
    for (const { kind } of transfers) count(`${kind} transfers`);
    for (const { type, isReverted } of internals) count(`${type}s ${isReverted ? "undone" : "done"}`);
    for (const _ of deployments) count("deployments");
    for (const _ of wrapped) count("deposits");
  }
  return counts;
}
