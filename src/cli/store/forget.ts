import type { CommandDefinition } from "../command.ts";
import { ConfigError } from "../config.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const forgetCommand: CommandDefinition = {
  usage: "forget <chain>",
  summary: "remove an EVM chain and all its rows from a store, by its EVM chain ID",
  keys: [...STORE_KEYS],
  examples: ["forget 43112 --data-dir data"],
  async run({ config, args: [chain = ""] }) {
    if (!/^[1-9]\d{0,19}$/.test(chain))
      throw new ConfigError("config", `${chain} is not an EVM chain ID, e.g. 43112; run firn status to list those of a store`);
    const { openStore } = await import("../../store/open.ts");
    const { storePlace } = await import("./store-place.ts");
    const { forgetChain } = await import("../../evm/ingest/forget-chain.ts");
    // opening for writing would create a store where there is none
    await (await openStore({ ...storePlace(config), mode: "read" })).close();
    const store = await openStore({ ...storePlace(config), mode: "write" });
    try {
      const wasThere = await forgetChain(store, BigInt(chain));
      print(
        wasThere
          ? `chain ${chain} is removed`
          : `${config.store === undefined ? config.dataDir : "the store"} has no chain ${chain}; nothing was changed`,
      );
    } finally {
      await store.close();
    }
  },
};
