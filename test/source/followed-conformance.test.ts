/** What a follower serves is what the recorded node answered: the requests of a recording's last checkpoint, after following its blocks. */
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { RuleLevel } from "../../src/primitives/rule-level.ts";
import { openArchive } from "../../src/source/archive.ts";
import { openNodeSource } from "../../src/source/node/node-source.ts";
import { openStore } from "../../src/store/open.ts";
import { type Checkpoint, runCheckpoints } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { ReplayNode } from "../upstream/replay-node.ts";

const folder = recordingFolder("latest-1");
/** Only containers tell: their IDs, and the epoch that the next one begins. */
const OF_CONTAINERS = ["index", "proposervm"];

let node: ReplayNode;
beforeAll(async () => {
  node = await ReplayNode.start({ recording: folder });
});
afterAll(() => node.stop());

/** In two parts, the second one by a follower that goes on with the first one's store. */
async function follow(_: string, directory: string, heights: Checkpoint["heights"], level: RuleLevel): Promise<void> {
  for (const share of [2n, 1n]) {
    node.release(Object.fromEntries(Object.entries(heights).map(([chain, height]) => [chain, BigInt(height) / share])));
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
