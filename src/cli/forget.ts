import type { CommandDefinition } from "./command.ts";
import { ConfigError } from "./config.ts";

export const forgetCommand: CommandDefinition = {
  usage: "forget <chain>",
  summary: "remove an EVM chain and all its rows from a store, by its EVM chain ID",
  keys: ["dataDir"],
  examples: ["forget 43112 --data-dir data"],
  async run({ config: { dataDir }, args: [chain = ""] }) {
    if (!/^[1-9]\d{0,19}$/.test(chain))
      throw new ConfigError("config", `${chain} is not an EVM chain ID, e.g. 43112; run firn status to list those of a store`);
    const { openStore } = await import("../store/open.ts");
    const { forgetChain } = await import("../evm/ingest/forget-chain.ts");
    // opening for writing would create a store where there is none
    await (await openStore({ directory: dataDir, mode: "read" })).close();
    const store = await openStore({ directory: dataDir, mode: "write" });
    try {
      const wasThere = await forgetChain(store, BigInt(chain));
      console.log(wasThere ? `chain ${chain} is removed` : `${dataDir} has no chain ${chain}; nothing was changed`);
    } finally {
      await store.close();
    }
  },
};
