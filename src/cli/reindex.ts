import type { CommandDefinition } from "./command.ts";

export const reindexCommand: CommandDefinition = {
  usage: "reindex",
  summary: "rebuild all tables from the blocks in the store; needs as much free disk space as the store takes",
  keys: ["dataDir", "level", "batchBlocks", "logLevel"],
  examples: ["reindex --data-dir data", "reindex --data-dir data --level replay"],
  async run({ config, signal }) {
    const { reindex } = await import("./reindex-store.ts");
    console.log(await reindex(config, signal));
  },
};
