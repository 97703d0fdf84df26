/**
 * Compares pages of UTXOs that a limit cuts off inside a block. The node keeps the UTXOs that one block added for an address in an order
 * that differs from run to run, so which of them are on the page cannot be reproduced, and the recorder counts an UTXO that occurs nowhere
 * else in the recording as a difference. Here such a page must be as full as the recorded one, and may differ from it only in UTXOs of one
 * and the same block.
 */
import { assetTxs } from "../../src/chains/asset/tables.ts";
import { platformTxs } from "../../src/chains/platform/tables.ts";
import type { StoreReader } from "../../src/store/store.ts";

/** A recorded request. */
export interface Entry {
  readonly path: string;
  readonly method: string;
  readonly params?: { readonly startIndex?: unknown };
  readonly scan?: string;
  readonly response?: {
    readonly result?: { readonly numFetched?: string; readonly utxos?: readonly string[]; readonly encoding?: string };
    readonly error?: object;
  };
}

const MOST = 1024;

/** Those of the differing requests, by index, that the recorder must call different although the pages agree as far as they can. */
export async function pagesCutInsideBlock(
  entries: readonly Entry[],
  differing: ReadonlySet<number>,
  url: string,
  store: StoreReader,
): Promise<number[]> {
  const known = new Map<string, Set<string>>();
  for (const { path, response } of entries) {
    const seen = known.get(path) ?? new Set();
    known.set(path, seen);
    for (const utxo of utxosOf(response)) seen.add(referenceOf(utxo));
  }
  const agreed: number[] = [];
  for (const index of differing) {
    const entry = entries[index]!;
    const recorded = utxosOf(entry.response);
    if (!entry.method.endsWith(".getUTXOs") || entry.scan !== undefined || recorded.length !== MOST) continue;
    const actual = utxosOf(await ask(url, entry));
    const hasStranger = actual.some((utxo) => !known.get(entry.path)!.has(referenceOf(utxo)));
    if (hasStranger && (await differsInOneBlock(actual, recorded, entry.path, store))) agreed.push(index);
  }
  return agreed;
}

async function differsInOneBlock(
  actual: readonly string[],
  recorded: readonly string[],
  path: string,
  store: StoreReader,
): Promise<boolean> {
  const [ours, theirs] = [new Set(actual.map(referenceOf)), new Set(recorded.map(referenceOf))];
  if (ours.size !== theirs.size) return false;
  const differing = [...ours].filter((item) => !theirs.has(item)).concat([...theirs].filter((item) => !ours.has(item)));
  const heights = new Set<bigint | undefined>();
  for (const reference of differing) {
    const txId = reference.slice(0, 64);
    const row = path === "/ext/bc/P" ? await store.get(platformTxs, { txId }) : await store.get(assetTxs, { chain: 0, txId });
    heights.add(row?.height);
  }
  return heights.size === 1 && !heights.has(undefined);
}

async function ask(url: string, { path, method, params }: Entry): Promise<Entry["response"]> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await reply.json()) as Entry["response"];
}

function utxosOf(response: Entry["response"]): readonly string[] {
  const utxos = response?.result?.utxos;
  return Array.isArray(utxos) ? utxos.filter((utxo) => typeof utxo === "string" && utxo.startsWith("0x0000")) : [];
}

/** Transaction ID and output index, hex: what follows prefix and codec version. */
function referenceOf(utxo: string): string {
  return utxo.slice(6, 6 + 64 + 8);
}
