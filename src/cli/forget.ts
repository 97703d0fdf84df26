import type { CommandDefinition } from "./command.ts";
import { ConfigError } from "./config.ts";

export const forgetCommand: CommandDefinition = {
  usage: "forget <chain>",
  summary: "remove an EVM chain, by its EVM chain ID, and everything that is indexed of it from a store",
  keys: ["dataDir"],
  examples: ["forget 43112 --data-dir data"],
  async run({ config: { dataDir }, args: [chain = ""] }) {
    if (!/^[1-9]\d{0,19}$/.test(chain))
      throw new ConfigError("config", `${chain} is no EVM chain ID; firn status tells those of a store, e.g. 43112`);
    const { openStore } = await import("../store/open.ts");
    const { forgetChain } = await import("../ingest/evm/forget-chain.ts");
    // to be written to, a store would be made where there is none
    await (await openStore({ directory: dataDir, mode: "read" })).close();
    const store = await openStore({ directory: dataDir, mode: "write" });
    try {
      const wasThere = await forgetChain(store, BigInt(chain));
      console.log(wasThere ? `chain ${chain} is removed` : `${dataDir} holds no chain ${chain}; nothing is changed`);
    } finally {
      await store.close();
    }
  },
};
