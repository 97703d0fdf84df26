/**
 * Ponder 1.0.0 with its embedded database, for comparison with Firn. It runs its ERC-20 example (a row per transfer, and the balances of
 * both sides) over the coins of the generated chain. It is installed once into a folder of its own and is not a dependency of Firn.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../free-port.ts";
import { CHAIN_ID } from "./block-text.ts";
import type { GeneratedChain } from "./generated-chain.ts";
import { cpuSecondsOf } from "./process-cpu.ts";

const PACKAGES = ["ponder@1.0.0", "viem@2.54.0", "hono@4", "typescript@5"];

export interface PonderMeasured {
  /** from the start of its historical sync to the end of its historical indexing */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly events: number;
}

export function installPonder(folder: string): void {
  mkdirSync(join(folder, "src", "api"), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], { cwd: folder, stdio: "inherit" });
}

export async function runPonder(folder: string, chain: GeneratedChain): Promise<PonderMeasured> {
  for (const left of ["pglite", ".ponder"]) rmSync(join(folder, left), { recursive: true, force: true });
  writeFileSync(join(folder, "ponder.config.ts"), configFile(chain));
  const ponder = join(folder, "node_modules", "ponder", "dist", "esm", "bin", "ponder.js");
  const port = `${await freePort()}`;
  const child = spawn(process.execPath, [ponder, "start", "--schema", "bench", "--port", port, "--log-format", "json"], {
    cwd: folder,
    env: { ...process.env, PONDER_TELEMETRY_DISABLED: "true" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    return await measured(child.stdout, () => cpuSecondsOf(child.pid!));
  } finally {
    child.kill();
    await exit;
  }
}

/** Reads the results from its log. */
async function measured(output: NodeJS.ReadableStream, cpuSeconds: () => number): Promise<PonderMeasured> {
  let events = 0;
  let startedAt: number | undefined;
  let cpuBefore = 0;
  for await (const line of createInterface({ input: output })) {
    if (!line.startsWith("{")) continue;
    const { msg, time, level } = JSON.parse(line) as { msg: string; time: number; level: number };
    if (level >= 50) throw new Error(`Ponder says: ${line}`);
    events += Number(/^Indexed (\d+) events/.exec(msg)?.[1] ?? 0);
    if (startedAt === undefined && /^Started .* historical sync/.test(msg)) {
      startedAt = time;
      cpuBefore = cpuSeconds();
    }
    if (msg === "Completed historical indexing")
      return { seconds: (time - startedAt!) / 1000, cpuSeconds: cpuSeconds() - cpuBefore, events };
  }
  throw new Error("Ponder ended before it had indexed the chain");
}

function configFile({ url, coins, height }: GeneratedChain): string {
  const addresses = JSON.stringify(coins.map((coin) => `0x${coin}`));
  return `import { createConfig } from "ponder";
import { http } from "viem";
const input = (name, type, indexed) => ({ name, type, indexed }) as const;
const inputs = [input("from", "address", true), input("to", "address", true), input("amount", "uint256", false)] as const;
export default createConfig({
  database: { kind: "pglite", directory: "./pglite" },
  networks: { generated: { chainId: ${CHAIN_ID}, transport: http("${url}"), maxRequestsPerSecond: 100000 } },
  contracts: {
    Coin: { network: "generated", abi: [{ type: "event", name: "Transfer", inputs }], address: ${addresses}, startBlock: 0, endBlock: ${height} },
  },
});
`;
}

const FILES: Record<string, string> = {
  "package.json": '{ "name": "ponder-beside-firn", "private": true, "type": "module" }\n',
  "ponder.schema.ts": `import { onchainTable, primaryKey } from "ponder";
export const account = onchainTable(
  "account",
  (t) => ({ token: t.hex().notNull(), holder: t.hex().notNull(), balance: t.bigint().notNull() }),
  (table) => ({ pk: primaryKey({ columns: [table.token, table.holder] }) }),
);
export const transferEvent = onchainTable("transfer_event", (t) => ({
  id: t.text().primaryKey(),
  token: t.hex().notNull(),
  amount: t.bigint().notNull(),
  timestamp: t.integer().notNull(),
  from: t.hex().notNull(),
  to: t.hex().notNull(),
}));
`,
  "src/index.ts": `import { ponder } from "ponder:registry";
import { account, transferEvent } from "ponder:schema";
ponder.on("Coin:Transfer", async ({ event, context }) => {
  const { from, to, amount } = event.args;
  const token = event.log.address;
  const change = (holder, by) =>
    context.db.insert(account).values({ token, holder, balance: by }).onConflictDoUpdate((row) => ({ balance: row.balance + by }));
  await change(from, -amount);
  await change(to, amount);
  await context.db.insert(transferEvent).values({ id: event.id, token, amount, timestamp: Number(event.block.timestamp), from, to });
});
`,
  "src/api/index.ts": `import { Hono } from "hono";
export default new Hono();
`,
};
