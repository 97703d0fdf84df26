/**
 * Checks a whole store without changing it. Each step relies on the previous ones: first the pages of the file and the bytes of every row;
 * then the blocks; then the rows, against those that executing the blocks again produces.
 */
import { evmChains } from "../../evm/index/tables.ts";
import { type NodeChains, openChains } from "../../ingest/chains.ts";
import { storeNetwork } from "../../ingest/store-network.ts";
import { isStandalone } from "../../network/standalone.ts";
import { type InspectedStore, inspectStore } from "../../store/inspect.ts";
import { scanAll } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import { Problems } from "./problems.ts";
import { verifyBlocks } from "./verify-blocks.ts";
import { verifyEdits } from "./verify-edits.ts";
import { verifyEntries } from "./verify-entries.ts";
import { verifyDerivedCounts, verifyEvmChain } from "./verify-evm.ts";
import { type ReplayOptions, verifyByReplay } from "./verify-replay.ts";

interface VerifyOptions extends Pick<ReplayOptions, "directory" | "scratch" | "onCommit"> {
  /** Milliseconds that executing blocks may take; undefined: no limit. */
  readonly replayMs: number | undefined;
  /** called with a description of each phase */
  readonly onPhase?: (phase: string) => void;
  readonly signal: AbortSignal;
}

export interface Verdict {
  readonly isSound: boolean;
  /** the first problems, as sentences */
  readonly problems: readonly string[];
  readonly problemCount: number;
  /** number of rows in the store */
  readonly rows: number;
  /** number of stored blocks of P, X, C and other executed chains; undefined if the store has no such chain */
  readonly blocks: number | undefined;
  /** share of these blocks that were executed again, from 0 to 1 */
  readonly replayed: number | undefined;
  /** number of rows compared with those of the replay */
  readonly compared: number | undefined;
  /** number of EVM chain blocks whose rows were derived again */
  readonly evmBlocks: number | undefined;
  /** Whether it was stopped before it was done. */
  readonly isStopped: boolean;
}

export function verifyStore(options: VerifyOptions): Promise<Verdict> {
  return inspectStore(options.directory, (store) => verifyInspected(store, options));
}

async function verifyInspected(store: InspectedStore, options: VerifyOptions): Promise<Verdict> {
  const { onPhase = () => {}, signal, directory } = options;
  const problems = new Problems();
  onPhase("reading all pages and rows");
  const counts = await verifyEntries(store, problems, signal);
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const found: { -readonly [N in keyof Verdict]?: Verdict[N] } = {};
  // what cannot be read cannot be executed; without this row there is no genesis yet
  if (problems.count === 0 && counts.has(storeFormat.id) && !signal.aborted) {
    const { network } = await storeNetwork(store.reader, directory);
    if (!isStandalone(network)) {
      const chains = await openChains(store.reader, { network, level: "replay", projections: [] });
      Object.assign(found, await verifyExecuted(store, chains, options, problems));
    }
    onPhase("checking edits of accounts");
    await verifyEdits(store.reader, problems, signal);
    const derived = new Map<number, number>();
    for await (const { key } of scanAll(store.reader, evmChains)) {
      if (signal.aborted) break;
      onPhase(`deriving the lists of EVM chain ${key.chain} again`);
      found.evmBlocks = (found.evmBlocks ?? 0) + (await verifyEvmChain(store.reader, key.chain, { problems, derived, signal }));
    }
    if (!signal.aborted) verifyDerivedCounts(counts, derived, problems);
  }
  return {
    isSound: problems.count === 0,
    problems: problems.first,
    problemCount: problems.count,
    rows,
    blocks: found.blocks,
    replayed: found.replayed,
    compared: found.compared,
    evmBlocks: found.evmBlocks,
    isStopped: signal.aborted,
  };
}

async function verifyExecuted(store: InspectedStore, chains: NodeChains, options: VerifyOptions, problems: Problems) {
  const { onPhase = () => {}, signal, replayMs } = options;
  onPhase("hashing all blocks");
  const blocks = await verifyBlocks(store.reader, chains, problems, signal);
  if (signal.aborted || problems.count > 0) return { blocks };
  onPhase("executing blocks again");
  const enough = replayMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(replayMs)]);
  const { fraction, rows } = await verifyByReplay(store, { ...options, enough }, problems);
  return { blocks, replayed: fraction, compared: rows };
}
