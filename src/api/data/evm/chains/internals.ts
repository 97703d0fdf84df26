/** Whether a chain's internal transactions are known: for all blocks, for none, or for all except some marked transactions. */
import { evmChainStates, evmUntraced } from "../../../../evm/index/tables.ts";
import type { EvmReading } from "../present-token.ts";

/** False: the chain's nodes have no call traces at all. */
export async function hasInternals({ reader, evmChain: { chain, settings } }: Pick<EvmReading, "reader" | "evmChain">): Promise<boolean> {
  const state = await reader.get(evmChainStates, { chain });
  return state?.hasTraces ?? settings.traces;
}

/** Whether some transactions have no call trace because no node returned it. Costs one row. */
export async function lacksInternals({ reader, evmChain: { chain } }: Pick<EvmReading, "reader" | "evmChain">): Promise<boolean> {
  return (await reader.scan(evmUntraced, { prefix: { chain }, limit: 1 })).length > 0;
}
