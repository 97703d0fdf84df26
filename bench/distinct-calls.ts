/** Calls that differ, as users ask them: each of another transaction, address or height of the store that a server serves. */
import { randomOf } from "../test/random.ts";
import type { LoadRequest } from "./load.ts";

/** Calls of one kind, by the name of the recorded case that has one of them. */
export type DistinctCalls = ReadonlyMap<string, readonly LoadRequest[]>;

const MOST = 20_000;
/** Blocks that are read to find transactions and addresses, of each chain. */
const BLOCKS = 4000;

interface Drawn {
  readonly height: number;
  readonly txIds: string[];
  readonly addresses: string[];
}

/** Draws them from the blocks of both chains. @param url of the server */
export async function distinctCalls(url: string): Promise<DistinctCalls> {
  const [x, p] = [await draw(url, "X"), await draw(url, "P")];
  const heights = (most: number) => Array.from({ length: most }, (_, i) => i + 1);
  const all = (values: readonly string[]) => shuffled([...new Set(values)]).slice(0, MOST);
  const [xTxs, pTxs] = [all(x.txIds), all(p.txIds)];
  const [xAddresses, pAddresses] = [all(x.addresses), all(p.addresses)];
  const calls = <T>(chain: "X" | "P", method: string, values: readonly T[], params: (value: T) => object): LoadRequest[] =>
    values.map((value, i) => ({
      path: `/ext/bc/${chain}`,
      body: JSON.stringify({ jsonrpc: "2.0", id: i + 1, method, params: params(value) }),
    }));
  return new Map([
    ["avm.getTx hex", calls("X", "avm.getTx", xTxs, (txID) => ({ txID, encoding: "hex" }))],
    ["avm.getTx json", calls("X", "avm.getTx", xTxs, (txID) => ({ txID, encoding: "json" }))],
    ["avm.getTxStatus", calls("X", "avm.getTxStatus", xTxs, (txID) => ({ txID }))],
    ["avm.getUTXOs few", calls("X", "avm.getUTXOs", xAddresses, (address) => ({ addresses: [address], limit: 10 }))],
    ["avm.getBalance few", calls("X", "avm.getBalance", xAddresses, (address) => ({ address, assetID: "AVAX" }))],
    ["platform.getTx json", calls("P", "platform.getTx", pTxs, (txID) => ({ txID, encoding: "json" }))],
    ["platform.getBalance few", calls("P", "platform.getBalance", pAddresses, (address) => ({ addresses: [address] }))],
    ["platform.getValidatorsAt mid", calls("P", "platform.getValidatorsAt", shuffled(heights(p.height)), (height) => ({ height }))],
    ["avm.getBlockByHeight hex", calls("X", "avm.getBlockByHeight", shuffled(heights(x.height)), byHeight("hex"))],
    ["avm.getBlockByHeight json", calls("X", "avm.getBlockByHeight", shuffled(heights(x.height)), byHeight("json"))],
    ["platform.getBlockByHeight json", calls("P", "platform.getBlockByHeight", shuffled(heights(p.height)), byHeight("json"))],
  ]);
}

function byHeight(encoding: string) {
  return (height: number) => ({ height: `${height}`, encoding });
}

/** How much of a public endpoint's load repeats: heights, IDs, validators. */
const REPEATED = 0.5;

/** Half polls that repeat, half calls that do not, in a random order. */
export function mixOf(distinct: DistinctCalls, polls: readonly LoadRequest[]): LoadRequest[] {
  const points = shuffled([...distinct].flatMap(([name, calls]) => (IN_MIX.has(name) ? calls : []))).slice(0, MOST * REPEATED);
  const repeated = points.map((_, i) => polls[i % polls.length]!);
  return shuffled([...points, ...repeated]);
}

/** Blocks and validator sets are asked for by few, and would be most of the load. */
const IN_MIX = new Set([
  "avm.getTx hex",
  "avm.getTx json",
  "avm.getTxStatus",
  "avm.getUTXOs few",
  "avm.getBalance few",
  "platform.getTx json",
  "platform.getBalance few",
]);

async function draw(url: string, chain: "X" | "P"): Promise<Drawn> {
  const service = { X: "avm", P: "platform" }[chain];
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: `${service}.${method}`, params });
    const response = await fetch(`${url}/ext/bc/${chain}`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return ((await response.json()) as { result: { height: string; block: unknown } }).result;
  };
  const drawn: Drawn = { height: Number((await ask("getHeight", {})).height), txIds: [], addresses: [] };
  for (let i = 1; i <= Math.min(BLOCKS, drawn.height); i++) {
    const { block } = await ask("getBlockByHeight", { height: `${i}`, encoding: "json" });
    for (const tx of (block as { txs?: { id: string }[] }).txs ?? []) drawn.txIds.push(tx.id);
    drawn.addresses.push(...(JSON.stringify(block).match(new RegExp(`"${chain}-[0-9a-z]+"`, "g")) ?? []).map((text) => text.slice(1, -1)));
  }
  return drawn;
}

/** The same order in every run. */
function shuffled<T>(values: T[]): T[] {
  const random = randomOf(1);
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [values[i], values[j]] = [values[j]!, values[i]!];
  }
  return values;
}
