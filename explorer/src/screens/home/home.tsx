/** The newest of all chains, and where the server is reached. */
import { useLags } from "../../api/freshness.ts";
import { type Overview, useOverview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { Answer } from "../../components/states.tsx";
import { duration, Time, useNow, utc } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { DevnetKeys } from "./devnet-keys.tsx";
import { Endpoints } from "./endpoints.tsx";
import { Newest, newestOfEvmChain, newestOfPrimaryChain } from "./newest.tsx";

export function Home() {
  const overview = useOverview();
  return (
    <>
      <Title text="The network now" />
      <Answer of={overview}>{(news) => <News of={news} />}</Answer>
    </>
  );
}

function News({ of: overview }: { readonly of: Overview }) {
  const lags = useLags();
  const { chains, evmChains, evmChainCount } = overview;
  // the C-chain of the primary network is one chain, with what its EVM and its imports and exports did
  const atomic = (blockchainId: string | undefined) => chains.find((chain) => chain.alias === "C" && chain.blockchainId === blockchainId);
  return (
    <>
      <Clock of={overview} />
      <div class="cards">
        {chains
          .filter(({ alias, blockchainId }) => alias !== "C" || !evmChains.some((evm) => evm.blockchainId === blockchainId))
          .map((chain) => (
            <ChainCard
              key={chain.alias}
              href={to.blocks(chain.alias)}
              name={<ChainName alias={chain.alias} />}
              height={chain.height}
              timestamp={chain.timestamp}
              lag={lags.get(chain.alias)}
            />
          ))}
        {evmChains.map((chain) => (
          <ChainCard
            key={chain.evmChainId}
            href={to.evm(chain.evmChainId)}
            name={<ChainName alias={atomic(chain.blockchainId) ? "C" : chain.evmChainId} name={chain.name} />}
            height={chain.height}
            timestamp={chain.timestamp}
            lag={lags.get(chain.evmChainId)}
          />
        ))}
      </div>
      {evmChainCount > evmChains.length && (
        <p class="quiet">{count(evmChainCount - evmChains.length)} more EVM chains are not shown here; search for their IDs.</p>
      )}
      <div class="cards">
        {chains.map((chain) => (
          <Newest key={chain.alias} of={newestOfPrimaryChain(chain)} />
        ))}
        {evmChains.map((chain) => (
          <Newest key={chain.evmChainId} of={newestOfEvmChain(chain)} />
        ))}
      </div>
      <Endpoints of={overview} />
      {overview.isDevnet && <DevnetKeys />}
    </>
  );
}

function Clock({ of: { isDevnet, clockOffset } }: { readonly of: Overview }) {
  const now = useNow();
  if (!isDevnet) return null;
  const ahead = clockOffset === 0 ? "" : `, ${duration(clockOffset)} ${clockOffset > 0 ? "ahead of" : "behind"} this machine's`;
  return (
    <p>
      The network's clock shows <strong>{utc(now)}</strong>
      {ahead}. <a href={to.devnet()}>Move it</a>
    </p>
  );
}

interface ChainCardProps {
  readonly href: string;
  readonly name: preact.ComponentChildren;
  readonly height: string | undefined;
  readonly timestamp: number | undefined;
  /** seconds behind the source */
  readonly lag: number | undefined;
}

function ChainCard({ href, name, height, timestamp, lag }: ChainCardProps) {
  return (
    <section class="card">
      <h2>
        <a href={href}>{name}</a>
      </h2>
      <p class="row">
        <span class="figure">{height === undefined ? "–" : count(height)}</span>
        {lag !== undefined && <Lag seconds={lag} />}
      </p>
      <p class="quiet">{timestamp === undefined ? "no block yet" : <Time seconds={timestamp} />}</p>
    </section>
  );
}

const LATE_SECONDS = 60;

function Lag({ seconds }: { readonly seconds: number }) {
  if (seconds < LATE_SECONDS) return <span class="badge good">{seconds === 0 ? "up to date" : `${duration(seconds)} behind`}</span>;
  return <span class="badge bad">{duration(seconds)} behind</span>;
}
