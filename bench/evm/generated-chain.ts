/** Starts the generated chain's node in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf } from "./process-cpu.ts";

export interface GeneratedChain {
  readonly url: string;
  readonly height: number;
  readonly transactions: number;
  /** 0 of a growing chain */
  readonly logs: number;
  /** bytes of all answers about blocks; 0 of a growing chain */
  readonly bytes: number;
  /** addresses of the ERC-20 contracts */
  readonly coins: readonly string[];
  readonly process: ChildProcess;
  /** CPU time of the node so far */
  cpuSeconds(): number;
  stop(): void;
}

/** @param isGrowing Blocks are made when they are asked for, in order. */
export async function serveGeneratedChain(transactions: number, { isGrowing = false } = {}): Promise<GeneratedChain> {
  const script = fileURLToPath(new URL("chain-server.ts", import.meta.url));
  const args = [script, `${transactions}`, "0", ...(isGrowing ? ["growing"] : [])];
  // the ledgers of many transactions are large
  const server = spawn(process.execPath, ["--max-old-space-size=12288", "--import", "tsx", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const { port, ...facts } = JSON.parse(line);
    const node = { process: server, cpuSeconds: () => cpuSecondsOf(server.pid!), stop: () => server.kill() };
    return { url: `http://127.0.0.1:${port}`, ...facts, ...node };
  }
  throw new Error("the generated chain's node ended before it listened");
}
