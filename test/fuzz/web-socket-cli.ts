/** `npm run fuzz:ws -- [count] [--seed n]`: sends this many hostile WebSocket frames to a devnet. Prints violations and the duration. */
import { parseArgs } from "node:util";
import { startDevnet } from "../../src/serve/local-network/start.ts";
import { MemorySampling } from "../attack/process-tree.ts";
import { fuzzWebSockets } from "./web-socket-fuzz.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const [count = "100000"] = positionals;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const network = await startDevnet();
const memory = new MemorySampling(process.pid);
try {
  const options = { url: network.urls.cWebSocket, chainId: `0x${network.evmChainId.toString(16)}`, count: Number(count), seed };
  const { problems, frames, connections, goodAnswers, slowestMs } = await fuzzWebSockets(options);
  for (const line of problems) console.log(line.slice(0, 2000));
  console.log(`${frames} frames on ${connections} connections, ${goodAnswers} good calls, the slowest in ${slowestMs.toFixed(0)} ms`);
  console.log(`at most ${(memory.peak / 2 ** 20).toFixed(0)} MiB with all that this process does, seed ${seed}`);
  console.log(`${problems.length} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  memory.end();
  await network.stop();
}
