/** A block without a container tells no time of acceptance: its own time stands for it, but for a block that is read at the tip. */
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { Source } from "../../../src/sources/source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { ReplayNode } from "../upstream/replay-node.ts";
import { readReplayedNetwork } from "../upstream/replayed-network.ts";
import { withoutContainers } from "./bare-blocks.ts";

const RECORDING = recordingFolder("latest-1");
const HEIGHT = 60;
const SECOND = 1_000_000_000n;

let node: ReplayNode;
afterEach(() => node.stop());

test("a block whose time is less than 30 s ago was accepted now, an earlier one at its own time", async () => {
  const archive = await openArchive({ path: RECORDING, instance: networkInstance });
  node = await ReplayNode.start({ recording: readReplayedNetwork(RECORDING), released: { P: BigInt(HEIGHT), X: 1n, C: 1n } });
  const times = await timesOfP(withoutContainers(archive));
  const now = times.at(-1)! + 5n * SECOND;
  const { network, networkFile } = archive;
  const source = openNodeSource({
    ...{ network, networkFile, upstreams: [node.url], log: pino({ level: "silent" }), reading: "height" },
    until: new Map([
      ["P", BigInt(HEIGHT)],
      ["X", 1n],
      ["C", 1n],
    ]),
    now: () => Number(now / 1_000_000n),
  });
  const read = await timesOfP(source).finally(() => source.close());
  expect(read).toEqual(times.map((time) => (now - time < 30n * SECOND ? now : time)));
  expect(new Set(read.map((time) => time === now))).toEqual(new Set([true, false]));
});

/** of the blocks up to `HEIGHT` */
async function timesOfP(source: Source): Promise<bigint[]> {
  const times: bigint[] = [];
  for await (const run of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of run) if (item.kind === "block" && item.chainId === PLATFORM_CHAIN_ID) times.push(item.acceptedAt);
    if (times.length >= HEIGHT) break;
  }
  return times.slice(0, HEIGHT);
}
