/** The machine's clock jumps by hours while a network is followed. Only the clock is made up: it stands still between the jumps. */
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { comparable } from "../../sources/upstream/fault-run.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { following } from "./following.ts";

const HOUR_MS = 3_600_000;
const recording = recordingFolder("live-1");
/** the next block imports what the X-chain exports */
const STEPS = 6;

afterEach(() => {
  vi.useRealTimers();
});

const metricsOf = async (url: string) => (await fetch(`${url}/ext/metrics`)).text();

/** Follows `STEPS` blocks of P one by one, and sets the clock after each of them. */
async function followed(jump: (step: number) => void, atEnd: (url: string, node: ReplayNode) => Promise<void> = async () => {}) {
  const node = await ReplayNode.start({ recording });
  const directory = scratchDirectory();
  const follower = await following(directory, { network: join(recording, "network.json"), upstream: node.url });
  try {
    for (let step = 1; step <= STEPS; step++) {
      node.release({ P: BigInt(step) });
      await expect.poll(() => metricsOf(follower.url)).toContain(`firn_chain_height_blocks{chain="P"} ${step}\n`);
      jump(step);
    }
    await atEnd(follower.url, node);
  } finally {
    await follower.stop();
    await node.stop().catch(() => {});
  }
  return comparable(await storeRows(directory));
}

test("clock jumps by hours, back and forth, cost no block and change no row, and silence is told after them", async () => {
  const expected = await followed(() => {});
  vi.useFakeTimers({ toFake: ["Date"] });
  const found = await followed(
    (step) => vi.setSystemTime(vi.getMockedSystemTime()!.getTime() + (step % 2 === 0 ? 5 : -7) * HOUR_MS),
    async (url, node) => {
      await expect.poll(async () => (await fetch(`${url}/ext/health`)).status).toBe(200);
      await node.stop();
      vi.setSystemTime(vi.getMockedSystemTime()!.getTime() + 60_000);
      await expect.poll(async () => (await fetch(`${url}/ext/health`)).status).toBe(503);
      // set back behind the last sign of life: it is not taken for a fresh one
      vi.setSystemTime(vi.getMockedSystemTime()!.getTime() - 2 * HOUR_MS);
      await expect.poll(async () => (await fetch(`${url}/ext/health`)).text()).toMatch(/P is \d{4,}s behind its source/);
    },
  );
  expect(firstDifference(found, expected)).toBeUndefined();
});
