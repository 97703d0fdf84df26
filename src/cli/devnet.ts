import { once } from "node:events";
import type { CommandDefinition } from "./command.ts";
import { DevnetLog } from "./devnet-log.ts";
import { HTTP_KEYS, httpOptions } from "./serve.ts";

export const devnetCommand: CommandDefinition = {
  usage: "devnet",
  summary: "run a whole local network: P, X and C with a funded key, both interfaces, a clock that can be moved",
  keys: ["dataDir", "blockTime", "upgrades", "genesis", "networkFile", "genesisTime", "startTime", "evm", "json", ...HTTP_KEYS],
  defaults: { dataDir: { value: "", help: "where the network is kept; by default a temporary folder that goes at the end" } },
  examples: [
    "devnet",
    "devnet --data-dir my-network --block-time 2s",
    "devnet --upgrades etna,fortuna=+10m",
    "devnet --genesis genesis.json --network-file network.json",
    "devnet --http-host 0.0.0.0 --http-allowed-hosts '*' --json",
  ],
  async run({ config, signal }) {
    const log = new DevnetLog({ isJson: config.json, level: config.logLevel, output: process.stdout });
    // whoever read the lines is gone: ends like Ctrl-C
    const unread = once(process.stdout, "error");
    const { launch } = await import("../devnet/launch.ts");
    const { upgrades, genesis: genesisFile, networkFile, genesisTime, startTime } = config;
    const network = await launch({
      dataDirectory: config.dataDir === "" ? undefined : config.dataDir,
      network: { upgrades, genesisFile, networkFile, genesisTime, startTime },
      blockTimeMs: config.blockTime,
      evmBinary: config.evm,
      serve: httpOptions(config),
      log: log.logger,
    });
    try {
      if (signal.aborted) return;
      log.ready(network.description, { isTemporary: config.dataDir === "", blockTimeMs: config.blockTime });
      await Promise.race([once(signal, "abort"), unread]);
    } finally {
      await network.stop();
    }
  },
};
