/** Sums up a CPU profile: self time by the part of Firn that caused it. */
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";

/** The first pattern that matches a frame counts, from the innermost frame outwards. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ["store: encode rows, write, LMDB", /\/(src|dist)\/store\/|\/lmdb\//],
  ["read rows beforehand", /\/(src|dist)\/ingest\/execute/],
  ["parse and check blocks", /\/(src|dist)\/evm\/(block-parser\/|source\/run|ingest\/read-answers)/],
  ["decode logs and traces", /\/(src|dist)\/evm\/decode\//],
  ["make rows", /\/(src|dist)\/evm\/index\//],
  ["tokens: classes, metadata", /\/(src|dist)\/evm\/(tokens|nft)\//],
  [
    "RPC: HTTP and JSON",
    /\/(src|dist)\/(upstream|evm\/source)\/|node:(_?http|net|internal\/streams|internal\/js_stream|events|stream|internal\/undici)|undici/,
  ],
  ["threads: handing over", /\/(src|dist)\/evm\/ingest\/(answer-thread|encoded-block)/],
  ["ingest loop", /\/(src|dist)\/evm\/ingest\//],
];

const IDLE = "waiting for the RPC or the disk";
const REST = "Node itself";

export async function profiled<R>(run: () => Promise<R>): Promise<{ result: R; share: Record<string, number> }> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 1000 });
  await session.post("Profiler.start");
  const result = await run();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return { result, share: shares(profile) };
}

function shares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const parents = new Map<number, (typeof nodes)[number]>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = (id: number): string => {
    const name = byId.get(id)!.callFrame.functionName;
    if (name === "(idle)") return IDLE;
    if (name === "(garbage collector)") return "garbage collection";
    for (let node = byId.get(id); node !== undefined; node = parents.get(node.id)) {
      const found = PARTS.find(([, pattern]) => pattern.test(node!.callFrame.url));
      if (found !== undefined) return found[0];
    }
    return REST;
  };
  const sums = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const part = partOf(id);
    sums.set(part, (sums.get(part) ?? 0) + timeDeltas[index]!);
    total += timeDeltas[index]!;
  }
  return Object.fromEntries([...sums].sort((a, b) => b[1] - a[1]).map(([part, time]) => [part, time / total]));
}
