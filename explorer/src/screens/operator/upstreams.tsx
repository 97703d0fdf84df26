/** The nodes from which the chains are read, and what they fail at. */
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Table } from "../../components/table.tsx";
import { duration } from "../../components/time.tsx";
import type { Metrics } from "./prometheus.ts";

interface Upstream {
  /** `network`, or an EVM chain ID */
  readonly source: string;
  readonly name: string;
  readonly state: string;
}

const STATE_CLASS: Readonly<Record<string, string>> = { used: "badge good", resting: "badge warn", refused: "badge bad" };

export function upstreamsOf(metrics: Metrics): readonly Upstream[] {
  return (metrics.get("firn_upstream_state_boolean") ?? [])
    .filter(({ value }) => value === 1)
    .map(({ labels }) => ({ source: labels.source ?? "", name: labels.upstream ?? "", state: labels.state ?? "" }));
}

export function Upstreams({ metrics }: { readonly metrics: Metrics }) {
  const upstreams = upstreamsOf(metrics);
  // blocks are made here, or come from an archive
  if (upstreams.length === 0) return null;
  const of = (metric: string, { source, name }: Upstream) =>
    (metrics.get(metric) ?? []).filter(({ labels }) => labels.upstream === name && (labels.source ?? "network") === source);
  const silent = metrics.get("firn_source_silent_seconds") ?? [];
  return (
    <section class="card">
      <h2>Upstream nodes</h2>
      <Table
        label="Upstream nodes"
        items={upstreams}
        keyOf={({ source, name }) => `${source} ${name}`}
        columns={[
          { name: "Of", cell: ({ source }) => (source === "network" ? "the network" : `chain ${source}`) },
          { name: "Node", cell: ({ name }) => <ChainText text={name} longest={80} /> },
          { name: "State", cell: ({ state }) => <span class={STATE_CLASS[state] ?? "badge"}>{state}</span> },
          {
            name: "Heights",
            cell: (upstream) =>
              of("firn_upstream_height_blocks", upstream)
                .map(({ labels, value }) => `${labels.chain} ${count(Math.trunc(value))}`)
                .join(", "),
          },
          {
            name: "Failed in a row",
            isNumber: true,
            cell: (upstream) => count(Math.trunc(of("firn_upstream_failed_requests", upstream)[0]?.value ?? 0)),
          },
          {
            name: "Errors",
            cell: (upstream) =>
              of("firn_upstream_errors_total", upstream)
                .filter(({ value }) => value > 0)
                .map(({ labels, value }) => `${labels.kind}: ${count(Math.trunc(value))}`)
                .join(", "),
          },
        ]}
      />
      {silent.map(({ labels: { source = "" }, value }) => (
        <p key={source} class="quiet">
          A node of {source === "network" ? "the network" : `chain ${source}`} last answered {duration(value)} ago.
        </p>
      ))}
    </section>
  );
}
