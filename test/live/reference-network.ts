/** Runs five nodes of the reference implementation on 127.0.0.1: the validators of the local network (ID 12345), with sybil protection. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../bench/free-port.ts";
import { formatNodeId } from "../../src/base/bytes/cb58.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { ask } from "../devnet/json-rpc.ts";
import { ReferenceNode } from "./reference-node.ts";

/** in the order of their keys */
const NODE_IDS = localGenesis().initialStakers.map(({ nodeId }) => formatNodeId(nodeId));
/** these have an Index API; the others are read as public nodes are */
const INDEXED = 3;
/** the last one that has */
const ARCHIVE_NODE = INDEXED - 1;
const POLL_MS = 500;
const PATIENCE_MS = 180_000;

/** Of a C-chain that is asked for all that it ever did, and takes all transactions. Since Helicon it traces by default, and ignores `eth-apis`. */
const ARCHIVE = {
  "pruning-enabled": false,
  "state-sync-enabled": false,
  "allow-unprotected-txs": true,
  "eth-apis": ["eth", "eth-filter", "net", "web3", "internal-eth", "internal-blockchain", "internal-transaction", "debug", "debug-tracer"],
  "log-level": "warn",
};

export interface ReferenceOptions {
  /** an AvalancheGo binary */
  readonly binary: string;
  /** the folder `staking/local` of its source: public keys for tests */
  readonly keys: string;
  readonly directory: string;
  /** further flags for each node */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** how many of the nodes have an Index API; default: three */
  readonly indexed?: number;
  /** the address that nodes tell each other and followers; default: theirs, 127.0.0.1. Among themselves they begin with theirs */
  readonly publicAddress?: string;
  /** of the peers' protocol, one for each node; default: free ones */
  readonly stakingPorts?: readonly number[];
}

/** Ports for the peers' protocol of all nodes. */
export function freeStakingPorts(): Promise<number[]> {
  return Promise.all(NODE_IDS.map(() => freePort()));
}

export class ReferenceNetwork {
  /** of the HTTP interfaces */
  readonly urls: readonly string[];
  /** of the node whose C-chain has call traces and old states; one of those */
  readonly archive: string;
  /** how peers find them: flags of a follower that has no URL */
  readonly peerFlags: readonly string[];
  /** Resolves with what the first node that ended said. */
  readonly ended: Promise<string>;
  readonly nodes: readonly ReferenceNode[];

  private constructor(urls: readonly string[], publicAddress: string, stakingPorts: readonly number[], nodes: readonly ReferenceNode[]) {
    this.urls = urls;
    this.peerFlags = ["--bootstrap-ids", NODE_IDS.join(), "--bootstrap-ips", stakingPorts.map((port) => `${publicAddress}:${port}`).join()];
    this.archive = urls[ARCHIVE_NODE]!;
    this.nodes = nodes;
    this.ended = Promise.race(nodes.map(({ ended }) => ended));
  }

  /** Rejects at once if a node ends. */
  static async start(options: ReferenceOptions): Promise<ReferenceNetwork> {
    const { binary, keys, directory, flags = [], environment = {}, indexed = INDEXED, publicAddress = "127.0.0.1" } = options;
    const stakingPorts = options.stakingPorts ?? (await freeStakingPorts());
    const ports = await Promise.all(stakingPorts.map(async (staking) => ({ http: await freePort(), staking })));
    const addresses = ports.map(({ staking }) => `127.0.0.1:${staking}`);
    const configs = writeConfigs(directory);
    const nodes = ports.map(({ http, staking }, index) => {
      const key = (file: string) => join(keys, file);
      const own = [
        ...["--network-id=local", "--http-host=127.0.0.1", `--http-port=${http}`, "--staking-host=127.0.0.1", `--staking-port=${staking}`],
        ...[`--public-ip=${publicAddress}`, "--fd-limit=16384", "--log-level=off", "--log-display-level=warn"],
        `--staking-tls-key-file=${key(`staker${index + 1}.key`)}`,
        `--staking-tls-cert-file=${key(`staker${index + 1}.crt`)}`,
        `--staking-signer-key-file=${key(`signer${index + 1}.key`)}`,
        `--bootstrap-ips=${addresses.slice(0, index).join()}`,
        `--bootstrap-ids=${NODE_IDS.slice(0, index).join()}`,
        ...(index < indexed ? ["--index-enabled", "--index-allow-incomplete"] : []),
        ...(index === ARCHIVE_NODE ? [`--chain-config-dir=${configs}`] : []),
      ];
      const name = `node-${index + 1}`;
      return new ReferenceNode({ name, binary, flags: [...own, ...flags], environment, directory: join(directory, name) });
    });
    const network = new ReferenceNetwork(
      ports.map(({ http }) => `http://127.0.0.1:${http}`),
      publicAddress,
      stakingPorts,
      nodes,
    );
    const waiting = new AbortController();
    try {
      const failure = network.ended.then((sentence) => Promise.reject(new Error(sentence)));
      await Promise.race([failure, Promise.all(network.urls.map((url) => bootstrapped(url, waiting.signal)))]);
    } catch (error) {
      waiting.abort();
      await network.stop();
      throw error;
    }
    return network;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

/** Returns the folder of the chains' configurations. */
function writeConfigs(directory: string): string {
  const configs = join(directory, "chain-configs");
  mkdirSync(join(configs, "C"), { recursive: true });
  writeFileSync(join(configs, "C", "config.json"), JSON.stringify(ARCHIVE));
  return configs;
}

async function bootstrapped(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!signal.aborted) {
    const chains = ["P", "X", "C"].map(async (chain) => {
      const request = { path: "/ext/info", method: "info.isBootstrapped", params: { chain } };
      return (await ask<{ isBootstrapped: boolean }>(url, request)).isBootstrapped;
    });
    const answers = await Promise.all(chains).catch(() => [false]);
    if (answers.every((isBootstrapped) => isBootstrapped)) return;
    if (performance.now() > deadline) throw new Error(`${url} was not bootstrapped in ${PATIENCE_MS / 1000} s`);
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
