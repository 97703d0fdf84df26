/**
 * `npm run byzantine -- [--seeds 1000] [--seed 1]`: a chain is fetched again and again from peers of whom some lie, as `liars.ts` says. Each seed is
 * printed with the time that it took; memory at the end. Ends with 1 at the first block that is not the network's.
 */
import { parseArgs } from "node:util";
import type { PeerClock } from "../../../src/p2p/peer-clock.ts";
import { servePeers } from "../../sources/peers/served-peers.ts";
import { blocksOf, fetchFromLiars } from "./liars.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } } });
/** so much faster than time: who is silent is waited for a second, not ten */
const FASTER = 10;

const clock: PeerClock = {
  unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)),
  nowMs: () => performance.now() * FASTER,
  after(ms, run) {
    const timer = setTimeout(run, ms / FASTER).unref();
    return () => clearTimeout(timer);
  },
};

const world = await servePeers("eras-1");
// its own peers run by the system's clock; those of each seed by this one
await Promise.all(world.peers.map(({ network }) => network.close()));
const expected = await blocksOf(world);
const told = new Map<string, number>();
let most = 0;
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const startedAt = performance.now();
  for (const lie of await fetchFromLiars(world, expected, { seed, clock, hasSilent: true })) told.set(lie, (told.get(lie) ?? 0) + 1);
  most = Math.max(most, process.memoryUsage().rss);
  console.log(
    `seed ${seed}: ${expected.size} blocks in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  );
}
console.log(`${values.seeds} seeds, every block as it should be; at most ${Math.round(most / 2 ** 20)} MiB`);
console.log(`in how many of them each lie was told: ${[...told].map(([name, count]) => `${name} ${count}`).join(", ")}`);
process.exit(0);
