/** A process whose requests live long enough to be promoted in the heap; it prints how far its heap grew, in bytes. */
import { collectGarbageEarly } from "../../src/serve/garbage.ts";

const ALIVE = 200_000;

if (process.argv[2] === "early") collectGarbageEarly();
const alive: object[] = [];
let most = 0;
for (let made = 0; made < 8 * ALIVE; made++) {
  alive[made % ALIVE] = { made, rows: [made, made, made, made] };
  // biome-ignore lint/plugin: two runs of the same allocations are compared: the same on any machine
  if (made % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
}
console.log(most);
