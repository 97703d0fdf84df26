import type { CommandDefinition } from "./command.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const statusCommand: CommandDefinition = {
  usage: "status",
  summary: "show the network and the EVM chains of a store: heights, how far behind their nodes they are, each node, and the store's size",
  keys: [...STORE_KEYS, "json"],
  examples: ["status --data-dir data", "status --data-dir data --json"],
  async run({ config }) {
    const { dataDir, json } = config;
    // Loaded here, because serving does not need it
    const { openStore } = await import("../store/open.ts");
    const { storePlace } = await import("./store-place.ts");
    const { statusLines, storeStatus } = await import("./store-status.ts");
    const store = await openStore({ ...storePlace(config), mode: "read" });
    try {
      const status = await storeStatus(store, dataDir);
      console.log(json ? JSON.stringify(status) : statusLines(status).join("\n"));
    } finally {
      await store.close();
    }
  },
};
