import type { CommandDefinition } from "../command.ts";
import { ConfigError, chainEntries } from "../config.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const retraceCommand: CommandDefinition = {
  usage: "retrace",
  summary: "ask again for call traces that no node returned when their block was indexed, and add what they contain to the index",
  keys: [...STORE_KEYS, "chains", "rpc", "limits"],
  examples: ["retrace --rpc http://127.0.0.1:9650/ext/bc/C/rpc --data-dir data", "retrace --config firn.json"],
  async run({ config, signal }) {
    const entries = chainEntries(config);
    if (entries.length === 0)
      throw new ConfigError("config", "no nodes to ask; name one chain with --rpc <url>, or several with chains in a --config file");
    const { openStore } = await import("../../store/open.ts");
    const { storePlace } = await import("./store-place.ts");
    const { openLog } = await import("../log.ts");
    const { retraceChain } = await import("../../evm/ingest/retrace-chain.ts");
    // opening for writing would create a store where there is none
    await (await openStore({ ...storePlace(config), mode: "read" })).close();
    const store = await openStore({ ...storePlace(config), mode: "write" });
    const log = openLog(config);
    try {
      for (const entry of entries) {
        const { evmChainId, filled, left } = await retraceChain({ store, entry, limits: config.limits, log, signal });
        print(`chain ${evmChainId}: added the call traces of ${filled} transactions; ${left} are still missing`);
      }
    } finally {
      await store.close();
    }
  },
};
