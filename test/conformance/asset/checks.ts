/**
 * Checks Firn's asset chains against a recording: vertices and blocks execute, UTXO sets are equal, and what the node refused is refused
 * with its text. Each check is a function of a folder; without its files it returns no results.
 */

import { formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { codecErrorText } from "../../../src/base/codec/error-text.ts";
import { FirnError } from "../../../src/base/errors/errors.ts";
import type { AssetChain } from "../../../src/chains/asset/chain.ts";
import type { SharedElement } from "../../../src/chains/shared-memory/shared-memory.ts";
import { type CheckResult, check, difference } from "../check.ts";
import { bytesOf, readJson } from "../json-lines.ts";
import { type NodeReplay, replayNode } from "../node-replay.ts";
import { assetBlocks, fromChecksummedHex, hasFile, openRecording, type Recording, readLines } from "./recording.ts";
import { AssetReplay, type ReplayOptions } from "./replay.ts";

/** Unix seconds when all recorded locktimes have passed: the replay level is for old blocks. */
const LONG_AFTER = 10_000_000_000n;

export function replayOf(recording: Recording, options: ReplayOptions = {}): AssetReplay {
  const { network, assetGenesis } = recording;
  return new AssetReplay(network, { chain: 0, chainId: network.xChainId, fxIds: assetGenesis.fxIds, alias: "X" }, options);
}

/** The DAG: vertices in order of acceptance, then the linear blocks after it; state before linearization and at the end. */
export function* checkVertices(folder: string): Generator<CheckResult> {
  const vertices = readLines(folder, "vertices.jsonl").map((line) => JSON.parse(line) as RecordedVertex);
  if (vertices.length === 0) return;
  const recording = openRecording(folder);
  const replay = replayOf(recording);
  const state = readJson<RecordedState>(folder, "state.json");
  // biome-ignore lint/plugin: any time after the recording's
  const clock = BigInt(Math.floor(Date.now() / 1000));
  replay.genesis(recording.assetGenesis.bytes, { startsAsDag: true });
  for (const { source, element } of sharedPuts(folder, recording)) replay.receive(source, [element]);

  const refused = readLines(folder, "rejected.jsonl").map((line) => JSON.parse(line) as RefusedContainer);
  for (const recorded of vertices) {
    if (recorded.stopVertex) {
      yield* refused.filter(({ kind }) => kind === "vertex").map((item) => checkRefusedVertex(item, replay, clock));
      yield check("UTXOs before linearization", utxoDifference(replay, state.stateBeforeLinearization.utxos));
    }
    yield checkVertex(recorded, replay, clock);
  }
  for (const { line, bytes } of assetBlocks(folder)) {
    const { id, height, acceptedAt } = JSON.parse(line) as { id: string; height: number; acceptedAt: number };
    yield check(`X block ${height}`, checkBlock({ height: BigInt(height), bytes, id }, replay, BigInt(acceptedAt)));
    yield* refused.filter((item) => item.kind === "block" && item.atHeight === height).map((item) => checkRefusedBlock(item, replay));
  }
  const { lastAccepted, timestamp } = replay.scalars;
  yield check("UTXOs at the end", utxoDifference(replay, state.stateAtEnd.utxos));
  yield check("last accepted block", difference(formatId(lastAccepted), state.stateAtEnd.lastAccepted));
  yield check("timestamp", difference(`${timestamp}`, `${state.stateAtEnd.timestamp}`));
}

/** The linear blocks execute on the replay level without any other chain. */
export function* checkBlocks(folder: string): Generator<CheckResult> {
  if (hasFile(folder, "vertices.jsonl")) return;
  const recording = openRecording(folder);
  const replay = replayOf(recording, { level: "replay" });
  replay.genesis(recording.assetGenesis.bytes);
  for (const { height, bytes } of assetBlocks(folder)) {
    const failure = checkBlock({ height, bytes, id: formatId(sha256Hex(bytes)) }, replay, LONG_AFTER);
    yield check(`X block ${height}`, failure);
    if (failure !== undefined) return;
  }
}

/** Transactions that the node refused to issue are refused with its text, in the state at which they were tried. */
export async function* checkRefusedTxs(folder: string): AsyncGenerator<CheckResult> {
  const refused = refusedTxs(folder);
  if (refused.size === 0) return;
  for await (const { chains, heights, fetch } of replayNode(folder)) {
    const items = refused.get(heights) ?? [];
    refused.delete(heights);
    for (const item of items) yield checkRefusedTx(item, { chain: chains.assetChain(chains.network.xChainId)!, chains, fetch });
  }
  for (const [heights, items] of refused) yield check(`${items.length} refused transactions`, `no state has heights ${heights}`);
}

interface RecordedVertex {
  readonly label: string;
  readonly id: string;
  readonly bytes: string;
  readonly executedHere: readonly string[];
  readonly stopVertex: boolean;
}

interface RecordedState {
  readonly stateBeforeLinearization: { readonly utxos: readonly RecordedUtxo[] };
  readonly stateAtEnd: { readonly utxos: readonly RecordedUtxo[]; readonly lastAccepted: string; readonly timestamp: number };
}

interface RecordedUtxo {
  readonly id: string;
  /** with codec version */
  readonly hex: string;
}

interface RefusedContainer {
  readonly kind: "vertex" | "block";
  readonly label: string;
  readonly bytes: string;
  readonly error: string;
  readonly stage: "parse" | "verify tx" | "verify";
  readonly atHeight?: number;
  readonly clock?: number;
}

interface RefusedTx {
  readonly label: string;
  readonly hex: string;
  readonly response: { readonly error?: { readonly message: string } };
}

function checkVertex(recorded: RecordedVertex, replay: AssetReplay, clock: bigint): CheckResult {
  const name = `vertex ${recorded.label}`;
  const failure = failureOf(() => {
    const vertex = replay.chain.parseVertex(bytesOf(recorded.bytes));
    if (formatId(vertex.id) !== recorded.id) throw new Error(`is ${formatId(vertex.id)}, not ${recorded.id}`);
    const executed = replay.executeVertex(vertex, clock).txs.map(({ txId }) => formatId(txId));
    const text = difference(executed.join(), recorded.executedHere.join());
    if (text !== undefined) throw new Error(text);
  });
  return check(name, failure);
}

function checkRefusedVertex(item: RefusedContainer, replay: AssetReplay, clock: bigint): CheckResult {
  let stage = "parse";
  const actual = refusal(replay.chain, () => {
    const vertex = replay.chain.parseVertex(bytesOf(item.bytes));
    stage = "verify tx";
    replay.verifyVertex(vertex, clock);
  });
  return check(`refused vertex: ${item.label}`, difference(`${stage}: ${actual}`, `${item.stage}: ${item.error}`));
}

function checkRefusedBlock(item: RefusedContainer, replay: AssetReplay): CheckResult {
  const clock = BigInt(item.clock!);
  const actual = refusal(replay.chain, () => replay.execute(replay.chain.parse(bytesOf(item.bytes)), clock));
  return check(`refused block: ${item.label}`, difference(actual, item.error));
}

function checkRefusedTx(
  { label, hex, response }: RefusedTx,
  { chain, chains, fetch }: { chain: AssetChain } & Pick<NodeReplay, "chains" | "fetch">,
): CheckResult {
  const clock = chains.platform.state.timestamp;
  const actual = refusal(chain, () => {
    const tx = chain.codec.parseTx(fromChecksummedHex(hex));
    fetch(chain.keysRead(tx));
    chain.verifyTx(tx, { network: chains.network, level: "full", clock });
  });
  return check(`refused X transaction: ${label}`, difference(actual, response.error?.message ?? "accepted"));
}

/** Refused X transactions by the heights of P, X and C at which they were tried. Texts about the request's encoding are the RPC layer's. */
function refusedTxs(folder: string): Map<string, RefusedTx[]> {
  const byHeights = new Map<string, RefusedTx[]>();
  for (const line of readLines(folder, "rejected.jsonl")) {
    const item = JSON.parse(line) as RefusedTx & { chain?: string; accepted: boolean; heights: Record<string, number> };
    const isEncoding = item.response?.error?.message.startsWith("problem decoding transaction");
    if (item.chain !== "X" || item.accepted || isEncoding) continue;
    const heights = `${item.heights.P},${item.heights.X},${item.heights.C}`;
    byHeights.set(heights, [...(byHeights.get(heights) ?? []), item]);
  }
  return byHeights;
}

/** What other chains put for X before the recording starts. */
export function sharedPuts(folder: string, { network }: Recording): { source: Id; element: SharedElement }[] {
  const sources: Record<string, Id> = { P: PLATFORM_CHAIN_ID, C: network.cChainId };
  return readLines(folder, "sharedmemory.jsonl")
    .map((line) => JSON.parse(line) as { by: string; op: string; key: string; value: string; traits?: string[] })
    .filter(({ by, op }) => by !== "X" && op === "put")
    .map(({ by, key, value, traits = [] }) => ({ source: sources[by]!, element: { key: parseId(key), bytes: bytesOf(value), traits } }));
}

function checkBlock(
  { height, bytes, id }: { height: bigint; bytes: Buffer; id?: string },
  replay: AssetReplay,
  clock: bigint,
): string | undefined {
  const failure = height === 0n ? undefined : failureOf(() => void replay.execute(replay.chain.parse(bytes), clock));
  const { lastAccepted } = replay.scalars;
  return failure ?? (id === undefined ? undefined : difference(formatId(lastAccepted), id));
}

function utxoDifference(replay: AssetReplay, recorded: readonly RecordedUtxo[]): string | undefined {
  const lines = (entries: Iterable<[string, string]>) => [...entries].map(([id, hex]) => `${id} ${hex}`).sort();
  const expected = lines(recorded.map(({ id, hex }) => [parseId(id), hex.replace(/^0x0000/, "")] as [string, string]));
  return difference(lines(replay.utxos()).join("\n"), expected.join("\n"));
}

/** The text with which something is refused, or "accepted". */
function refusal(chain: AssetChain, run: () => unknown): string {
  try {
    run();
    return "accepted";
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return error instanceof CodecError ? codecErrorText(error, chain.codec) : error.message;
  }
}

function failureOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
