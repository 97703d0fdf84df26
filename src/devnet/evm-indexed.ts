/** Which of the store's EVM chains is the devnet's C-chain, and how far it is indexed. */
import { evmChainStates, evmChains } from "../index/evm/tables.ts";
import { type StoreReader, scanAll } from "../store/store.ts";

/** Its number in tables; before anything is indexed, the one that it will get. */
export async function evmChainNumber(reader: StoreReader, evmChainId: bigint): Promise<number> {
  let next = 0;
  for await (const { key, value } of scanAll(reader, evmChains)) {
    if (value.evmChainId === evmChainId) return key.chain;
    next = key.chain + 1;
  }
  return next;
}

/** -1: not even genesis is indexed */
export async function indexedHeight(reader: StoreReader, chain: number): Promise<bigint> {
  return (await reader.get(evmChainStates, { chain }))?.height ?? -1n;
}
