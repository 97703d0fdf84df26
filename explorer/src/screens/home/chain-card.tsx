/** One chain: how far it is, and what came last. */
import type { Liveness } from "../../api/liveness.ts";
import { count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { Empty } from "../../components/states.tsx";
import { duration, Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import type { ChainNews, NewsItem, NewsList } from "./news.tsx";

export interface ChainCardProps {
  readonly news: ChainNews;
  /** seconds behind its source */
  readonly lag: number | undefined;
  readonly liveness: Liveness;
}

export function ChainCard({ news, lag, liveness }: ChainCardProps) {
  const { name, href, height, timestamp, lists } = news;
  return (
    <section class="card newest">
      <h2 class="row">
        <a href={href}>{name}</a>
        {lag !== undefined && <State lag={lag} liveness={liveness} />}
      </h2>
      <p class="row">
        <span class="figure">{height === undefined ? "–" : count(height)}</span>
        <span class="quiet">{timestamp === undefined ? "no block yet" : <Time seconds={timestamp} />}</span>
      </p>
      {lists.map((list) => (
        <Newest key={list.name} {...list} />
      ))}
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

function Newest({ name, href, items }: NewsList) {
  return (
    <>
      <h3>
        {name} <a href={href}>all</a>
      </h3>
      {items.length === 0 ? (
        <Empty>None yet.</Empty>
      ) : (
        <ul class="plain-list">
          {items.map((item) => (
            <Item key={item.id} {...item} />
          ))}
        </ul>
      )}
    </>
  );
}

function Item({ id, href, text, timestamp }: NewsItem) {
  return (
    <li>
      <div class="row">
        <Id value={id} href={href} />
        <span>{text}</span>
      </div>
      <span class="quiet">
        <Time seconds={timestamp} />
      </span>
    </li>
  );
}
