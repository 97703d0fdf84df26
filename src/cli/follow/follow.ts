import type { CommandDefinition } from "../command.ts";
import { chainEntries } from "../config.ts";
import { print } from "../print.ts";
import { HTTP_KEYS } from "../serve.ts";
import { INGEST_KEYS } from "./ingest.ts";

export const followCommand: CommandDefinition = {
  usage: "follow",
  summary: "follow a primary network, EVM chains or both from their nodes, and serve them until stopped; continues where the store ends",
  keys: [...INGEST_KEYS, "workers", ...HTTP_KEYS.filter((name) => name !== "limits")],
  defaults: {
    httpPort: { value: 9660, help: "port to listen on (9650 is a node's port); 0: any free port" },
    workers: { value: 1, help: "processes that answer requests; with 1, the indexing process answers them" },
  },
  examples: [
    "follow --network mainnet --upstream http://127.0.0.1:9650 --data-dir data",
    "follow --network local --upstream http://127.0.0.1:9650",
    "follow --rpc http://127.0.0.1:9650/ext/bc/C/rpc",
    "follow --config firn.json --data-dir data --workers 4",
    "follow --rpc wss://node-1.example.org/ws,https://node-2.example.org/rpc --data-dir data",
  ],
  async run({ config, signal }) {
    const entries = chainEntries(config);
    const { followAndServe } = await import("./follow-chains.ts");
    await followAndServe(config, entries, signal, (text) => print(text));
  },
};
