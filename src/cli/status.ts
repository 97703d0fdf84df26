import type { CommandDefinition } from "./command.ts";

export const statusCommand: CommandDefinition = {
  usage: "status",
  summary: "tell which network a store holds and up to which heights",
  keys: ["dataDir"],
  examples: ["status --data-dir data"],
  async run({ config: { dataDir } }) {
    // Loaded here, since serving needs none of it
    const { openChains } = await import("../ingest/chains.ts");
    const { storeNetwork } = await import("../ingest/store-network.ts");
    const { openStore } = await import("../store/open.ts");
    const { heightsText } = await import("./progress.ts");
    const store = await openStore({ directory: dataDir, mode: "read" });
    try {
      await store.snapshot(async (reader) => {
        const { network } = await storeNetwork(reader, dataDir);
        const chains = await openChains(reader, { network, level: "replay", projections: [] });
        console.log(`network ${network.networkId} (${network.name}): ${heightsText(chains)}`);
      });
    } finally {
      await store.close();
    }
  },
};
