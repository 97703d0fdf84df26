/**
 * A transaction of P, of X, or an import or export of C. It costs one request, on P three (the API's answer, the node's JSON, its status), and
 * one more in the browser's session for the ID of AVAX. A transaction that is not found costs one more: what became of it. A proposal costs one
 * more for the block that decided it. Bytes are asked for when somebody opens them.
 */
import { answerOf, data } from "../../api/client.ts";
import { indented, withExactIntegers } from "../../api/exact-json.ts";
import { networkInPaths } from "../../api/overview.ts";
import { queries, useAnswer } from "../../api/queries.ts";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id, shortened } from "../../components/id.tsx";
import type { ScreenOf } from "../../components/screen.tsx";
import { Loading } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { ApiFacts, L1Validators } from "./api-facts.tsx";
import { NAMES, useChains } from "./chains.ts";
import { Decision } from "./decision.tsx";
import { FlowColumns } from "./flow-list.tsx";
import { difference, type Flows, flowsOf, otherHalves, type PlatformTransaction, stakesOf, type Transaction } from "./flows.ts";
import { Between, Members, type Unsigned } from "./members.tsx";
import { memoText } from "./memo.ts";
import { EvmTransaction, MissingTransaction } from "./missing-transaction.tsx";
import { readTxBytes, readTxJson, readTxStatus, type TxName, txMethod } from "./node-tx.ts";
import { assets, Blockchain, TxLink } from "./pieces.tsx";
import { Raw } from "./raw.tsx";
import { PrimarySentence } from "./sentence.tsx";
import { mayBeProposal, realType, txType } from "./tx-types.ts";

export const PlatformTransactionScreen: ScreenOf = ({ params }) => <TransactionScreen chain="P" id={params.id!} />;
export const AssetTransactionScreen: ScreenOf = ({ params }) => <TransactionScreen chain="X" id={params.id!} />;
export const AtomicTransactionScreen: ScreenOf = ({ params }) =>
  params.id!.startsWith("0x") ? <EvmTransaction hash={params.id!} /> : <TransactionScreen chain="C" id={params.id!} />;

/** Exported outputs are spent on another chain. */
const ALL = ["P", "X", "C"];

async function readTransaction({ chain, id }: TxName): Promise<Transaction> {
  const path = { network: await networkInPaths(), blockchainId: NAMES[chain], txHash: id };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}", { params: { path } }));
}

function TransactionScreen({ chain, id }: TxName) {
  const key = [chain, "transaction", id];
  const tx = useAnswer(key, () => readTransaction({ chain, id }), { follows: isDone(queries.getQueryData(key)) ? undefined : ALL });
  const follows = tx.data === undefined ? chain : undefined;
  const json = useAnswer([...key, "node"], () => readTxJson({ chain, id }), { isWanted: chain === "P", follows });
  if (tx.data === undefined) {
    return (
      <>
        <Title text={`${shortened(id, 6, 4)} · ${chain}-chain`}>
          Transaction <Id value={id} hasCopy /> on <ChainName alias={chain} />
        </Title>
        {tx.error ? <MissingTransaction chain={chain} id={id} error={tx.error} onRetry={() => tx.refetch()} /> : <Loading />}
      </>
    );
  }
  const unsigned = json.data === undefined ? undefined : unsignedOf(json.data);
  return <Shown chain={chain} tx={tx.data} unsigned={unsigned} />;
}

/** Nothing can happen to the transaction any more: all that it created is spent. */
function isDone(tx: Transaction | undefined): boolean {
  return tx !== undefined && (!("emittedUtxos" in tx) || tx.emittedUtxos.every(({ consumingTxHash }) => consumingTxHash !== undefined));
}

function unsignedOf(answer: string): Unsigned | undefined {
  return (JSON.parse(withExactIntegers(answer)) as { result: { tx?: { unsignedTx?: Unsigned } } }).result.tx?.unsignedTx;
}

interface ShownProps {
  readonly chain: PrimaryAlias;
  readonly tx: Transaction;
  readonly unsigned: Unsigned | undefined;
}

function Shown({ chain, tx, unsigned }: ShownProps) {
  const type = realType(tx.txType, unsigned);
  const { name, text } = txType(chain, type);
  const flows = flowsOf(tx, stakesOf(unsigned));
  const platform = "amountBurned" in tx ? tx : undefined;
  return (
    <>
      <Title text={`${shortened(tx.txHash, 6, 4)} · ${chain}-chain`}>
        {name} <Id value={tx.txHash} hasCopy /> on <ChainName alias={chain} />
      </Title>
      <section class="lead">
        <p class="sentence">
          <PrimarySentence chain={chain} tx={tx} unsigned={unsigned} />.
        </p>
        <p class="quiet">{text}</p>
      </section>
      <section class="card">
        <Facts>
          <Fact name="Transaction">
            <Id value={tx.txHash} isWhole />
          </Fact>
          <Fact name="Type">
            <code>{type}</code>
          </Fact>
          {platform !== undefined && <Status of={platform} type={type} />}
          <Place chain={chain} tx={tx} />
          <Sums tx={tx} type={type} flows={flows} />
          {"sourceChain" in tx && <Between source={tx.sourceChain} destination={tx.destinationChain} />}
          <Halves chain={chain} flows={flows} />
          {"assetCreated" in tx && tx.assetCreated !== undefined && (
            <Fact name="Asset">
              <a href={to.asset(tx.assetCreated.assetId)}>
                <ChainText text={tx.assetCreated.name} />
              </a>{" "}
              (<ChainText text={tx.assetCreated.symbol} />)
            </Fact>
          )}
          <Memo hex={tx.memo} />
        </Facts>
      </section>
      {platform !== undefined && platform.txType !== "BaseTx" && (
        <section class="card">
          <Facts>
            <ApiFacts of={platform} type={type} />
            {unsigned !== undefined && <Members of={unsigned} tx={platform} />}
          </Facts>
        </section>
      )}
      {platform !== undefined && <L1Validators of={platform.l1ValidatorDetails ?? []} />}
      <FlowColumns flows={flows} chain={chain} />
      <Raws chain={chain} id={tx.txHash} />
    </>
  );
}

