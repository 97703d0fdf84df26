/** Starts a development node (anvil) for a test or command, on a free port. It ends with `stop` or with this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { findBinary } from "../../src/devnet/anvil/binary.ts";

export interface Anvil {
  readonly url: string;
  readonly wsUrl: string;
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  stop(): Promise<void>;
}

export interface AnvilOptions {
  readonly chainId?: number;
  readonly hardfork?: string;
  /** further arguments; by default blocks are made only by `evm_mine` */
  readonly args?: readonly string[];
}

const LISTENING = /Listening on 127\.0\.0\.1:(\d+)/;

export async function startAnvil({ chainId = 43_112, hardfork = "cancun", args = ["--no-mining"] }: AnvilOptions = {}): Promise<Anvil> {
  const fixed = ["--host", "127.0.0.1", "--port", "0", "--order", "fifo"];
  const child = spawn(findBinary(), [...fixed, "--chain-id", `${chainId}`, "--hardfork", hardfork, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const url = `http://127.0.0.1:${await listeningPort(child)}`;
  let id = 0;
  return {
    url,
    wsUrl: url.replace("http", "ws"),
    async call(method, ...params) {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
      });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    async stop() {
      process.removeListener("exit", kill);
      const exited = once(child, "exit");
      if (child.exitCode === null && kill()) await exited;
    },
  };
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const match = LISTENING.exec(line);
      if (match !== null) resolve(Number(match[1]));
    });
  });
}
