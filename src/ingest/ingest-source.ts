/** Brings a store up to the end of a source: writes genesis if the store is empty, and ingests the rest. */
import { DagCheck } from "../asset/vertex-dag.ts";
import { RuleError } from "../network/execution.ts";
import { CodecError } from "../primitives/codec/error.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Id } from "../primitives/id.ts";
import type { RuleLevel } from "../primitives/rule-level.ts";
import type { Source } from "../source/source.ts";
import type { Store } from "../store/store.ts";
import { type NodeChains, openChains, startFromGenesis } from "./chains.ts";
import { type BatchLimits, type Committed, Ingester } from "./ingester.ts";
import type { ChainsState } from "./steps.ts";

export interface IngestSourceOptions {
  readonly store: Store;
  readonly source: Source;
  readonly level: RuleLevel;
  readonly limits?: BatchLimits;
  readonly onCommit?: (committed: Committed, state: ChainsState) => void;
  /** called once with a sentence that says what a chain has been waiting for, after a delay */
  readonly onWaiting?: (sentence: string) => void;
  readonly onQueues?: (waiting: ReadonlyMap<Id, number>) => void;
  readonly signal?: AbortSignal;
}

/** Returns the chains as they are afterwards. A rejected block leaves the store at the last good height. */
export async function ingestSource({ store, source, level, signal, ...options }: IngestSourceOptions): Promise<NodeChains> {
  const ingester = new Ingester({ store, open: () => openAtGenesis({ store, source, level }), ...options });
  await ingester.run(source, signal);
  return ingester.chains();
}

/** The chains as the store has them. Writes genesis if it is empty. */
export async function openAtGenesis({
  store,
  source,
  level,
}: Pick<IngestSourceOptions, "store" | "source" | "level">): Promise<NodeChains> {
  const { network, networkFile, otherChains, hasVertices } = source;
  const chains = await openChains(store, { network, level, otherChains });
  if (!chains.hasState || !chains.progress.heights.has(network.xChainId)) await requireDag(source);
  if (!chains.hasState) await startFromGenesis(store, chains, { networkFile, hasVertices });
  return chains;
}

/** Only the last vertex proves the others: they are all read before the first one is executed. */
async function requireDag({ network, vertices }: Source): Promise<void> {
  if (vertices === undefined) return;
  const dag = new DagCheck();
  try {
    for await (const { bytes } of vertices()) dag.take(bytes);
    dag.finish(network.upgrades.cortinaXChainStopVertexId);
  } catch (error) {
    if (!(error instanceof RuleError) && !(error instanceof CodecError)) throw error;
    throw new FirnError(
      "archive-vertices",
      `the vertices are not those of the X-chain of ${network.name}: ${error.message}; use another archive`,
      {},
      { cause: error },
    );
  }
}
