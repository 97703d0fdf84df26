/** How far the index of a devnet's C-chain is, as the store has it. */
import { evmChainStates } from "../index/evm/tables.ts";
import { findChain } from "../ingest/evm/open-chain.ts";
import type { StoreReader } from "../store/store.ts";

export interface Indexed {
  /** number of the chain in tables; before anything is indexed, the one that it will get */
  readonly chain: number;
  /** -1: not even genesis is indexed */
  readonly height: bigint;
}

export async function indexedChain(reader: StoreReader, evmChainId: bigint): Promise<Indexed> {
  const { chain } = await findChain(reader, evmChainId);
  return { chain, height: (await reader.get(evmChainStates, { chain }))?.height ?? -1n };
}
