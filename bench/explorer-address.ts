/**
 * `npm run bench:explorer-address -- [--transactions 250000]`: opens the page of an address in the explorer: of one that takes part in so many
 * transactions, each with four token transfers, and of one that takes part in ten. Each tab is opened 7 times with an empty browser, in turn;
 * the figures are the medians of the time until everything is on the screen.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { hasBrowser, skipReason, startBrowser } from "../test/explorer/chromium.ts";
import { listeningUrl } from "../test/serve/listening-url.ts";
import { BUSY, CHAIN_ID } from "./evm/busy-address.ts";
import { makeBusyStore } from "./evm/busy-store.ts";
import { freePort } from "./free-port.ts";

const { values } = parseArgs({ options: { transactions: { type: "string", default: "250000" } } });
const FEW = 10;
const RUNS = 7;
const TABS = ["", "/history", "/nfts", "/internal"];

if (!hasBrowser) throw new Error(skipReason.trim());
const scratch = mkdtempSync(join(tmpdir(), "firn-bench-address-"));
const children: ChildProcess[] = [];
let browser: Browser | undefined;
try {
  const rpc = await startNode();
  const [many, few] = [await serve(Number(values.transactions), rpc), await serve(FEW, rpc)];
  browser = await startBrowser();
  console.log(`| tab | ${FEW} transactions, ms | ${values.transactions} transactions, ms | ratio |\n|---|---:|---:|---:|`);
  for (const tab of TABS) {
    const path = `/#/evm/${CHAIN_ID}/address/0x${BUSY}${tab}`;
    const runs: [number, number][] = [];
    for (let run = 0; run < RUNS; run++) runs.push([await open(browser, few + path), await open(browser, many + path)]);
    const [short, long] = [median(runs.map(([first]) => first)), median(runs.map(([, second]) => second))];
    console.log(`| ${tab === "" ? "balances" : tab.slice(1)} | ${short.toFixed(0)} | ${long.toFixed(0)} | ${(long / short).toFixed(2)} |`);
  }
} finally {
  await browser?.close();
  for (const child of children) child.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
}

/** Answers what is not indexed: native balances. */
async function startNode(): Promise<string> {
  const port = await freePort();
  const node = spawn(process.execPath, ["--import", "tsx", fileURLToPath(new URL("evm/balance-node.ts", import.meta.url)), `${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(node);
  await once(node.stdout, "data");
  return `http://127.0.0.1:${port}`;
}

async function serve(transactions: number, rpc: string): Promise<string> {
  const directory = join(scratch, `${transactions}`);
  await makeBusyStore(directory, transactions);
  const program = fileURLToPath(new URL("../bin/firn", import.meta.url));
  const options = ["--data-dir", directory, "--rpc", rpc, "--http-port", "0", "--workers", "1", "--log-level", "error"];
  const server = spawn(process.execPath, [program, "serve", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(server);
  return listeningUrl(server);
}

/** Milliseconds from the beginning of the navigation until nothing is being loaded. */
async function open(of: Browser, url: string): Promise<number> {
  const context = await of.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("h1").waitFor();
  await page.locator(".card").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  const passed = await page.evaluate<number>("performance.now()");
  await context.close();
  return passed;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
