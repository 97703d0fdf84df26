/** Adds the call traces that a chain lacks, while nothing else writes to the store. */
import type { Logger } from "pino";
import { View } from "../../base/table/view.ts";
import { openUpstreamRpc, type UpstreamLimits } from "../../sources/upstream/open-upstream-rpc.ts";
import type { Store } from "../../store/store.ts";
import type { EvmChainEntry } from "../chain-entry.ts";
import { evmChainIdentity } from "../chain-identity.ts";
import { EvmIndex } from "../index/evm-index.ts";
import { fillTraces } from "./fill-traces.ts";
import { type OpenChain, openEvmChain } from "./open-chain.ts";
import { type Pass, TraceFiller } from "./trace-filler.ts";

interface RetraceOptions {
  readonly store: Store;
  readonly entry: EvmChainEntry;
  readonly limits: UpstreamLimits;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export async function retraceChain({ store, entry, limits, log, signal }: RetraceOptions): Promise<Pass & Pick<OpenChain, "evmChainId">> {
  const rpc = openUpstreamRpc({ urls: entry.rpc, identity: evmChainIdentity, limits, log });
  try {
    const chain = await openEvmChain({ store, entry, rpc, signal });
    const view = new View();
    const index = new EvmIndex(view, chain);
    const filler = new TraceFiller({
      reader: store,
      chain,
      rpc,
      log,
      async fill(block, indexes) {
        const isFilled = await fillTraces({ store, view, index, chain: chain.chain }, block, indexes);
        view.evict();
        return isFilled;
      },
    });
    return { evmChainId: chain.evmChainId, ...(await filler.pass(signal)) };
  } finally {
    await rpc.close();
  }
}
