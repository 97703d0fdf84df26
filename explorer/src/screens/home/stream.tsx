/** What happened last on all chains, newest first, as sentences. One request for each chain, again whenever one of them grew. */
import type { ComponentChildren } from "preact";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths, type Overview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { EvmSentence } from "../evm/sentence.tsx";
import { NAMES } from "../primary/chains.ts";
import type { Transaction } from "../primary/flows.ts";
import { PrimarySentence } from "../primary/sentence.tsx";

type EvmTransaction = components["schemas"]["NativeTransaction"];
type OverviewEvmChain = Overview["evmChains"][number];

/** of each chain asked for, and of all shown */
const [OF_EACH, SHOWN] = [10, 20];
/** so many EVM chains are asked; a server can have more */
const MOST_EVM_CHAINS = 6;

interface Event {
  readonly id: string;
  readonly href: string;
  /** alias or EVM chain ID */
  readonly chain: string;
  readonly name?: string;
  /** Unix seconds */
  readonly timestamp: number;
  readonly isFailed: boolean;
  readonly sentence: ComponentChildren;
}

interface Events {
  readonly newest: readonly Event[];
  /** names of chains whose list could not be read */
  readonly missing: readonly string[];
}

export function Stream({ of: overview }: { readonly of: Overview }) {
  const evmChains = overview.evmChains.slice(0, MOST_EVM_CHAINS);
  const aliases = overview.chains.map(({ alias }) => alias);
  const names = [...aliases, ...evmChains.map(({ evmChainId }) => evmChainId)];
  const events = useAnswer(["stream", ...names], () => readEvents(aliases, evmChains, overview.chains), { follows: names });
  return (
    <section class="card">
      <h2>Newest activity</h2>
      <Answer of={events}>
        {({ newest, missing }) => (
          <>
            {missing.length > 0 && (
              <p class="notice">
                What happened on <ChainText text={missing.join(", ")} longest={200} /> could not be read.
              </p>
            )}
            {newest.length === 0 ? (
              <Empty>Nothing has happened yet.</Empty>
            ) : (
              <ul class="stream plain-list">
                {newest.map((event) => (
                  <li key={`${event.chain} ${event.id}`}>
                    <EventLine of={event} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

function EventLine({ of: { href, chain, name, timestamp, isFailed, sentence } }: { readonly of: Event }) {
  return (
    <>
      <span class="chain-badge">
        <ChainName alias={chain} isShort {...(name !== undefined && { name })} />
      </span>
      <span>
        {sentence} {isFailed && <span class="badge bad">failed</span>}
      </span>
      <a href={href} class="when">
        <Time seconds={timestamp} />
      </a>
    </>
  );
}

async function readEvents(
  aliases: readonly PrimaryAlias[],
  evmChains: readonly OverviewEvmChain[],
  chains: Overview["chains"],
): Promise<Events> {
  const c = chains.find(({ alias }) => alias === "C")?.blockchainId;
  const ofPrimary = aliases.map((alias) => ({ name: NAMES[alias], events: primaryEvents(alias) }));
  const ofEvm = evmChains.map((chain) => ({
    name: chain.name,
    events: evmEvents(chain, chain.blockchainId !== undefined && chain.blockchainId === c),
  }));
  const asked = [...ofPrimary, ...ofEvm];
  const answers = await Promise.allSettled(asked.map(({ events }) => events));
  const problems = answers.flatMap((answer, i) =>
    answer.status === "rejected" ? [{ chain: asked[i]!.name, error: answer.reason as unknown }] : [],
  );
  if (problems.length === asked.length && problems.length > 0) throw problems[0]!.error;
  const newest = answers
    .flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, SHOWN);
  return { newest, missing: problems.map(({ chain }) => chain) };
}

async function primaryEvents(chain: PrimaryAlias): Promise<Event[]> {
  const path = { network: await networkInPaths(), blockchainId: NAMES[chain] };
  const params = { path, query: { pageSize: OF_EACH } };
  const { transactions } = await answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions", { params }));
  return transactions.map((tx: Transaction) => ({
    id: tx.txHash,
    href: to.transaction(chain, tx.txHash),
    chain,
    timestamp: "blockTimestamp" in tx ? tx.blockTimestamp : tx.timestamp,
    isFailed: false,
    sentence: <PrimarySentence chain={chain} tx={tx} />,
  }));
}

async function evmEvents(of: OverviewEvmChain, isC: boolean): Promise<Event[]> {
  const { evmChainId: chainId, name, symbol, decimals } = of;
  const params = { path: { chainId }, query: { pageSize: OF_EACH } };
  const { transactions } = await answerOf(data.GET("/v1/chains/{chainId}/transactions", { params }));
  return transactions.map((tx: EvmTransaction) => ({
    id: tx.txHash,
    href: to.evmTransaction(chainId, tx.txHash),
    chain: isC ? "C" : chainId,
    ...(!isC && { name }),
    timestamp: tx.blockTimestamp,
    isFailed: tx.txStatus === "0",
    sentence: <EvmSentence chain={{ chainId, symbol, decimals }} of={tx} />,
  }));
}
