import { evmUntraced } from "../../../../evm/index/tables.ts";
import type { CurrencyCode } from "../../../../evm/labels/currencies.ts";
import { type EvmReading, networkTokenDetails, Tokens } from "../present-token.ts";
import { partiesOf, presentFullTransaction, readTransactions, type TransactionPlace } from "../present-transaction.ts";
import type { CompleteTransaction } from "../transaction-schemas.ts";
import { mentionedInParts, presentParts, readAllParts } from "./transaction-parts.ts";

/** @param currency of the native token's price */
export async function completeTransaction(
  place: TransactionPlace,
  currency: CurrencyCode,
  reading: EvmReading,
): Promise<CompleteTransaction> {
  const [transaction] = await readTransactions([place], reading);
  const [parts, untraced] = await Promise.all([
    readAllParts(transaction!, reading),
    reading.reader.get(evmUntraced, { chain: reading.evmChain.chain, ...place }),
  ]);
  const { addresses, nfts } = mentionedInParts([parts]);
  const tokens = await Tokens.read({ addresses: [...partiesOf([transaction!]), ...addresses], nfts }, reading);
  return {
    nativeTransaction: await presentFullTransaction(transaction!, tokens, reading),
    ...presentParts(parts, tokens),
    ...(untraced !== undefined && { internalTransactionsUnavailable: true as const }),
    networkTokenDetails: networkTokenDetails(reading.evmChain, currency),
  };
}
