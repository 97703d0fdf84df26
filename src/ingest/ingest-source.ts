/** Brings a store up to the end of a source: writes genesis if the store is empty, and ingests the rest. */

import type { Id } from "../base/bytes/id.ts";
import { CodecError } from "../base/codec/error.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import { SignaturesAhead } from "../base/signatures/signatures-ahead.ts";
import { defaultThreads } from "../base/signatures/start-worker.ts";
import { DagCheck } from "../chains/asset/vertex-dag.ts";
import { platformChain } from "../chains/platform/tables.ts";
import { RuleError } from "../network/execution.ts";
import type { Source } from "../sources/source.ts";
import type { Store } from "../store/store.ts";
import { type NodeChains, openChains, startFromGenesis } from "./chains.ts";
import { type BatchLimits, type Committed, Ingester } from "./ingester.ts";
import type { ChainsState } from "./steps.ts";

export interface IngestSourceOptions {
  readonly store: Store;
  readonly source: Source;
  readonly level: RuleLevel;
  readonly limits?: BatchLimits;
  /** threads that recover signers ahead of execution; 0: none. By default one less than there are processors, 1 to 8 */
  readonly readThreads?: number | undefined;
  readonly onCommit?: (committed: Committed, state: ChainsState) => void;
  /** called once with a sentence that says what a chain has been waiting for, after a delay */
  readonly onWaiting?: (sentence: string) => void;
  readonly onQueues?: (waiting: ReadonlyMap<Id, number>) => void;
  readonly signal?: AbortSignal;
}

/** Returns the chains as they are afterwards. A rejected block leaves the store at the last good height. */
export async function ingestSource({
  store,
  source,
  level,
  signal,
  readThreads = defaultThreads(),
  ...options
}: IngestSourceOptions): Promise<NodeChains> {
  const signatures = new SignaturesAhead(readThreads);
  try {
    const ingester = new Ingester({ store, open: () => openAtGenesis({ store, source, level, signatures }), ...options });
    await ingester.run(source, signal);
    return await ingester.chains();
  } finally {
    await signatures.close();
  }
}

interface OpenOptions extends Pick<IngestSourceOptions, "store" | "source" | "level"> {
  readonly signatures?: SignaturesAhead;
}

/** Writes genesis into a store without chains, so that whatever else is written there comes behind it. */
export async function writeGenesis(options: OpenOptions): Promise<void> {
  if ((await options.store.get(platformChain, { slot: 0 })) === undefined) await openAtGenesis(options);
}

/** The chains as the store has them. Writes genesis if it is empty. */
export async function openAtGenesis({ store, source, level, signatures }: OpenOptions): Promise<NodeChains> {
  const { network, networkFile, otherChains, hasVertices } = source;
  const chains = await openChains(store, { network, level, otherChains, signatures });
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
