/** A follower's data directory goes on elsewhere, with another node: moved after a kill and after a stop, or made again from an archive that was exported meanwhile. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourceQueues, sourceState, sourceTips, storeSource } from "../../../src/index/tables.ts";
import { FirnProcess, run } from "../../cli/firn.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import type { Heights } from "../../sources/upstream/replayed-methods.ts";
import { readReplayedNetwork } from "../../sources/upstream/replayed-network.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { withoutOrder } from "../order-free-rows.ts";
import { following } from "./following.ts";

const folder = recordingFolder("latest-1");
const AT_EXPORT = { P: 27n, X: 31n, C: 10n };
const AT_KILL = { P: 90n, X: 119n, C: 10n };
const AT_STOP = { P: 164n, X: 120n, C: 10n };
const AT_END = { P: 225n, X: 233n, C: 25n };
/** what a follower alone is told; and the text of `network.json`, which an import and a follower write with other blanks */
const NOT_COMPARED: ReadonlySet<number> = new Set([sourceTips, sourceState, sourceQueues, storeSource].map(({ id }) => id));

let nodes: readonly ReplayNode[];
beforeAll(async () => {
  const recording = readReplayedNetwork(folder);
  nodes = await Promise.all([AT_EXPORT, AT_STOP, AT_END].map((released) => ReplayNode.start({ recording, released })));
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));

/** of P, X and C, as it tells with an answer */
async function heightsOf(url: string): Promise<string[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getHeight", params: {} });
  const { headers } = await fetch(`${url}/ext/bc/P`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ["p", "x", "c"].map((chain) => `${headers.get(`firn-height-${chain}`)}`);
}

const texts = ({ P, X, C }: Heights) => [P, X, C].map(String);

/** Until it has what the node has; then it is stopped. */
async function followTo(dataDir: string, node: ReplayNode): Promise<void> {
  const follower = await following(dataDir, { upstream: node.url });
  await expect
    .poll(() => heightsOf(follower.url))
    .toEqual(texts(node.heights))
    .finally(() => follower.stop());
}

async function rowsOf(dataDirectory: string): Promise<Map<string, string>> {
  const rows = withoutOrder(await storeRows(dataDirectory));
  return new Map([...rows].filter(([key]) => !NOT_COMPARED.has(Number.parseInt(key.slice(0, 4), 16))));
}

test("a directory that is moved, or made again from an archive, goes on with another node: nothing is lost, and nothing twice", async () => {
  const here = join(scratchDirectory(), "data");
  const [first, second, third] = nodes as [ReplayNode, ReplayNode, ReplayNode];
  const args = ["--network", join(folder, "network.json"), "--upstream", first.url, "--data-dir", here];
  const firn = new FirnProcess(["follow", ...args, "--http-port", "0", "--workers", "1", "--log-level", "error"]);
  const [url] = await firn.printed(/http:[^ ]+/);
  await expect.poll(() => heightsOf(url!)).toEqual(texts(AT_EXPORT));
  const archive = join(scratchDirectory(), "archive");
  expect(run(["archive", "export", archive, "--data-dir", here])).toMatchObject({ exitCode: 0 });
  first.release(AT_KILL);
  await expect.poll(() => heightsOf(url!)).not.toEqual(texts(AT_EXPORT));
  await firn.end("SIGKILL");

  const afterKill = join(scratchDirectory(), "moved");
  renameSync(here, afterKill);
  await followTo(afterKill, second);
  const afterStop = join(scratchDirectory(), "moved again");
  renameSync(afterKill, afterStop);
  await followTo(afterStop, third);

  const fromArchive = scratchDirectory();
  await importUntil(archive, fromArchive, {}, "full");
  await followTo(fromArchive, third);

  const whole = scratchDirectory();
  await importUntil(folder, whole, { P: Number(AT_END.P), X: Number(AT_END.X), C: Number(AT_END.C) }, "full");
  const expected = await rowsOf(whole);
  for (const directory of [afterStop, fromArchive]) {
    expect(firstDifference(await rowsOf(directory), expected)?.slice(0, 300)).toBeUndefined();
  }
});
