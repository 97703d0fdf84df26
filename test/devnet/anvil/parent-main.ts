/** A process that starts the EVM's binary as a child and prints its ID, for tests that kill it. */
import { pino } from "pino";
import { findBinary } from "../../../src/devnet/anvil/binary.ts";
import { Child } from "../../../src/devnet/anvil/child.ts";

const [cacheDirectory = "", genesis = ""] = process.argv.slice(2);
const options = {
  binary: findBinary(),
  name: "the C-chain",
  evmChainId: 1n,
  gasLimit: 15_000_000n,
  hardfork: "cancun",
  cacheDirectory,
  start: { genesis },
  memoryBytes: 2 ** 31,
  log: pino({ level: "silent" }),
} as const;
const child = await Child.start(options, async () => {});
process.stdout.write(`${child.pid}\n`);
// until it is killed
process.stdin.resume();
