import { formatId } from "../../../../base/bytes/cb58.ts";
import { ZERO_ADDRESS } from "../../../../evm/decode/token-logs.ts";
import { OUTCOME_EXECUTED } from "../../../../evm/index/icm-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import type { EvmChain } from "../evm-chain.ts";
import { formatAddress, Tokens } from "../present-token.ts";
import type { IcmChains } from "./icm-chains.ts";
import type { IcmMessageShown } from "./icm-schemas.ts";
import type { LoadedMessage } from "./read-messages.ts";

/** Bytes of a message that a list shows. */
const MOST_LISTED_DATA = 4096;

/** Costs one row for each token of a fee. @param isList long messages are left out */
export async function presentMessages(
  messages: readonly LoadedMessage[],
  { chains, reader, isList }: { readonly chains: IcmChains; readonly reader: StoreReader; readonly isList: boolean },
): Promise<IcmMessageShown[]> {
  const tokens = new Map<EvmChain, Tokens>();
  for (const evmChain of new Set(messages.flatMap(({ sent }) => (sent === undefined ? [] : [sent.evmChain])))) {
    const addresses = messages.flatMap(({ sent }) => (sent?.evmChain === evmChain ? [sent.row.feeToken] : []));
    tokens.set(evmChain, await Tokens.read({ addresses }, { reader, evmChain }));
  }
  return messages.map((message) => present(message, chains, tokens, isList));
}

const NO_REWARD = { address: formatAddress(ZERO_ADDRESS), name: "", symbol: "", decimals: 0, ercType: "ERC-20" as const, value: "0" };

function present(message: LoadedMessage, chains: IcmChains, tokens: ReadonlyMap<EvmChain, Tokens>, isList: boolean): IcmMessageShown {
  const { messageId, content, sent, received, source, destination } = message;
  const { nonce, from, to, receipts, data } = content;
  const messenger = formatAddress((sent ?? received)!.row.messenger);
  const [sourceChain, destinationChain] = [chains.of(source), chains.of(destination)];
  const notIndexed = sourceChain === undefined ? "source" : destinationChain === undefined ? "destination" : undefined;
  return {
    messageId,
    icmContractAddress: messenger,
    teleporterContractAddress: messenger,
    sourceBlockchainId: formatId(source),
    destinationBlockchainId: formatId(destination),
    sourceEvmChainId: `${sourceChain?.evmChainId ?? ""}`,
    destinationEvmChainId: `${destinationChain?.evmChainId ?? ""}`,
    messageNonce: `${nonce}`,
    from: formatAddress(from),
    to: formatAddress(to),
    ...((!isList || data.length <= MOST_LISTED_DATA) && { data: `0x${Buffer.from(data).toString("hex")}` }),
    messageExecuted: received?.row.outcome === OUTCOME_EXECUTED,
    receipts: receipts.map((receipt) => ({
      receivedMessageNonce: `${receipt.nonce}`,
      relayerRewardAddress: formatAddress(receipt.relayer),
    })),
    receiptDelivered: sent?.row.hasReceipt ?? false,
    rewardDetails: sent === undefined ? NO_REWARD : rewardOf(sent.row, tokens.get(sent.evmChain)!),
    ...(sent && { sourceTransaction: transactionOf(sent) }),
    ...(received && {
      destinationTransaction: {
        ...transactionOf(received),
        rewardRedeemer: formatAddress(received.row.rewardRedeemer),
        delivererAddress: formatAddress(received.row.deliverer),
      },
    }),
    status: received === undefined ? "pending" : sent === undefined ? "delivered_source_not_indexed" : "delivered",
    ...(notIndexed && { notIndexed }),
  };
}

function rewardOf({ feeToken, fee }: NonNullable<LoadedMessage["sent"]>["row"], tokens: Tokens): IcmMessageShown["rewardDetails"] {
  if (fee === 0n) return NO_REWARD;
  const { tokenReputation: _, ...token } = tokens.erc20(feeToken);
  return { ...token, value: `${fee}` };
}

function transactionOf({ row, transaction }: NonNullable<LoadedMessage["sent"] | LoadedMessage["received"]>) {
  return { txHash: `0x${transaction.hash}`, timestamp: Number(row.timestamp), gasSpent: `${transaction.gasUsed}` };
}
