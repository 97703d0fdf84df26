/** How this server is: checks, chains, upstream nodes, what it answers and refuses, its processes. Two requests, repeated every 5 and 15 s. */
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { duration } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { Checks } from "./checks.tsx";
import { Processes } from "./processes.tsx";
import { type Metrics, ratesBy, sampleOf, sumsBy } from "./prometheus.ts";
import { type Reading, useHealth, useMetrics } from "./readings.ts";
import { Upstreams } from "./upstreams.tsx";

export function Operator() {
  const health = useHealth();
  const metrics = useMetrics();
  return (
    <>
      <Title text="Operator" />
      <section class="card">
        <h2>Checks</h2>
        <Answer of={health}>{(answer) => <Checks of={answer} />}</Answer>
      </section>
      <Answer of={metrics}>{(newest) => <Figures newest={newest} before={metrics.before} />}</Answer>
      <p class="quiet">
        Numbers are read every 5 s while this page is seen; rates are those between the last two readings. They come from{" "}
        <code>/ext/metrics</code>, <code>/ext/health</code> and, on a public server, <code>/v1/health-check</code>.
      </p>
    </>
  );
}

interface FiguresProps {
  readonly newest: Reading;
  readonly before: Reading | undefined;
}

function Figures({ newest, before }: FiguresProps) {
  return (
    <>
      <Chains metrics={newest.metrics} />
      <Upstreams metrics={newest.metrics} />
      <Requests newest={newest} before={before} />
      <Processes newest={newest} before={before} />
    </>
  );
}

function Chains({ metrics }: { readonly metrics: Metrics }) {
  const names = [...sumsBy(metrics, "firn_chain_height_blocks", "chain").keys()];
  const of = (metric: string, chain: string) => sampleOf(metrics, metric, { chain });
  const whole = (value: number | undefined) => (value === undefined ? null : count(Math.trunc(value)));
  const time = (value: number | undefined) => (value === undefined ? null : duration(value));
  return (
    <section class="card">
      <h2>Chains</h2>
      {names.length === 0 ? (
        <Empty>The metrics name no chain.</Empty>
      ) : (
        <Table
          label="Chains of this server"
          items={names}
          keyOf={(chain) => chain}
          columns={[
            { name: "Chain", cell: (chain) => <ChainText text={chain} longest={60} /> },
            {
              name: "State",
              cell: (chain) =>
                of("firn_chain_problem_boolean", chain) === 1 ? (
                  <span class="badge bad">has a problem; see the checks</span>
                ) : (
                  <span class="badge good">no problem</span>
                ),
            },
            { name: "Height", isNumber: true, cell: (chain) => whole(of("firn_chain_height_blocks", chain)) },
            { name: "Behind its source", isNumber: true, cell: (chain) => time(of("firn_chain_behind_source_seconds", chain)) },
            { name: "Blocks behind", isNumber: true, cell: (chain) => whole(of("firn_chain_behind_source_blocks", chain)) },
            { name: "Age of the newest block", isNumber: true, cell: (chain) => time(of("firn_chain_last_block_age_seconds", chain)) },
            { name: "Read ahead", isNumber: true, cell: (chain) => whole(of("firn_chain_prefetched_blocks", chain)) },
            { name: "Reorganisations", isNumber: true, cell: (chain) => whole(of("firn_chain_reorganisations_total", chain)) },
            { name: "Blocks replaced", isNumber: true, cell: (chain) => whole(of("firn_chain_replaced_blocks_total", chain)) },
            { name: "Most at once", isNumber: true, cell: (chain) => whole(of("firn_chain_deepest_reorganisation_blocks", chain)) },
          ]}
        />
      )}
    </section>
  );
}

const SHOWN_METHODS = 25;

function Requests({ newest: { metrics, at }, before }: FiguresProps) {
  const seconds = before === undefined ? 0 : (at - before.at) / 1000;
  const counters = [
    { title: "Answers by endpoint", name: "firn_http_responses_total", label: "endpoint", heading: "Endpoint" },
    { title: "JSON-RPC methods", name: "firn_rpc_requests_total", label: "method", heading: "Method" },
    { title: "Refused, by limit", name: "firn_http_refused_total", label: "limit", heading: "Limit" },
    { title: "Keys in use today, in compute units", name: "firn_key_spent_today_units", label: "key", heading: "Key" },
  ];
  return (
    <div class="cards wide">
      {counters.map(({ title, name, label, heading }) => {
        const rates = before === undefined ? undefined : ratesBy(before.metrics, metrics, { name, label, seconds });
        const rows = [...sumsBy(metrics, name, label)]
          .map(([key, value]) => ({ key, value, rate: rates?.get(key) }))
          .sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0) || b.value - a.value);
        return (
          <section class="card" key={name}>
            <h2>{title}</h2>
            {rows.length === 0 ? (
              <Empty>None so far.</Empty>
            ) : (
              <Table
                label={title}
                items={rows.slice(0, SHOWN_METHODS)}
                keyOf={({ key }) => key}
                columns={[
                  { name: heading, cell: ({ key }) => <ChainText text={key} longest={60} /> },
                  { name: "A second", isNumber: true, cell: ({ rate }) => (rate === undefined ? "…" : rate.toFixed(1)) },
                  { name: "In all", isNumber: true, cell: ({ value }) => count(Math.trunc(value)) },
                ]}
              />
            )}
            {rows.length > SHOWN_METHODS && <p class="quiet">and {count(rows.length - SHOWN_METHODS)} more</p>}
          </section>
        );
      })}
    </div>
  );
}
