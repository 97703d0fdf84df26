/**
 * `npm run bench:evm-pages -- [--transfers 1000000] [--seconds 2] [--only TEXT] [--workers 1,2]`: indexes a chain on which one address has
 * that many transfers, and measures requests to every route of EVM chains. `--data-dir DIR` measures a store kept with `--keep DIR`, which
 * must have the same number of transfers.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BenchTokens } from "./data-tokens.ts";
import { TRANSFERS_PER_TRANSACTION } from "./evm/busy-address.ts";
import { makeBusyStore } from "./evm/busy-store.ts";
import { busyLists, busyPoints, pagesOf } from "./evm/page-cases.ts";
import { freePort } from "./free-port.ts";
import { requireWrk } from "./load.ts";
import { measureCases } from "./page-load.ts";

const { values } = parseArgs({
  options: {
    transfers: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    workers: { type: "string", default: "1,2" },
    "data-dir": { type: "string" },
    keep: { type: "string" },
  },
});

const PAGE_SIZE = 10;
const transactions = Math.floor(Number(values.transfers) / TRANSFERS_PER_TRANSACTION);

async function measure(dataDir: string): Promise<void> {
  const port = await freePort();
  const script = fileURLToPath(new URL("evm/balance-node.ts", import.meta.url));
  const node = spawn(process.execPath, ["--import", "tsx", script, `${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(node.stdout!, "data");
    const tokens = new BenchTokens(dataDir);
    const isWanted = ({ name }: { readonly name: string }) => name.includes(values.only);
    const lists = busyLists(transactions).filter(isWanted);
    await measureCases(
      { dataDir, options: ["--rpc", `http://127.0.0.1:${port}`] },
      {
        lists: lists.map((list) => ({ name: list.name, pages: pagesOf(list, PAGE_SIZE, tokens) })),
        points: busyPoints(transactions).filter(isWanted),
      },
      { pageSize: PAGE_SIZE, seconds: Number(values.seconds), workerCounts: values.workers.split(",").map(Number) },
    );
  } finally {
    node.kill("SIGTERM");
  }
}

async function makeAndMeasure(): Promise<void> {
  const dataDir = values.keep ?? mkdtempSync(join(tmpdir(), "firn-bench-evm-pages-"));
  try {
    mkdirSync(dataDir, { recursive: true });
    const startedAt = performance.now();
    await makeBusyStore(dataDir, transactions);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${transactions} transactions with ${TRANSFERS_PER_TRANSACTION * transactions} transfers indexed in ${seconds.toFixed(0)} s`,
    );
    await measure(dataDir);
  } finally {
    if (values.keep === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

requireWrk();
if (values["data-dir"] === undefined) await makeAndMeasure();
else await measure(values["data-dir"]);
