import type { CommandDefinition } from "../command.ts";
import { type ConfigName, chainEntries } from "../config.ts";
import { PEER_KEYS } from "../peer-options.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "../store/store-keys.ts";

/** Configuration keys of all commands that follow chains from their nodes. */
export const INGEST_KEYS = [
  ...STORE_KEYS,
  "network",
  "upstream",
  ...PEER_KEYS,
  "withPeers",
  "servePeers",
  "genesis",
  "level",
  "batchBlocks",
  "chains",
  "rpc",
  "maxStoreBytes",
  "readThreads",
  "limits",
] as const satisfies readonly ConfigName[];

export const ingestCommand: CommandDefinition = {
  usage: "ingest",
  summary: "follow as firn follow does, without serving: firn serve beside it answers from the same store",
  keys: [...INGEST_KEYS, "logLevel"],
  examples: ["ingest --network fuji --upstream https://api.avax-test.network --data-dir data", "ingest --config firn.json --data-dir data"],
  async run({ config, signal }) {
    const entries = chainEntries(config);
    const { ingest } = await import("./follow-chains.ts");
    await ingest(config, entries, signal, (text) => print(text));
  },
};
