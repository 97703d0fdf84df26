/** Blocks of an upgrade that Firn does not know: ingest stops before them, and says what is not known and what to do. */
import pino from "pino";
import { expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { blocks, sourceState } from "../../../src/index/tables.ts";
import { followPrimary } from "../../../src/ingest/following/primary-network.ts";
import { unwrapBlock, wrapBlock } from "../../../src/network/proposervm.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import { type ReplayedBlock, type ReplayedNetwork, readReplayedNetwork } from "../../sources/upstream/replayed-network.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const recording = readReplayedNetwork(recordingFolder("latest-1"));
/** a standard block with a transaction: codec version, type, time, parent, height, number of transactions, and the first one's type */
const HEIGHT = 2;
const TX_TYPE_AT = 2 + 4 + 8 + 32 + 8 + 4 + 3;
const UNKNOWN = 45;

/** The recording with another byte in one block, in a container of its own. */
function changed(at: number, value: number): ReplayedNetwork {
  const change = ({ bytes, container, ...block }: ReplayedBlock): ReplayedBlock => {
    const inner = Buffer.from(bytes);
    inner[at] = value;
    const { header } = unwrapBlock(container!.bytes, () => true);
    const { parentId, timestamp, pChainHeight, epoch } = header!;
    const whole = wrapBlock({ parentId, timestamp: timestamp!, pChainHeight: pChainHeight!, ...(epoch && { epoch }) }, inner);
    const id = formatId(unwrapBlock(whole, () => true).containerId);
    return { ...block, bytes: inner, container: { ...container!, id, bytes: whole } };
  };
  const P = recording.chains.P.map((block, height) => (height === HEIGHT ? change(block) : block));
  return { ...recording, chains: { ...recording.chains, P } };
}

test.each([
  ["type of a transaction", TX_TYPE_AT, UNKNOWN, "the type ID 45"],
  ["type of a block", 5, UNKNOWN, "the type ID 45"],
  ["codec version", 1, 1, "codec version 1"],
] as const)("An unknown %s stops ingest before the block, by each way of reading", async (_, at, value, what) => {
  for (const hasIndex of [true, false]) {
    const node = await ReplayNode.start({ recording: changed(at, value), released: { P: BigInt(HEIGHT) } });
    node.hasIndex = hasIndex;
    const { network } = node.network;
    const store = await openStore({ directory: scratchDirectory(), mode: "write", network, isTemporary: true });
    const log = pino({ level: "silent" });
    const source = openNodeSource({ network, networkFile: Buffer.from("{}"), upstreams: [node.url], log });
    const stopping = new AbortController();
    const following = followPrimary({ store, source, level: "full", log, signal: stopping.signal });
    try {
      const problem = async () => (await store.get(sourceState, { slot: 0 }))?.problem;
      await expect
        .poll(problem)
        .toMatch(new RegExp(`; it has ${what}, and the newest upgrade that this Firn knows is Helicon: .* continues with this store$`));
      expect(await store.get(blocks, { chainId: PLATFORM_CHAIN_ID, height: 2n })).toBeUndefined();
    } finally {
      stopping.abort();
      await Promise.all([following, source.close()]);
      await store.close();
      await node.stop();
    }
  }
});
