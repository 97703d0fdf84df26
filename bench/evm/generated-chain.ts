/** Starts the generated chain's node in a process of its own. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf } from "./process-cpu.ts";

export interface GeneratedChain {
  readonly url: string;
  readonly height: number;
  readonly transactions: number;
  readonly logs: number;
  /** bytes of all answers about blocks */
  readonly bytes: number;
  /** addresses of the ERC-20 contracts */
  readonly coins: readonly string[];
  /** CPU time of the node so far */
  cpuSeconds(): number;
  stop(): void;
}

export async function serveGeneratedChain(transactions: number): Promise<GeneratedChain> {
  const script = fileURLToPath(new URL("chain-server.ts", import.meta.url));
  const server = spawn(process.execPath, ["--import", "tsx", script, `${transactions}`], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    const { port, ...facts } = JSON.parse(line);
    return { url: `http://127.0.0.1:${port}`, ...facts, cpuSeconds: () => cpuSecondsOf(server.pid!), stop: () => server.kill() };
  }
  throw new Error("the generated chain's node ended before it listened");
}
