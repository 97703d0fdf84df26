/** An upstream that took another branch than the network, with blocks that are right in themselves. */
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { blocks } from "../../../src/index/tables.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { eventually } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { forkedNetwork } from "./forked-network.ts";
import { ReplayNode } from "./replay-node.ts";
import { readReplayedNetwork } from "./replayed-network.ts";

const FORK = 35;
const TIP = { P: 60n, X: 40n, C: 10n };

const END = { P: 90n, X: 60n, C: 10n };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(recording: ReturnType<typeof readReplayedNetwork>): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording });
  stops.push(() => node.stop());
  return node;
}

test.each(["index", "height"] as const)(
  "an upstream on another branch is refused by name, and none of its blocks is taken: by %s",
  async (reading) => {
    const recorded = readReplayedNetwork(recordingFolder("latest-1"));
    const [honest, forked] = [await start(recorded), await start(forkedNetwork(recorded, FORK))];
    honest.release(TIP);
    forked.release({ ...TIP, X: BigInt(FORK - 1) });
    const { network, networkFile } = await openArchive({ path: recordingFolder("latest-1"), instance: networkInstance });
    const until = new Map(Object.entries(END));
    const upstreams = [honest.url, forked.url];
    const source = openNodeSource({ network, networkFile, upstreams, log: pino({ level: "silent" }), reading, until });
    stops.push(() => source.close());
    const store = await openStore({ directory: scratchDirectory(), mode: "write", network, isTemporary: true });
    stops.push(() => store.close());
    const following = ingestSource({ store, source, level: "full" });
    const has = async (height: bigint) => (await store.get(blocks, { chainId: network.xChainId, height })) !== undefined;
    await eventually(() => has(TIP.X));
    forked.release(END);
    await eventually(() => source.status().upstreams.some(({ state, name }) => state === "refused" && forked.url.includes(name)));
    expect(await has(TIP.X + 1n)).toBe(false);
    expect(source.status().upstreams.map(({ state }) => state)).toEqual(["used", "refused"]);
    honest.release(END);
    await following;
    for (let height = 1n; height <= END.X; height++) {
      const row = await store.get(blocks, { chainId: network.xChainId, height });
      expect(Buffer.from(row!.bytes)).toEqual(recorded.chains.X[Number(height)]!.bytes);
    }
  },
);
