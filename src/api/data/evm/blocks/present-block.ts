import { formatId } from "../../../../base/bytes/cb58.ts";
import { CodecError } from "../../../../base/codec/error.ts";
import type { TableValue } from "../../../../base/table/table.ts";
import { type AtomicTx, parseExtraData } from "../../../../chains/atomic/tx.ts";
import type { evmBlocks } from "../../../../evm/index/tables.ts";
import { isBaseFeeBound } from "../../../../sources/evm/parser/block.ts";
import type { EvmChain } from "../evm-chain.ts";
import type { EvmBlockAnswer } from "./schemas.ts";

export function presentBlock(height: bigint, row: TableValue<typeof evmBlocks>, { evmChainId }: EvmChain): EvmBlockAnswer {
  const { timestampMilliseconds, minDelayExcess } = row;
  const atomicTransactions = atomicTransactionsOf(row.extraData);
  return {
    chainId: `${evmChainId}`,
    blockNumber: `${height}`,
    blockTimestamp: Number(row.timestamp),
    ...(timestampMilliseconds !== undefined && { blockTimestampMilliseconds: Number(timestampMilliseconds) }),
    ...(minDelayExcess !== undefined && { blockMinDelayExcess: Number(minDelayExcess) }),
    blockHash: `0x${row.hash}`,
    txCount: row.txCount,
    baseFee: `${row.baseFee ?? 0n}`,
    ...(hasBaseFeeBound(row) && { isBaseFeeBound: true as const }),
    gasUsed: `${row.gasUsed}`,
    gasLimit: `${row.gasLimit}`,
    gasCost: `${row.gasCost}`,
    parentHash: `0x${row.parentHash}`,
    feesSpent: `${row.feesSpent}`,
    cumulativeTransactions: `${row.cumulativeTransactions}`,
    ...(atomicTransactions.length > 0 && { atomicTransactions }),
  };
}

/** Whether the base fee of a block is only known not to be above what is shown. */
export function hasBaseFeeBound({ extraFields }: TableValue<typeof evmBlocks>): boolean {
  return isBaseFeeBound(JSON.parse(extraFields));
}

function atomicTransactionsOf(extraData: Uint8Array) {
  if (extraData.length === 0) return [];
  return parsedExtraData(extraData).map(({ id, unsigned }) => ({ txHash: formatId(id), txType: unsigned.kind }));
}

/** Extra data is one transaction before Apricot Phase 5 and a batch since then. The bytes show which. */
function parsedExtraData(extraData: Uint8Array): readonly AtomicTx[] {
  for (const isBatch of [true, false]) {
    try {
      return parseExtraData(extraData, { isBatch });
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
    }
  }
  // Blocks of other EVM chains may have extra data of their own.
  return [];
}
