/** Whether the internal transactions of a chain are known: of all blocks or of none, since a list with gaps would be believed. */
import { evmChainStates } from "../../../index/evm/tables.ts";
import type { EvmReading } from "../present-token.ts";

export async function hasInternals({ reader, evmChain: { chain, settings } }: EvmReading): Promise<boolean> {
  const state = await reader.get(evmChainStates, { chain });
  return state?.hasTraces ?? settings.traces;
}
