/**
 * A transaction of an EVM chain. Two requests: the chain and the transaction; of a call a third for the contract's source, and of one that failed
 * one for its calls.
 */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { queries, useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id, shortened } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import type { Column } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { CallInput } from "./call-input.tsx";
import { RawBytes } from "./decoded.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";
import { FailureReason } from "./failure-reason.tsx";
import { FirstOf } from "./first-of.tsx";
import { BaseFee, Coins, GasPrice, Method, Milliseconds, Outcome, Party } from "./parts.tsx";
import { EvmSentence } from "./sentence.tsx";
import { shareOf } from "./share-of.ts";
import { useSource } from "./source.ts";
import { TransactionCalls } from "./transaction-calls.tsx";
import { TransactionLogs } from "./transaction-logs.tsx";
import { transferInTransactionColumns, transfersOf } from "./transfers.tsx";

type Transaction = components["schemas"]["GetTransactionResponse"];
type Native = Transaction["nativeTransaction"];

const TABS = [
  { path: "", name: "Transaction" },
  { path: "logs", name: "Logs" },
  { path: "calls", name: "Calls" },
];

export function EvmTransactionScreen({ params }: { readonly params: Params }) {
  return (
    <OfChain chainId={params.chainId!}>
      {(chain) => <TransactionOfChain chain={chain} txHash={params.id!} tab={params.tab ?? ""} />}
    </OfChain>
  );
}

interface TransactionProps {
  readonly chain: EvmChain;
  readonly txHash: string;
  readonly tab: string;
}

function TransactionOfChain({ chain, txHash, tab }: TransactionProps) {
  const { chainId } = chain;
  const key = ["evmTransaction", chainId, txHash];
  const transaction = useAnswer(
    key,
    () => answerOf(data.GET("/v1/chains/{chainId}/transactions/{txHash}", { params: { path: { chainId, txHash } } })),
    // one that was just sent will be in a block
    { follows: queries.getQueryData(key) === undefined ? chainId : undefined },
  );
  return (
    <>
      <Title text={`${shortened(txHash, 6, 4)} · ${chain.name}`}>
        Transaction <Id value={txHash} hasCopy /> of <ChainLink chain={chain} />
      </Title>
      <Tabs label="Parts of the transaction" base={to.evmTransaction(chainId, txHash)} tabs={TABS} current={tab} />
      {tab === "logs" ? (
        <TransactionLogs chainId={chainId} txHash={txHash} />
      ) : tab === "calls" ? (
        <TransactionCalls chain={chain} txHash={txHash} />
      ) : (
        <Answer of={transaction}>{(answer) => <Overview chain={chain} of={answer} />}</Answer>
      )}
    </>
  );
}

function Overview({ chain, of }: { readonly chain: EvmChain; readonly of: Transaction }) {
  const { to: receiver, input, method } = of.nativeTransaction;
  useSource(chain.chainId, receiver.address, input !== "0x" && method?.callType !== "CONTRACT_CREATION");
  return (
    <>
      <Lead chain={chain} of={of} />
      <TokenTransfers chain={chain} of={of} />
      <section class="card">
        <TransactionFacts chain={chain} of={of.nativeTransaction} />
      </section>
      <Input chain={chain} of={of.nativeTransaction} />
      <Internals chain={chain} of={of} />
    </>
  );
}

/** What happened, when, and why it failed if it did. */
function Lead({ chain, of }: { readonly chain: EvmChain; readonly of: Transaction }) {
  const { txHash, txStatus, blockTimestamp } = of.nativeTransaction;
  const { teleporterMessageInfo: message } = of;
  return (
    <section class="lead">
      <p class="sentence">
        <EvmSentence chain={chain} of={of.nativeTransaction} transfers={transfersOf(of)} />.
      </p>
      {txStatus === "0" && (
        <div class="bad">
          <FailureReason chainId={chain.chainId} txHash={txHash} />
        </div>
      )}
      <p class="quiet">
        <Outcome status={txStatus} /> <Time seconds={blockTimestamp} />
      </p>
      {message !== undefined && (
        <p>
          It {message.direction === "SOURCE_TRANSACTION" ? "sent" : "delivered"} a{" "}
          <a href={to.message(chain.chainId, message.teleporterMessageId)}>message between chains</a>.
        </p>
      )}
    </section>
  );
}

const TYPES = [
  "legacy",
  "with an access list (EIP-2930)",
  "with a dynamic fee (EIP-1559)",
  "with blobs (EIP-4844)",
  "that sets code of accounts (EIP-7702)",
];

