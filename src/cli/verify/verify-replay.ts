/** Executes the blocks of a store again, from genesis on, into a second store, and compares the rows. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assetTxs, assetVertices } from "../../chains/asset/tables.ts";
import { atomicTxs } from "../../chains/atomic/tables.ts";
import { platformTxs } from "../../chains/platform/tables.ts";
import {
  blockHeights,
  blocks,
  containerHeights,
  ingestLog,
  peerAbsences,
  sourceQueues,
  sourceState,
  sourceTips,
  storeSource,
  txOrder,
  vertexOrder,
} from "../../index/tables.ts";
import { ingestSource } from "../../ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../../ingest/ingester.ts";
import type { ChainsState } from "../../ingest/steps.ts";
import { openStoreReplay } from "../../ingest/store-replay.ts";
import { keptTables } from "../../serve/kept-tables.ts";
import { type InspectedStore, inspectStore } from "../../store/inspect.ts";
import { openStore } from "../../store/open.ts";
import { storeFormat, storeWriter } from "../../store/tables.ts";
import { compareStores } from "./compare.ts";
import type { Problems } from "./problems.ts";

export interface ReplayOptions {
  /** the data directory of the store */
  readonly directory: string;
  /** where the second store is made and removed again */
  readonly scratch: string;
  /** ends the replay early; then only rows that no later block changes are compared */
  readonly enough: AbortSignal;
  readonly onCommit?: (state: ChainsState, fraction: number) => void;
}

interface ReplayResult {
  /** Whether all blocks were executed and all rows that follow from them compared. */
  readonly isWhole: boolean;
  /** share of the ingested items that was executed again, from 0 to 1 */
  readonly fraction: number;
  /** number of rows that were compared */
  readonly rows: number;
}

/** small batches, so that the end of its time is noticed soon */
const BATCH = { ...DEFAULT_BATCH, blocks: 64 };
/** Tables that do not depend on blocks: who writes, what nodes report about themselves and a chain's tip, and how long they were connected. */
const NOT_COMPARED = new Set([...keptTables, storeWriter, sourceTips, sourceState, sourceQueues, peerAbsences].map(({ id }) => id));
/** Tables whose rows are written once, together with their block. */
const WRITTEN_ONCE = new Set<number>(
  [
    blocks,
    blockHeights,
    containerHeights,
    txOrder,
    vertexOrder,
    ingestLog,
    storeSource,
    storeFormat,
    platformTxs,
    assetTxs,
    assetVertices,
    atomicTxs,
  ].map(({ id }) => id),
);

export async function verifyByReplay(store: InspectedStore, options: ReplayOptions, problems: Problems): Promise<ReplayResult> {
  const scratch = mkdtempSync(join(options.scratch, "verifying-"));
  try {
    const { isWhole, fraction } = await replay(store, scratch, options, problems);
    const rows = await inspectStore(scratch, async (expected) =>
      compareStores({
        found: store,
        expected,
        compares: (id) => (isWhole ? !NOT_COMPARED.has(id) : WRITTEN_ONCE.has(id)),
        isPart: !isWhole,
        problems,
      }),
    );
    return { isWhole, fraction, rows };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A refused block is a problem and ends the replay. */
async function replay(
  { reader }: InspectedStore,
  scratch: string,
  { directory, enough, onCommit = () => {} }: ReplayOptions,
  problems: Problems,
): Promise<Omit<ReplayResult, "rows">> {
  const source = await openStoreReplay(reader, directory);
  const [last] = await reader.scan(ingestLog, { reverse: true, limit: 1 });
  const count = last === undefined ? 0 : Number(last.key.sequence) + 1;
  const rebuilt = await openStore({ directory: scratch, mode: "write", network: source.network, isTemporary: true });
  let isRefused = false;
  let executed = 0;
  try {
    await ingestSource({
      store: rebuilt,
      source,
      level: "replay",
      limits: BATCH,
      onCommit: (committed, state) => {
        executed += committed.blocks;
        onCommit(state, executed / count);
      },
      signal: enough,
    });
  } catch (error) {
    isRefused = true;
    problems.add(`its blocks cannot be executed again: ${(error as Error).message}`);
  } finally {
    await rebuilt.close();
  }
  return { isWhole: !isRefused && executed === count, fraction: count === 0 ? 1 : executed / count };
}
