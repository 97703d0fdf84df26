import { formatId } from "../../../base/bytes/cb58.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { evmBlocks, evmChainStates } from "../../../evm/index/tables.ts";
import type { EvmChainsContext } from "../context.ts";
import { hasBaseFeeBound } from "../evm/blocks/present-block.ts";
import type { EvmChain } from "../evm/evm-chain.ts";
import { type EvmReading, formatAddress } from "../evm/present-token.ts";
import { methodOf } from "../evm/present-transaction.ts";
import { readLatestTransactions } from "../evm/transactions/latest-transactions.ts";
import { KeptParts } from "../kept-parts.ts";
import { NEWEST } from "./newest.ts";
import type { EvmChainOverview } from "./schemas.ts";

/** Costs a row for each chain, and some 17 more for each that has changed. */
export async function evmOverviews(
  chains: readonly EvmChain[],
  { reader, generation, kept }: EvmChainsContext,
): Promise<EvmChainOverview[]> {
  const states = await reader.getMany(
    evmChainStates,
    chains.map(({ chain }) => ({ chain })),
  );
  return Promise.all(
    chains.map((evmChain, i) => {
      const state = states[i];
      // a chain that was forgotten and is followed anew counts from zero again
      const version = generation === undefined ? undefined : `${generation}/${state?.commits}/${state?.hash}`;
      return kept.of(KeptParts).get(evmChain, version, () => overviewOf(state?.height, { reader, evmChain }));
    }),
  );
}

async function overviewOf(height: bigint | undefined, reading: EvmReading): Promise<EvmChainOverview> {
  const { evmChain, reader } = reading;
  const { chain, evmChainId, settings } = evmChain;
  const [blocks, transactions] = await Promise.all([
    reader.scan(evmBlocks, { prefix: { chain }, reverse: true, limit: NEWEST }),
    readLatestTransactions(undefined, reading, {}, NEWEST),
  ]);
  return {
    evmChainId: `${evmChainId}`,
    ...(settings.blockchainId !== undefined && { blockchainId: formatId(settings.blockchainId) }),
    name: settings.name,
    symbol: settings.nativeToken.symbol,
    decimals: settings.nativeToken.decimals,
    nftPictures: settings.nfts.fetches,
    ...(height !== undefined && { height: `${height}` }),
    ...(blocks[0] !== undefined && { timestamp: Number(blocks[0].value.timestamp), ...baseFeeOf(blocks[0].value) }),
    blocks: blocks.map(({ key, value: { hash, timestamp, txCount, gasUsed } }) => ({
      blockNumber: `${key.height}`,
      blockHash: `0x${hash}`,
      blockTimestamp: Number(timestamp),
      txCount,
      gasUsed: `${gasUsed}`,
    })),
    transactions: transactions.map(({ place, row, block }) => ({
      txHash: `0x${row.hash}`,
      txStatus: row.isSuccess ? "1" : "0",
      blockNumber: `${place.height}`,
      blockTimestamp: Number(block.timestamp),
      from: formatAddress(row.from),
      to: formatAddress(row.to),
      value: `${row.value}`,
      method: methodOf(row, evmChain),
    })),
  };
}

function baseFeeOf(block: TableValue<typeof evmBlocks>): { baseFee?: string } {
  return block.baseFee === undefined || hasBaseFeeBound(block) ? {} : { baseFee: `${block.baseFee}` };
}
