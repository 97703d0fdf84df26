import { once } from "node:events";
import type { CommandDefinition } from "../command.ts";
import { HTTP_KEYS, httpOptions } from "../serve.ts";
import { DevnetLog } from "./devnet-log.ts";

export const devnetCommand: CommandDefinition = {
  usage: "devnet",
  summary: "run a local network: P-, X- and C-chain with a funded key, JSON-RPC, Data API and a clock that you can move",
  keys: [
    "dataDir",
    "blockTime",
    "upgrades",
    "genesis",
    "networkFile",
    "genesisTime",
    "startTime",
    "accounts",
    "mnemonic",
    "cChainId",
    "evm",
    "allowUnprotectedTxs",
    "settlement",
    "minGasPrice",
    "relayer",
    "json",
    ...HTTP_KEYS,
  ],
  defaults: {
    dataDir: { value: "", help: "directory that keeps the network; default: a temporary folder, removed at the end" },
    webhookTargets: { value: "all", help: "where webhooks may post messages to: all addresses, only public ones, or none" },
  },
  examples: [
    "devnet",
    "devnet --data-dir my-network --block-time 2s",
    "devnet --no-evm",
    "devnet --upgrades etna,fortuna=+10m",
    "devnet --genesis genesis.json --network-file network.json",
    "devnet --http-host 0.0.0.0 --http-allowed-hosts localhost,single-label --json",
  ],
  async run({ config, signal }) {
    const log = new DevnetLog({ isJson: config.json, level: config.logLevel, output: process.stdout });
    // if the reader of standard output is gone, end as on Ctrl-C
    const unread = once(process.stdout, "error");
    const { launch } = await import("../../serve/local-network/launch.ts");
    const { upgrades, genesis: genesisFile, networkFile, genesisTime, startTime, accounts, mnemonic, cChainId } = config;
    const network = await launch({
      dataDirectory: config.dataDir === "" ? undefined : config.dataDir,
      network: { upgrades, genesisFile, networkFile, genesisTime, startTime, accounts, mnemonic, cChainId },
      blockTimeMs: config.blockTime,
      hasEvm: config.evm !== false,
      evmBinary: config.evm === false ? undefined : config.evm,
      allowUnprotectedTxs: config.allowUnprotectedTxs,
      settlement: config.settlement,
      minGasPrice: config.minGasPrice === undefined ? undefined : BigInt(config.minGasPrice),
      relays: config.relayer,
      serve: httpOptions(config),
      log: log.logger,
    });
    try {
      if (signal.aborted) return;
      const { dataDir, blockTime: blockTimeMs, evm, explorer: hasExplorer } = config;
      log.ready(network.description, { isTemporary: dataDir === "", blockTimeMs, hasEvm: evm !== false, hasExplorer });
      await Promise.race([once(signal, "abort"), unread]);
    } finally {
      await network.stop();
    }
  },
};
