/** What a follower serves is what the recorded node answered: the requests of a recording's last checkpoint, after following its blocks. */

import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuleLevel } from "../../../src/base/errors/rule-level.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { parseAcceptedAt } from "../../../src/sources/source.ts";
import { openStore } from "../../../src/store/open.ts";
import { type Checkpoint, runCheckpoints } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { ReplayNode } from "../upstream/replay-node.ts";
import type { Heights } from "../upstream/replayed-methods.ts";
import { OF_CONTAINERS } from "./bare-blocks.ts";

const folder = recordingFolder("latest-1");

let node: ReplayNode;
beforeAll(async () => {
  node = await ReplayNode.start({ recording: folder });
});
afterAll(() => node.stop());

/** What the node had accepted of each chain when it accepted a block: what it accepts later names heights that the P-chain has then. */
function heightsWhen(chain: "P" | "X" | "C", height: bigint): Heights {
  const { chains } = node.network;
  const timeOf = (block: (typeof chains.P)[number]) => parseAcceptedAt(block.container!.acceptedAt);
  const until = timeOf(chains[chain][Number(height)]!);
  const count = (blocks: typeof chains.P) => BigInt(blocks.slice(1).filter((block) => timeOf(block) <= until).length);
  return { P: count(chains.P), X: count(chains.X), C: count(chains.C) };
}

/** In two parts, the second one by a follower that goes on with the first one's store. */
async function follow(_: string, directory: string, heights: Checkpoint["heights"], level: RuleLevel): Promise<void> {
  for (const released of [heightsWhen("P", BigInt(heights.P!) / 2n), heights]) {
    node.release(Object.fromEntries(Object.entries(released).map(([chain, height]) => [chain, BigInt(height)])));
    const { network, networkFile } = await openArchive({ path: folder, instance: networkInstance });
    const until = new Map(Object.entries(node.heights));
    const source = openNodeSource({ network, networkFile, upstreams: [node.url], log: pino({ level: "silent" }), until });
    const store = await openStore({ directory, mode: "write", network, isTemporary: true });
    await ingestSource({ store, source, level }).finally(() => Promise.all([store.close(), source.close()]));
  }
}

describe("a follower answers as the node did", () => {
  test("in everything, through the node's index", async () => {
    node.hasIndex = true;
    const lines: string[] = [];
    expect(await runCheckpoints(folder, { name: "final", fill: follow, log: (line) => lines.push(line) }), lines.join("\n")).toEqual({
      passed: 3490,
      failed: 0,
    });
  });

  test("in everything but what only containers tell, block by block", async () => {
    node.hasIndex = false;
    const lines: string[] = [];
    const options = { name: "final", skip: OF_CONTAINERS, fill: follow, log: (line: string) => lines.push(line) };
    expect(await runCheckpoints(folder, options), lines.join("\n")).toEqual({ passed: 2804, failed: 0 });
  });
});
