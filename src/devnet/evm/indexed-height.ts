/** Reads from the store how far a devnet's C-chain is indexed. */
import { evmChainStates } from "../../evm/index/tables.ts";
import { findChain } from "../../evm/ingest/open-chain.ts";
import type { StoreReader } from "../../store/store.ts";

export interface Indexed {
  /** the chain's number in tables; before anything is indexed, the number that it will get */
  readonly chain: number;
  /** -1 if not even genesis is indexed */
  readonly height: bigint;
}

export async function indexedChain(reader: StoreReader, evmChainId: bigint): Promise<Indexed> {
  const { chain } = await findChain(reader, evmChainId);
  return { chain, height: (await reader.get(evmChainStates, { chain }))?.height ?? -1n };
}