function TransactionFacts({ chain, of }: { readonly chain: EvmChain; readonly of: Native }) {
  const { chainId } = chain;
  const { callType } = of.method ?? {};
  return (
    <Facts>
      <Fact name="Hash">
        <Id value={of.txHash} isWhole />
      </Fact>
      <Fact name="Status">
        <Outcome status={of.txStatus} />
      </Fact>
      <Fact name="Block">
        <a href={to.evmBlock(chainId, of.blockNumber)}>{count(of.blockNumber)}</a> <span class="quiet">at index {of.blockIndex}</span>
      </Fact>
      <Fact name="Time">
        <Time seconds={of.blockTimestamp} />
        <Milliseconds of={of.blockTimestampMilliseconds} />
      </Fact>
      <Fact name="From">
        <Party chainId={chainId} of={of.from} isWhole />
      </Fact>
      {callType === "CONTRACT_CREATION" ? (
        <Fact name={of.txStatus === "1" ? "Created contract" : "Contract that it did not create"}>
          <Id value={of.to.address} href={to.contract(chainId, of.to.address)} isWhole />
        </Fact>
      ) : (
        <Fact name="To">
          <Party chainId={chainId} of={of.to} isWhole />
        </Fact>
      )}
      <Fact name="Method">
        <Method of={of.method} chainId={chainId} contract={of.to.address} isWhole />
      </Fact>
      <Fact name="Value">
        <Coins value={of.value} chain={chain} />
      </Fact>
      <Fees chain={chain} of={of} />
      <Fact name="Nonce">{count(of.nonce)}</Fact>
      <Fact name="Type">
        {of.txType} {TYPES[of.txType] !== undefined && <span class="quiet">({TYPES[of.txType]})</span>}
      </Fact>
    </Facts>
  );
}

function Fees({ chain, of }: { readonly chain: EvmChain; readonly of: Native }) {
  const { gasUsed, gasLimit, gasPrice, baseFeePerGas, isBaseFeeBound = false, maxFeePerGas, maxPriorityFeePerGas } = of;
  // nothing is said of the parts of a fee whose base fee is not known
  const base = isBaseFeeBound ? 0n : BigInt(gasUsed) * BigInt(baseFeePerGas);
  return (
    <>
      <Fact name="Fee">
        <Coins value={BigInt(gasUsed) * BigInt(gasPrice)} chain={chain} />
        <span class="quiet">
          {/* on the C-chain nobody gets fees; on other chains it depends on their configuration */}
          {chain.isC && ", burned"}
          {base > 0n && (
            <>
              ; <Coins value={base} chain={chain} /> of it for the base fee
            </>
          )}
        </span>
      </Fact>
      <Fact name="Gas">
        {count(gasUsed)} of {count(gasLimit)} ({shareOf(gasUsed, gasLimit)})
      </Fact>
      <Fact name="Gas price">
        <GasPrice value={gasPrice} /> <span class="quiet">paid; base fee of the block </span>
        <BaseFee value={baseFeePerGas} isBound={isBaseFeeBound} />
      </Fact>
      {maxFeePerGas !== undefined && (
        <Fact name="Max fee">
          <GasPrice value={maxFeePerGas} />
          {maxPriorityFeePerGas !== undefined && (
            <>
              <span class="quiet">; max priority fee </span>
              <GasPrice value={maxPriorityFeePerGas} />
            </>
          )}
        </Fact>
      )}
    </>
  );
}

function Input({ chain: { chainId }, of }: { readonly chain: EvmChain; readonly of: Native }) {
  if (of.input === "0x") return null;
  const isCreation = of.method?.callType === "CONTRACT_CREATION";
  return (
    <section class="card">
      <h2>{isCreation ? "Code that creates the contract" : "What it called"}</h2>
      {isCreation ? <RawBytes hex={of.input} name="code" /> : <CallInput chainId={chainId} contract={of.to.address} input={of.input} />}
    </section>
  );
}

function TokenTransfers({ chain: { chainId }, of }: { readonly chain: EvmChain; readonly of: Transaction }) {
  const transfers = transfersOf(of);
  if (transfers.length === 0) return null;
  return (
    <section class="card">
      <h2>Token transfers</h2>
      <FirstOf label="Token transfers" columns={transferInTransactionColumns(chainId)} items={transfers} keyOf={({ key }) => key} />
    </section>
  );
}

type Internal = components["schemas"]["InternalTransactionDetails"];

function internalColumns(chain: EvmChain): readonly Column<Internal>[] {
  const { chainId } = chain;
  return [
    {
      name: "Type",
      cell: ({ internalTxType, isReverted }) => (
        <>
          {internalTxType} {isReverted && <span class="badge bad">reverted</span>}
        </>
      ),
    },
    { name: "From", cell: ({ from }) => <Party chainId={chainId} of={from} /> },
    { name: "To", cell: ({ to: recipient }) => <Party chainId={chainId} of={recipient} /> },
    { name: "Value", isNumber: true, cell: ({ value }) => <Coins value={value} chain={chain} /> },
    {
      name: "Gas used",
      isNumber: true,
      cell: ({ gasUsed, gasLimit }) => (
        <>
          {count(gasUsed)} of {count(gasLimit)}
        </>
      ),
    },
  ];
}

function Internals({
  chain,
  of: { internalTransactions = [], internalTransactionsUnavailable },
}: {
  readonly chain: EvmChain;
  readonly of: Transaction;
}) {
  if (internalTransactionsUnavailable) {
    return (
      <section class="card">
        <h2>Internal transactions</h2>
        <Empty>No node of the chain returned the call trace of this transaction, so its internal transactions are not known.</Empty>
      </section>
    );
  }
  if (internalTransactions.length === 0) return null;
  // equal ones can repeat, and stand in the order of their calls
  const places = new Map(internalTransactions.map((internal, i) => [internal, `${i}`]));
  return (
    <section class="card">
      <h2>Internal transactions</h2>
      <p class="quiet">Calls with a value, and creations, that contracts made within this transaction.</p>
      <FirstOf
        label="Internal transactions"
        columns={internalColumns(chain)}
        items={internalTransactions}
        keyOf={(internal) => places.get(internal)!}
      />
    </section>
  );
}
