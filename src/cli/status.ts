import type { CommandDefinition } from "./command.ts";

export const statusCommand: CommandDefinition = {
  usage: "status",
  summary: "tell which network and EVM chains a store holds, and up to which heights",
  keys: ["dataDir"],
  examples: ["status --data-dir data"],
  async run({ config: { dataDir } }) {
    // Loaded here, since serving needs none of it
    const { openStore } = await import("../store/open.ts");
    const { statusLines } = await import("./store-status.ts");
    const store = await openStore({ directory: dataDir, mode: "read" });
    try {
      for (const line of await store.snapshot((reader) => statusLines(reader, dataDir))) console.log(line);
    } finally {
      await store.close();
    }
  },
};
