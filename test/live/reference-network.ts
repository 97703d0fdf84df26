/** Runs five nodes of the reference implementation on 127.0.0.1: the validators of the local network (ID 12345), with sybil protection. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../bench/free-port.ts";
import { ask } from "../devnet/json-rpc.ts";

const FIRST_NODE_ID = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const NODES = 5;
/** these have an Index API; the others are read as public nodes are */
const INDEXED = 3;
const POLL_MS = 500;
const PATIENCE_MS = 180_000;

export interface ReferenceOptions {
  /** an AvalancheGo binary */
  readonly binary: string;
  /** the folder `staking/local` of its source: public keys for tests */
  readonly keys: string;
  readonly directory: string;
  /** further flags for each node */
  readonly flags?: readonly string[];
}

export class ReferenceNetwork {
  /** of the HTTP interfaces */
  readonly urls: readonly string[];
  readonly #children: readonly ChildProcess[];

  private constructor(urls: readonly string[], children: readonly ChildProcess[]) {
    this.urls = urls;
    this.#children = children;
  }

  static async start(options: ReferenceOptions): Promise<ReferenceNetwork> {
    const ports = await Promise.all(Array.from({ length: NODES }, async () => ({ http: await freePort(), staking: await freePort() })));
    const bootstrap = `127.0.0.1:${ports[0]!.staking}`;
    const children = ports.map(({ http, staking }, index) => {
      const directory = join(options.directory, `node-${index + 1}`);
      mkdirSync(directory, { recursive: true });
      const key = (file: string) => join(options.keys, file);
      const flags = [
        ...["--network-id=local", "--http-host=127.0.0.1", `--http-port=${http}`, "--staking-host=127.0.0.1", `--staking-port=${staking}`],
        ...["--public-ip=127.0.0.1", "--fd-limit=16384", "--log-level=off", "--log-display-level=off", `--data-dir=${directory}`],
        `--staking-tls-key-file=${key(`staker${index + 1}.key`)}`,
        `--staking-tls-cert-file=${key(`staker${index + 1}.crt`)}`,
        `--staking-signer-key-file=${key(`signer${index + 1}.key`)}`,
        ...(index === 0 ? ["--bootstrap-ips=", "--bootstrap-ids="] : [`--bootstrap-ips=${bootstrap}`, `--bootstrap-ids=${FIRST_NODE_ID}`]),
        ...(index < INDEXED ? ["--index-enabled", "--index-allow-incomplete"] : []),
        ...(options.flags ?? []),
      ];
      return spawn(options.binary, flags, { stdio: "ignore" });
    });
    const network = new ReferenceNetwork(
      ports.map(({ http }) => `http://127.0.0.1:${http}`),
      children,
    );
    try {
      await Promise.all(network.urls.map((url) => bootstrapped(url)));
    } catch (error) {
      await network.stop();
      throw error;
    }
    return network;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill("SIGTERM");
        await once(child, "exit");
      }),
    );
  }
}

async function bootstrapped(url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const chains = ["P", "X", "C"].map(async (chain) => {
      const request = { path: "/ext/info", method: "info.isBootstrapped", params: { chain } };
      return (await ask<{ isBootstrapped: boolean }>(url, request)).isBootstrapped;
    });
    const answers = await Promise.all(chains).catch(() => [false]);
    if (answers.every((isBootstrapped) => isBootstrapped)) return;
    if (performance.now() > deadline) throw new Error(`${url} was not bootstrapped in ${PATIENCE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
