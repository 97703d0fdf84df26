/** Finds blocks by height, and EVM chains by their IDs. Costs a row for each chain, and some for vertices of that height. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { evmBlocks } from "../../../evm/index/tables.ts";
import { primaryChains } from "../../../index/primary/primary-chain.ts";
import { primaryBlocks, primaryVertices } from "../../../index/primary/transactions/transaction-tables.ts";
import { blockHash } from "../blocks/present.ts";
import type { EvmChainsContext } from "../context.ts";
import { ALIASES, presentEvmChain } from "./by-id.ts";
import type { SearchResult } from "./schemas.ts";

/** Any number of vertices may have the same height. */
const MAX_VERTICES = 5;

export async function findByNumber(number: bigint, { reader, evmChains }: EvmChainsContext): Promise<SearchResult[]> {
  const [primary, evm, vertices] = await Promise.all([
    reader.getMany(
      primaryBlocks,
      primaryChains.map((chain) => ({ chain, height: number })),
    ),
    reader.getMany(
      evmBlocks,
      evmChains.map(({ chain }) => ({ chain, height: number })),
    ),
    reader.scan(primaryVertices, { prefix: { height: number }, limit: MAX_VERTICES }),
  ]);
  const blockNumber = `${number}`;
  return [
    ...evmChains.filter(({ evmChainId }) => evmChainId === number).map(presentEvmChain),
    ...primaryChains.flatMap((chain): SearchResult[] => {
      const row = primary[chain];
      return row === undefined ? [] : [{ kind: "block", chain: ALIASES[chain], id: blockHash(chain, row.blockId), blockNumber }];
    }),
    ...evmChains.flatMap(({ evmChainId, settings }, i): SearchResult[] => {
      const row = evm[i];
      return row === undefined
        ? []
        : [{ kind: "block", evmChainId: `${evmChainId}`, id: `0x${row.hash}`, hint: settings.name, blockNumber }];
    }),
    ...vertices.map(({ key }): SearchResult => ({ kind: "vertex", chain: "X", id: formatId(key.vertexId), hint: `at height ${number}` })),
  ];
}
