/** A network whose nodes were started with other rules than Firn assumes: ingest stops before the block, and the sentence says what to do. */
import pino from "pino";
import { expect, test } from "vitest";
import { sourceState } from "../../../src/index/tables.ts";
import { followPrimary } from "../../../src/ingest/following/primary-network.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../../store/scratch.ts";

test("a block that breaks an assumed rule stops ingest with a sentence that names the network file", async () => {
  const node = await ReplayNode.start({ recording: recordingFolder("live-1") });
  node.releaseAll();
  const { network } = node.network;
  const strict = { ...network, staking: { ...network.staking, minDelegatorStake: 10n ** 18n, minValidatorStake: 10n ** 18n } };
  const store = await openStore({ directory: scratchDirectory(), mode: "write", network, isTemporary: true });
  const log = pino({ level: "silent" });
  const source = openNodeSource({ network: strict, networkFile: Buffer.from("{}"), upstreams: [node.url], log });
  const stopping = new AbortController();
  const following = followPrimary({ store, source, level: "full", log, signal: stopping.signal });
  try {
    const problem = async () => (await store.get(sourceState, { slot: 0 }))?.problem;
    await expect.poll(problem).toMatch(/^chain P, block \d+, .*; if the network's nodes were started with other .* --network <file>$/);
  } finally {
    stopping.abort();
    await Promise.all([following, source.close()]);
    await store.close();
    await node.stop();
  }
});
