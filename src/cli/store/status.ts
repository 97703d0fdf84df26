import type { CommandDefinition } from "../command.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const statusCommand: CommandDefinition = {
  usage: "status",
  summary: "show the network and the EVM chains of a store: heights, how far behind their nodes they are, each node, and the store's size",
  keys: [...STORE_KEYS, "storeReplica", "json"],
  examples: ["status --data-dir data", "status --data-dir data --json"],
  async run({ config }) {
    const { dataDir, json } = config;
    // Loaded here, because serving does not need it
    const { openReplicatedStore, openStore } = await import("../../store/open.ts");
    const { storePlace, storeReplicas } = await import("./store-place.ts");
    const { statusLines, storeStatus } = await import("./store-status.ts");
    const [place, replicas] = [storePlace(config), storeReplicas(config)];
    const store =
      place.postgres === undefined || replicas.length === 0
        ? await openStore({ ...place, mode: "read" })
        : await openReplicatedStore({ primary: place.postgres.address, replicas, tables: place.postgres.tables });
    try {
      const status = await storeStatus(store, dataDir);
      print(json ? JSON.stringify(status) : statusLines(status));
    } finally {
      await store.close();
    }
  },
};
