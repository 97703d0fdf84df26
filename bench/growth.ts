/**
 * `npm run bench:growth -- [--chain px|evm] [--transactions 10000000] [--memory 2048] [--first 100000] [--interval 100000] [--scratch DIR]`:
 * indexes a made-up chain in a process that has so many MiB of memory, page cache included, and compares the rate at the end, with the merge
 * of the store's files, with that of the first transactions. Blocks are made meanwhile, by a process outside: of P and X
 * (`growth/write-blocks.ts`), or of an EVM chain with call traces by its node (`evm/chain-server.ts`). The scratch folder needs room for the
 * store twice. Needs a cgroup that this user may create, so mostly root.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serveGeneratedChain } from "./evm/generated-chain.ts";
import { MemoryGroup } from "./growth/memory-group.ts";

const { values } = parseArgs({
  options: {
    chain: { type: "string", default: "px" },
    transactions: { type: "string", default: "10000000" },
    memory: { type: "string", default: "2048" },
    first: { type: "string", default: "100000" },
    interval: { type: "string", default: "100000" },
    scratch: { type: "string", default: tmpdir() },
  },
});
if (values.chain !== "px" && values.chain !== "evm") throw new Error(`--chain is ${values.chain}; it needs px or evm`);

/** Ended with this process, however that ends. */
const children: ChildProcess[] = [];

const script = (name: string, ...args: string[]) => ["--import", "tsx", fileURLToPath(new URL(name, import.meta.url)), ...args];
/** Ledgers of many transactions are large. */
const LARGE_HEAP = "--max-old-space-size=12288";

/** Runs a case in the group until it ends. */
async function runIn(group: MemoryGroup, args: readonly string[], input: "ignore" | ChildProcess["stdout"]): Promise<void> {
  const [program, rest] = group.command([process.execPath, ...args]);
  const child = spawn(program, rest, { stdio: [input, "inherit", "inherit"] });
  children.push(child);
  const [code, signal] = await once(child, "exit");
  if (code !== 0) throw new Error(`the measured process ended with ${signal ?? `code ${code}`}`);
}

async function importBlocks(group: MemoryGroup, dataDir: string): Promise<void> {
  const made = spawn(process.execPath, [LARGE_HEAP, ...script("growth/write-blocks.ts", values.transactions)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(made);
  await runIn(group, script("growth/import-case.ts", dataDir, values.first, values.interval), made.stdout);
}

async function followChain(group: MemoryGroup, dataDir: string): Promise<void> {
  const chain = await serveGeneratedChain(Number(values.transactions), { isGrowing: true });
  children.push(chain.process);
  const { url, height } = chain;
  await runIn(group, script("growth/follow-case.ts", dataDir, values.first, values.interval, url, `${height}`), "ignore");
}

async function endChildren(): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ended);
}

const scratch = mkdtempSync(join(values.scratch, "firn-bench-growth-"));
const group = new MemoryGroup(`firn-bench-${process.pid}`, Number(values.memory));
let cleaned: Promise<void> | undefined;
/** Once: a signal that ends a child ends the measurement, too. */
const cleanUp = () => {
  cleaned ??= endChildren()
    .then(() => group.remove())
    .then(() => rmSync(scratch, { recursive: true, force: true }));
  return cleaned;
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  execFileSync(fileURLToPath(new URL("../bin/firn", import.meta.url)), ["--version"]);
  await (values.chain === "px" ? importBlocks : followChain)(group, join(scratch, "data"));
} finally {
  await cleanUp();
}
