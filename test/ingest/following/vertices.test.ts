/** `firn follow` of a network whose X-chain began with vertices, from an empty directory. */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { storeRows } from "../../faults/store-rows.ts";
import { dagNetwork } from "../../sources/upstream/dag-network.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { following } from "./following.ts";

const stopping: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function served(): Promise<{ node: ReplayNode; network: string }> {
  const folder = dagNetwork(scratchDirectory(), { isShort: true });
  const node = await ReplayNode.start({ recording: folder });
  stopping.push(() => node.stop());
  node.releaseAll();
  return { node, network: join(folder, "network.json") };
}

test("a node without them is refused in one sentence before anything is written; with them it is followed and served", async () => {
  const { node, network } = await served();
  const dataDir = scratchDirectory();
  node.hasIndex = false;
  await expect(following(dataDir, { network, upstream: node.url })).rejects.toThrow(
    /^the X-chain of .* began with vertices. Only a node run with --index-enabled .* firn import <archive>$/,
  );
  expect((await storeRows(dataDir)).size).toBe(0);
  node.hasIndex = true;
  const follower = await following(dataDir, { network, upstream: node.url });
  stopping.push(() => follower.stop());
  const height = async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "avm.getHeight", params: {} });
    const response = await fetch(`${follower.url}/ext/bc/X`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return ((await response.json()) as { result?: { height: string } }).result?.height;
  };
  await expect.poll(height).toBe("1");
});
