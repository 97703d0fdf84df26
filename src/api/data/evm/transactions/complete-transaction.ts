import { formatId } from "../../../../base/bytes/cb58.ts";
import type { TableValue } from "../../../../base/table/table.ts";
import { evmIcmTransactions } from "../../../../evm/index/icm-tables.ts";
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
  const key = { chain: reading.evmChain.chain, ...place };
  const [parts, untraced, message] = await Promise.all([
    readAllParts(transaction!, reading),
    reading.reader.get(evmUntraced, key),
    reading.reader.get(evmIcmTransactions, key),
  ]);
  const { addresses, nfts } = mentionedInParts([parts]);
  const tokens = await Tokens.read({ addresses: [...partiesOf([transaction!]), ...addresses], nfts }, reading);
  return {
    nativeTransaction: await presentFullTransaction(transaction!, tokens, reading),
    ...presentParts(parts, tokens),
    ...(untraced !== undefined && { internalTransactionsUnavailable: true as const }),
    networkTokenDetails: networkTokenDetails(reading.evmChain, currency),
    ...(message && { teleporterMessageInfo: messageInfo(message) }),
  };
}

function messageInfo({
  messageId,
  isSent,
  peer,
}: TableValue<typeof evmIcmTransactions>): NonNullable<CompleteTransaction["teleporterMessageInfo"]> {
  const chainId = formatId(peer);
  return isSent
    ? { teleporterMessageId: messageId, direction: "SOURCE_TRANSACTION", destinationChainId: chainId }
    : { teleporterMessageId: messageId, direction: "DESTINATION_TRANSACTION", sourceChainId: chainId };
}
