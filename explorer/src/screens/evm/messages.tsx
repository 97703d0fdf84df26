/** Interchain messages from and to an EVM chain, newest first, and one of them with both of its sides. One request each. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { Amount, count } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { AddressId, Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";

type Message = components["schemas"]["IcmMessage"];

const PAGE_SIZE = 25;

export function MessagesScreen({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <Messages chain={chain} />}</OfChain>;
}

function Messages({ chain }: { readonly chain: EvmChain }) {
  const { chainId } = chain;
  const messages = usePages(
    ["messages", chainId],
    (pageToken) =>
      answerOf(
        data.GET("/v1/icm/messages", {
          params: { query: { blockchainId: chainId, pageSize: PAGE_SIZE, ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.messages,
    { follows: chainId },
  );
  return (
    <>
      <Title text={`Messages of ${chain.name}`}>
        Messages of <ChainLink chain={chain} />
      </Title>
      <List
        of={messages}
        label="Messages"
        columns={columnsOf(chainId)}
        keyOf={({ messageId }) => messageId}
        empty="No message between this chain and another one is in the index."
      />
    </>
  );
}

function columnsOf(chainId: string): readonly Column<Message>[] {
  return [
    { name: "Message", cell: ({ messageId }) => <Id value={messageId} href={to.message(chainId, messageId)} /> },
    { name: "Status", cell: statusOf },
    { name: "From", cell: (message) => <Side {...sourceOf(message)} /> },
    { name: "To", cell: (message) => <Side {...destinationOf(message)} /> },
    { name: "Sender", cell: ({ sourceEvmChainId: chain, from }) => <Party chainId={chain} address={from} /> },
    { name: "For", cell: ({ destinationEvmChainId: chain, to: address }) => <Party chainId={chain} address={address} /> },
    {
      name: "Time",
      cell: ({ sourceTransaction, destinationTransaction }) => <Time seconds={(sourceTransaction ?? destinationTransaction)!.timestamp} />,
    },
  ];
}

function statusOf({ status, messageExecuted, notIndexed, receiptDelivered }: Message): string {
  if (status !== "pending") return messageExecuted ? "executed" : "delivered, not executed";
  if (receiptDelivered) return "delivered, as a receipt says";
  return notIndexed === "destination" ? "sent to a chain that is not indexed here" : "waits";
}

const sourceOf = ({ sourceBlockchainId, sourceEvmChainId }: Message) => ({ blockchainId: sourceBlockchainId, chainId: sourceEvmChainId });
const destinationOf = ({ destinationBlockchainId, destinationEvmChainId }: Message) => ({
  blockchainId: destinationBlockchainId,
  chainId: destinationEvmChainId,
});

/** @param chainId empty: the chain is not indexed here */
function Side({ blockchainId, chainId }: { readonly blockchainId: string; readonly chainId: string }) {
  const { data: overview } = useOverview();
  const known = overview?.evmChains.find(({ evmChainId }) => evmChainId === chainId);
  const hasP = overview?.chains.some(({ alias }) => alias === "P") ?? false;
  if (chainId === "") return <Id value={blockchainId} href={hasP ? to.blockchain(blockchainId) : undefined} />;
  return (
    <a href={to.evm(chainId)}>
      <ChainName alias={chainId} name={known?.name ?? chainId} />
    </a>
  );
}

function Party({ chainId, address }: { readonly chainId: string; readonly address: string }) {
  return <AddressId value={address} href={chainId === "" ? undefined : to.evmAddress(chainId, address)} />;
}

export function MessageScreen({ params }: { readonly params: Params }) {
  const messageId = params.id!;
  const message = useAnswer(["message", messageId], () =>
    answerOf(data.GET("/v1/icm/messages/{messageId}", { params: { path: { messageId } } })),
  );
  return <Answer of={message}>{(answer) => <WholeMessage message={answer} />}</Answer>;
}

function WholeMessage({ message }: { readonly message: Message }) {
  const { messageId, messageNonce, icmContractAddress, from, to: recipient, data: content, receipts, receiptDelivered } = message;
  const { sourceEvmChainId: source, destinationEvmChainId: destination, sourceTransaction, destinationTransaction } = message;
  const { rewardDetails: reward } = message;
  return (
    <>
      <Title text={`Message ${messageId}`}>Message</Title>
      <section class="card">
        <Facts>
          <Fact name="Message ID">
            <Id value={messageId} isWhole />
          </Fact>
          <Fact name="Status">{statusOf(message)}</Fact>
          <Fact name="Number">{messageNonce}</Fact>
          <Fact name="Messenger">
            <Id value={icmContractAddress} isWhole />
          </Fact>
          <Fact name="Relayer's fee">
            {reward.value !== "0" && (
              <>
                <Amount value={reward.value} decimals={reward.decimals} /> <ChainText text={reward.symbol} longest={24} />
              </>
            )}
          </Fact>
          <Fact name="Receipt">{sourceTransaction && (receiptDelivered ? "came back to the source" : "has not come back yet")}</Fact>
          <Fact name="Receipts in it">{receipts.length > 0 && count(receipts.length)}</Fact>
          <Fact name="Content">{content !== undefined && <code>{content}</code>}</Fact>
        </Facts>
      </section>
      <section class="card">
        <h2>
          Sent by <Side {...sourceOf(message)} />
        </h2>
        <Facts>
          <Fact name="Sender">
            <Party chainId={source} address={from} />
          </Fact>
          <Transaction chainId={source} transaction={sourceTransaction} />
        </Facts>
        {sourceTransaction === undefined && <p>This server does not know the transaction that sent it.</p>}
      </section>
      <section class="card">
        <h2>
          For <Side {...destinationOf(message)} />
        </h2>
        <Facts>
          <Fact name="Contract">
            <Party chainId={destination} address={recipient} />
          </Fact>
          <Transaction chainId={destination} transaction={destinationTransaction} />
          <Fact name="Delivered by">
            {destinationTransaction && <Party chainId={destination} address={destinationTransaction.delivererAddress} />}
          </Fact>
          <Fact name="Fee goes to">
            {destinationTransaction && <Party chainId={source} address={destinationTransaction.rewardRedeemer} />}
          </Fact>
        </Facts>
        {destinationTransaction === undefined && (
          <p>{destination === "" ? "The chain is not indexed here." : "The chain has not received it yet."}</p>
        )}
      </section>
    </>
  );
}

interface TransactionProps {
  readonly chainId: string;
  readonly transaction: Message["sourceTransaction"];
}

function Transaction({ chainId, transaction }: TransactionProps) {
  if (transaction === undefined) return null;
  const { txHash, timestamp, gasSpent } = transaction;
  return (
    <>
      <Fact name="Transaction">
        <Id value={txHash} href={to.evmTransaction(chainId, txHash)} hasCopy />
      </Fact>
      <Fact name="Time">
        <Time seconds={timestamp} />
      </Fact>
      <Fact name="Gas used">{count(gasSpent)}</Fact>
    </>
  );
}
