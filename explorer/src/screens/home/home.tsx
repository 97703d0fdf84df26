/** The newest of all chains, and where the server is reached. It asks for the overview and, on a devnet, for its keys. */
import { useLags } from "../../api/freshness.ts";
import { useLiveness } from "../../api/liveness.ts";
import { type Overview, useOverview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { Answer } from "../../components/states.tsx";
import { duration, useNow, utc } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ChainCard } from "./chain-card.tsx";
import { DevnetKeys } from "./devnet-keys.tsx";
import { Endpoints } from "./endpoints.tsx";
import { newsOf } from "./news.tsx";

export function Home() {
  const overview = useOverview();
  return (
    <>
      <Title text="The network now" />
      <Answer of={overview}>{(news) => <Now of={news} />}</Answer>
    </>
  );
}

function Now({ of: overview }: { readonly of: Overview }) {
  const lags = useLags();
  const liveness = useLiveness();
  const { evmChains, evmChainCount, isDevnet } = overview;
  return (
    <>
      {isDevnet && <Clock of={overview} />}
      <div class="cards">
        {newsOf(overview).map((news) => (
          <ChainCard key={news.id} news={news} lag={lags.get(news.id)} liveness={liveness} />
        ))}
      </div>
      {evmChainCount > evmChains.length && (
        <p class="quiet">{count(evmChainCount - evmChains.length)} more EVM chains are not shown here; search for their IDs.</p>
      )}
      <Endpoints of={overview} />
      {isDevnet && <DevnetKeys />}
    </>
  );
}

/** An offset by less than this is that of requests on their way. */
const LEAST_OFFSET_SECONDS = 5;

function Clock({ of: { clockOffset } }: { readonly of: Overview }) {
  const now = useNow();
  const ahead =
    Math.abs(clockOffset) < LEAST_OFFSET_SECONDS
      ? ""
      : `, ${duration(clockOffset)} ${clockOffset > 0 ? "ahead of" : "behind"} this machine's`;
  return (
    <p>
      The network's clock shows <strong>{utc(now)}</strong>
      {ahead}. <a href={to.devnet()}>Move it</a>
    </p>
  );
}
