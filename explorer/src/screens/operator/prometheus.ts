/** Reads metrics in Prometheus's text format, version 0.0.4. Lines that are no samples are passed over. */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by the name of their metric. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

/** More lines than a server with all its methods has. */
const MOST_LINES = 50_000;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?$/s;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?\s*/sy;

export function readMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const line of text.split("\n", MOST_LINES)) {
    const [, name, labelText = "", valueText] = line.startsWith("#") ? [] : (SAMPLE.exec(line.trim()) ?? []);
    const labels = readLabels(labelText);
    const value = valueText === undefined ? undefined : numberOf(valueText);
    if (name === undefined || labels === undefined || value === undefined) continue;
    const samples = metrics.get(name);
    if (samples === undefined) metrics.set(name, [{ labels, value }]);
    else samples.push({ labels, value });
  }
  return metrics;
}

/** undefined: not labels */
function readLabels(text: string): Readonly<Record<string, string>> | undefined {
  const pairs: [string, string][] = [];
  LABEL.lastIndex = 0;
  for (let end = 0; end < text.length; end = LABEL.lastIndex) {
    const label = LABEL.exec(text);
    if (label === null) return undefined;
    pairs.push([label[1]!, label[2]!.replace(/\\(.)/gs, (_, escaped: string) => (escaped === "n" ? "\n" : escaped))]);
  }
  return Object.fromEntries(pairs);
}

const NAMED: Readonly<Record<string, number>> = { "+Inf": Infinity, "-Inf": -Infinity, NaN: Number.NaN };

function numberOf(text: string): number | undefined {
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** The value of the one sample that has these labels; undefined if there is none. */
export function sampleOf(metrics: Metrics, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const wanted = Object.entries(labels);
  return metrics.get(name)?.find((sample) => wanted.every(([label, value]) => sample.labels[label] === value))?.value;
}

/** Sum of a counter over all samples with the same value of a label, by that value. */
export function sumsBy(metrics: Metrics, name: string, label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of metrics.get(name) ?? []) {
    const key = labels[label] ?? "";
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

/** What a counter grew by a second, by label; a counter that was set back (the server was started again) counts from 0. */
export function ratesBy(
  before: Metrics,
  after: Metrics,
  { name, label, seconds }: { readonly name: string; readonly label: string; readonly seconds: number },
): ReadonlyMap<string, number> {
  const earlier = sumsBy(before, name, label);
  return new Map(
    [...sumsBy(after, name, label)].map(([key, value]) => {
      const start = earlier.get(key) ?? 0;
      return [key, seconds > 0 ? (value < start ? value : value - start) / seconds : 0];
    }),
  );
}
