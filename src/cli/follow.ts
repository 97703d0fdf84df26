import type { CommandDefinition } from "./command.ts";
import { chainEntries } from "./config.ts";
import { HTTP_KEYS } from "./serve.ts";

export const followCommand: CommandDefinition = {
  usage: "follow",
  summary: "index EVM chains from their nodes and serve what is indexed, until stopped; continues where the store stands",
  keys: ["dataDir", "chains", "rpc", "workers", "maxStoreBytes", ...HTTP_KEYS],
  defaults: {
    httpPort: { value: 9660, help: "port to listen on, 9650 being the one of a node; 0 for a free one (default: 9660)" },
    workers: { value: 1, help: "processes that answer requests; 1 is the one that indexes (default: 1)" },
  },
  examples: [
    "follow --rpc http://127.0.0.1:9650/ext/bc/C/rpc",
    "follow --config firn.json --data-dir data --workers 4",
    "follow --rpc wss://node-1.example.org/ws,https://node-2.example.org/rpc --data-dir data",
  ],
  async run({ config, signal }) {
    const entries = chainEntries(config);
    const { follow } = await import("./follow-chains.ts");
    await follow(config, entries, signal, (text) => console.log(text));
  },
};