function Status({ of: { txHash, blockNumber }, type }: { readonly of: PlatformTransaction; readonly type: string }) {
  const status = useAnswer(["P", "transaction", txHash, "status"], () => readTxStatus({ chain: "P", id: txHash }));
  const text = status.data?.status;
  return (
    <Fact name="Status">
      {text === undefined ? "accepted" : text === "Aborted" ? <span class="warn">Aborted: {aborted(type)}</span> : text}
      {mayBeProposal(type) && <Decision height={blockNumber} />}
    </Fact>
  );
}

/** What it means that a proposal was aborted. */
function aborted(type: string): string {
  if (type.startsWith("Reward")) return "the period ended without a reward";
  return type === "AdvanceTimeTx" ? "the time did not change" : "it made no staker, and returned the stake";
}

function Place({ chain, tx }: { readonly chain: PrimaryAlias; readonly tx: Transaction }) {
  const chains = useChains();
  if ("vertices" in tx) {
    return (
      <>
        <Fact name="Time">
          <Time seconds={tx.timestamp} />
        </Fact>
        <Fact name="Vertices">
          {tx.vertices.length === 0
            ? "none: it is a part of the genesis"
            : tx.vertices.map(({ hash, height }) => (
                <div key={hash}>
                  <Id value={hash} href={to.vertex(hash)} /> <span class="quiet">at height {height}</span>
                </div>
              ))}
        </Fact>
      </>
    );
  }
  const height = "blockNumber" in tx ? tx.blockNumber : `${tx.blockHeight}`;
  const time = "blockTimestamp" in tx ? tx.blockTimestamp : tx.timestamp;
  return (
    <>
      <Fact name="Block">
        <a href={to.block(chain, height)}>{height}</a>
        {chain === "C" && chains?.evmChainId !== undefined && (
          <>
            {" "}
            (<a href={to.evmBlock(chains.evmChainId, height)}>with its EVM transactions</a>)
          </>
        )}
      </Fact>
      <Fact name="Time">
        <Time seconds={time} />
      </Fact>
    </>
  );
}

function Sums({ tx, type, flows }: { readonly tx: Transaction; readonly type: string; readonly flows: Flows }) {
  if ("amountBurned" in tx) {
    return (
      <>
        <Fact name={type === "TransformSubnetTx" ? "Burned: fee and rewards to come" : "Burned as a fee"}>{assets(tx.amountBurned)}</Fact>
        <Fact name="Staked">{assets(tx.amountStaked)}</Fact>
        <Fact name="Paid into L1 balances">{assets(tx.amountL1ValidatorBalanceBurned)}</Fact>
        <Fact name={flows.outputs.length === 0 && flows.rewards.length > 0 ? "Minted as rewards" : "Sum of outputs"}>
          {assets(tx.value)}
        </Fact>
      </>
    );
  }
  const { burned, minted } = difference(tx.amountUnlocked, tx.amountCreated);
  return (
    <>
      <Fact name="Burned as a fee">{assets(burned)}</Fact>
      <Fact name="Minted">{assets(minted)}</Fact>
      <Fact name="Sum of outputs">{assets(tx.amountCreated)}</Fact>
    </>
  );
}

/** The other half of a transfer between chains. */
function Halves({ chain, flows }: { readonly chain: PrimaryAlias; readonly flows: Flows }) {
  const chains = useChains();
  const own = chains?.idOf(chain);
  if (chains === undefined || own === undefined) return null;
  return (
    <>
      {otherHalves(flows, own).map(({ is, chainId, txIds, waiting }) => (
        <Fact key={`${is} ${chainId}`} name={is === "export" ? "Exported by" : "Imported by"}>
          {txIds.map((id) => (
            <div key={id}>
              <TxLink id={id} chain={chains.aliasOf(chainId)} /> on <Blockchain id={chainId} />
            </div>
          ))}
          {waiting > 0 && (
            <div class="warn">
              {waiting === 1 ? "1 output waits" : `${waiting} outputs wait`} for an import on <Blockchain id={chainId} />
            </div>
          )}
        </Fact>
      ))}
    </>
  );
}

function Memo({ hex }: { readonly hex: string }) {
  const text = memoText(hex);
  if (hex === "0x" || hex === "") return null;
  return (
    <Fact name="Memo">
      {text !== undefined && (
        <div>
          <ChainText text={text} />
        </div>
      )}
      <code class="hex quiet">{hex}</code>
    </Fact>
  );
}

function Raws({ chain, id }: TxName) {
  const key = [chain, "transaction", id];
  return (
    <section class="card">
      <h2>As the node has it</h2>
      <Raw name={`Bytes (${txMethod(chain)})`} queryKey={[...key, "bytes"]} ask={() => readTxBytes({ chain, id })} />
      {chain !== "C" && (
        <Raw name={`JSON (${txMethod(chain)})`} queryKey={[...key, "json"]} ask={async () => indented(await readTxJson({ chain, id }))} />
      )}
    </section>
  );
}
