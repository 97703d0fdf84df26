/**
 * What a recording says of asset chains, held against Firn: vertices and blocks execute, the UTXO sets are equal, what the node refused
 * is refused with its text. Each check is a function of a folder; a folder without the files gives no results.
 */
import type { SharedElement } from "../../../src/atomic/shared-memory.ts";
import { formatId, parseId } from "../../../src/primitives/cb58.ts";
import { CodecError } from "../../../src/primitives/codec/error.ts";
import { codecErrorText } from "../../../src/primitives/codec/error-text.ts";
import { FirnError } from "../../../src/primitives/errors.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/primitives/id.ts";
import type { RuleLevel } from "../../../src/primitives/rule-level.ts";
import { feedOtherChains } from "./other-chains.ts";
import { assetBlocks, fromChecksummedHex, fromHex, openRecording, type Recording, readLines, readText } from "./recording.ts";
import { AssetReplay, type ReplayOptions } from "./replay.ts";

export interface CheckResult {
  readonly name: string;
  /** absent: passed */
  readonly failure?: string;
}

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
  const state = JSON.parse(readText(folder, "state.json")!) as RecordedState;
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

/** All linear blocks execute, and the transactions that were refused between them are refused with the recorded text. */
export function* checkBlocks(folder: string, options: { level?: RuleLevel } = {}): Generator<CheckResult> {
  const blocks = assetBlocks(folder);
  if (blocks.length === 0 || readText(folder, "vertices.jsonl") !== undefined) return;
  const recording = openRecording(folder);
  const replay = replayOf(recording, options);
  replay.genesis(recording.assetGenesis.bytes);
  feedOtherChains(recording, replay);
  const refused = refusedTxs(folder);
  for (const { line, height, bytes } of blocks) {
    const { id, acceptedAt, bytes: hasInnerId } = JSON.parse(line) as { id: string; acceptedAt: string | null; bytes?: string };
    const clock = acceptedAt === null ? 0n : BigInt(Math.floor(Date.parse(acceptedAt) / 1000));
    const failure = checkBlock({ height, bytes, ...(hasInnerId && { id }) }, replay, clock);
    yield check(`X block ${height}`, failure);
    if (failure !== undefined) return;
    if (options.level === "replay") continue;
    for (const item of refused.get(height) ?? []) yield checkRefusedTx(item, replay, clock);
  }
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
    const vertex = replay.chain.parseVertex(fromHex(recorded.bytes));
    if (formatId(vertex.id) !== recorded.id) throw new Error(`is ${formatId(vertex.id)}, not ${recorded.id}`);
    const executed = replay.executeVertex(vertex, clock).txs.map(({ txId }) => formatId(txId));
    const text = difference(executed.join(), recorded.executedHere.join());
    if (text !== undefined) throw new Error(text);
  });
  return check(name, failure);
}

function checkRefusedVertex(item: RefusedContainer, replay: AssetReplay, clock: bigint): CheckResult {
  let stage = "parse";
  const actual = refusal(replay, () => {
    const vertex = replay.chain.parseVertex(fromHex(item.bytes));
    stage = "verify tx";
    replay.verifyVertex(vertex, clock);
  });
  return check(`refused vertex: ${item.label}`, difference(`${stage}: ${actual}`, `${item.stage}: ${item.error}`));
}

function checkRefusedBlock(item: RefusedContainer, replay: AssetReplay): CheckResult {
  const clock = BigInt(item.clock!);
  const actual = refusal(replay, () => replay.execute(replay.chain.parse(fromHex(item.bytes)), clock));
  return check(`refused block: ${item.label}`, difference(actual, item.error));
}

function checkRefusedTx({ label, hex, response }: RefusedTx, replay: AssetReplay, clock: bigint): CheckResult {
  const actual = refusal(replay, () => replay.verifyTx(fromChecksummedHex(hex), clock));
  return check(`refused X transaction: ${label}`, difference(actual, response.error?.message ?? "accepted"));
}

/** Refused transactions by the X height at which they were tried. Texts about the request's encoding are the RPC layer's. */
function refusedTxs(folder: string): Map<bigint, RefusedTx[]> {
  const byHeight = new Map<bigint, RefusedTx[]>();
  for (const line of readLines(folder, "rejected.jsonl")) {
    const item = JSON.parse(line) as RefusedTx & { chain: string; accepted: boolean; heights: { X: number } };
    const isEncoding = item.response.error?.message.startsWith("problem decoding transaction");
    if (item.chain !== "X" || item.accepted || isEncoding) continue;
    const height = BigInt(item.heights.X);
    byHeight.set(height, [...(byHeight.get(height) ?? []), item]);
  }
  return byHeight;
}

/** What other chains put for X before the recording starts. */
function sharedPuts(folder: string, { network }: Recording): { source: Id; element: SharedElement }[] {
  const sources: Record<string, Id> = { P: PLATFORM_CHAIN_ID, C: network.cChainId };
  return readLines(folder, "sharedmemory.jsonl")
    .map((line) => JSON.parse(line) as { by: string; op: string; key: string; value: string; traits?: string[] })
    .filter(({ by, op }) => by !== "X" && op === "put")
    .map(({ by, key, value, traits = [] }) => ({ source: sources[by]!, element: { key: parseId(key), bytes: fromHex(value), traits } }));
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
function refusal(replay: AssetReplay, run: () => unknown): string {
  try {
    run();
    return "accepted";
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return error instanceof CodecError ? codecErrorText(error, replay.chain.codec) : error.message;
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

function difference(actual: string, expected: string): string | undefined {
  return actual === expected ? undefined : `got ${actual}\n  expected ${expected}`;
}

function check(name: string, failure: string | undefined): CheckResult {
  return failure === undefined ? { name } : { name, failure };
}
