/** Memory and CPU of each process, and the disk. */
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Table } from "../../components/table.tsx";
import { duration } from "../../components/time.tsx";
import { bytesText } from "./bytes.ts";
import { ratesBy, sampleOf, sumsBy } from "./prometheus.ts";
import type { Reading } from "./readings.ts";

export function Processes({ newest: { metrics, at }, before }: { readonly newest: Reading; readonly before: Reading | undefined }) {
  const names = [...sumsBy(metrics, "firn_process_resident_bytes", "process").keys()];
  const seconds = before === undefined ? 0 : (at - before.at) / 1000;
  const cpu = before && ratesBy(before.metrics, metrics, { name: "firn_process_cpu_seconds_total", label: "process", seconds });
  const of = (metric: string, process: string) => sampleOf(metrics, metric, { process }) ?? 0;
  const [store, free, disk] = ["firn_store_size_bytes", "firn_disk_available_bytes", "firn_disk_size_bytes"].map((name) =>
    sampleOf(metrics, name),
  );
  return (
    <section class="card">
      <h2>Processes and disk</h2>
      <Table
        label="Processes"
        items={names}
        keyOf={(name) => name}
        columns={[
          { name: "Process", cell: (name) => <ChainText text={name} longest={60} /> },
          { name: "Memory", isNumber: true, cell: (name) => bytesText(of("firn_process_resident_bytes", name)) },
          {
            name: "CPU now",
            isNumber: true,
            cell: (name) => (cpu === undefined ? "…" : `${((cpu.get(name) ?? 0) * 100).toFixed(0)} %`),
          },
          { name: "CPU in all", isNumber: true, cell: (name) => `${of("firn_process_cpu_seconds_total", name).toFixed(1)} s` },
          { name: "Runs for", isNumber: true, cell: (name) => duration(of("firn_process_uptime_seconds", name)) },
        ]}
      />
      <Facts>
        <Fact name="Store">{store !== undefined && bytesText(store)}</Fact>
        <Fact name="Free on its disk">{free !== undefined && disk !== undefined && `${bytesText(free)} of ${bytesText(disk)}`}</Fact>
      </Facts>
    </section>
  );
}
