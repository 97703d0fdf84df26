import { openChains } from "../ingest/chains.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import { openStore } from "../store/open.ts";
import type { CommandDefinition } from "./command.ts";
import { heightsText } from "./progress.ts";

export const statusCommand: CommandDefinition = {
  usage: "status",
  summary: "tell which network a store holds and up to which heights",
  keys: ["dataDir"],
  examples: ["status --data-dir data"],
  async run({ config: { dataDir } }) {
    const store = await openStore({ directory: dataDir, mode: "read" });
    try {
      await store.snapshot(async (reader) => {
        const { network } = await storeNetwork(reader, dataDir);
        const chains = await openChains(reader, { network, level: "replay" });
        console.log(`network ${network.networkId} (${network.name}): ${heightsText(chains)}`);
      });
    } finally {
      await store.close();
    }
  },
};
