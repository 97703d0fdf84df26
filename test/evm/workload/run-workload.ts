/** Runs the workload against a node and returns its intended effects. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface WorkloadOptions {
  readonly rpc: string;
  readonly seed: string;
  /** transactions; the first 250 or so are the same traps whatever the seed */
  readonly txs: number;
  /** of an account that has enough and sent nothing yet, hex; by default one that a development node fills */
  readonly key?: string;
}

export interface Manifest {
  readonly contracts: readonly { readonly name: string; readonly address: string; readonly erc: string }[];
  readonly txs: readonly { readonly label: string; readonly hash: string; readonly status: number }[];
}

const DRIVER = fileURLToPath(new URL("./run.js", import.meta.url));

/** Rejects if the chain did not do what the driver meant. */
export async function runWorkload({ rpc, seed, txs, key }: WorkloadOptions): Promise<Manifest> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-workload-"));
  const manifest = join(scratch, "manifest.json");
  try {
    const funds = key === undefined ? [] : ["--key", key];
    const driver = spawn(process.execPath, [DRIVER, "--rpc", rpc, "--seed", seed, "--txs", `${txs}`, "--out", manifest, ...funds], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    driver.stderr.on("data", (text) => {
      told += text;
    });
    const [code] = await once(driver, "close");
    if (code !== 0) throw new Error(`the workload of seed ${seed} ended with ${code}: ${told}`);
    return JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
