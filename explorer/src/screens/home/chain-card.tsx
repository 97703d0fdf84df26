/** One chain: how far it is. */
import type { Liveness } from "../../api/liveness.ts";
import { count } from "../../components/amount.tsx";
import { duration, Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { GasPrice } from "../evm/parts.tsx";
import type { ChainNews } from "./news.tsx";

export interface ChainCardProps {
  readonly news: ChainNews;
  /** seconds behind its source */
  readonly lag: number | undefined;
  readonly liveness: Liveness;
}

export function ChainCard({ news, lag, liveness }: ChainCardProps) {
  const { name, href, height, newest, timestamp, baseFee } = news;
  return (
    <section class="card">
      <h2 class="row">
        <a href={href}>{name}</a>
        {lag !== undefined && <State lag={lag} liveness={liveness} />}
      </h2>
      <p class="row tight">
        <span class="figure">{height === undefined ? "–" : <a href={newest}>{count(height)}</a>}</span>
        <span class="quiet">{timestamp === undefined ? "no block yet" : <Time seconds={timestamp} />}</span>
      </p>
      {baseFee !== undefined && (
        <p class="quiet tight">
          base fee <GasPrice value={baseFee} />
        </p>
      )}
    </section>
  );
}

const LATE_SECONDS = 60;

function State({ lag, liveness: { silentSince, isHealthy } }: { readonly lag: number; readonly liveness: Liveness }) {
  if (silentSince !== undefined) return <span class="badge quiet">unknown</span>;
  if (isHealthy !== false) return <Lag seconds={lag} />;
  return (
    <a class="badge bad" href={to.operator()}>
      not healthy
    </a>
  );
}

function Lag({ seconds }: { readonly seconds: number }) {
  if (seconds === 0) return <span class="badge good">up to date</span>;
  return <span class={seconds < LATE_SECONDS ? "badge good" : "badge bad"}>{duration(seconds)} behind</span>;
}
