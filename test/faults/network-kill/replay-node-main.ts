/** A replayed node as a process of its own: `replay-node-main.ts <port> <Unix milliseconds>`. It accepts blocks at a steady pace from that time on, also across restarts. */
import { recordingFolder } from "../../conformance/recordings.ts";
import { lastHeights, ReplayNode } from "../../sources/upstream/replay-node.ts";
import { CHAINS } from "../../sources/upstream/replayed-network.ts";

const MS_PER_BLOCK = 40;
const [port, startedAt] = process.argv.slice(2).map(Number);
const node = await ReplayNode.start({ recording: recordingFolder("latest-1"), port: port! });
const last = lastHeights(node.network);

function accept(): void {
  // biome-ignore lint/plugin: how far a chain is depends on the time, as that of a real node
  const accepted = BigInt(Math.floor((Date.now() - startedAt!) / MS_PER_BLOCK));
  const next = CHAINS.map((chain) => [chain, accepted < last[chain] ? accepted : last[chain]]);
  node.release(Object.fromEntries(next));
}

accept();
// biome-ignore lint/plugin: a chain grows with time; nothing depends on how far it is
setInterval(accept, MS_PER_BLOCK);
console.log(`listening on ${node.url}`);
