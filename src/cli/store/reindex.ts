import type { CommandDefinition } from "../command.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const reindexCommand: CommandDefinition = {
  usage: "reindex",
  summary: "rebuild all tables from the blocks in the store; needs as much free disk space as the store takes",
  keys: [...STORE_KEYS, "level", "batchBlocks", "readThreads", "logLevel"],
  examples: ["reindex --data-dir data", "reindex --data-dir data --level replay"],
  async run({ config, signal }) {
    const { reindex } = await import("./reindex-store.ts");
    print(await reindex(config, signal));
  },
};
