/** Brings a store to where a source ends: opens it, writes genesis if it is empty, ingests, and sums up. */
import type { RuleLevel } from "../primitives/rule-level.ts";
import type { Source } from "../source/source.ts";
import type { Store } from "../store/store.ts";
import { type NodeChains, openChains, startFromGenesis } from "./chains.ts";
import { type BatchLimits, type Committed, Ingester } from "./ingester.ts";

export interface IngestSourceOptions {
  readonly store: Store;
  readonly source: Source;
  readonly level: RuleLevel;
  readonly limits?: BatchLimits;
  readonly onCommit?: (committed: Committed, chains: NodeChains) => void;
  readonly signal?: AbortSignal;
}

/** Returns the chains as they are afterwards. A rejected block leaves the store at the last good height. */
export async function ingestSource({ store, source, level, limits, onCommit, signal }: IngestSourceOptions): Promise<NodeChains> {
  const { network, networkFile, otherChains, hasVertices } = source;
  const open = async () => {
    const chains = await openChains(store, { network, level, otherChains });
    if (!chains.hasState) await startFromGenesis(store, chains, { networkFile, hasVertices });
    return chains;
  };
  const ingester = new Ingester({ store, open, ...(limits && { limits }), ...(onCommit && { onCommit }) });
  await ingester.run(source, signal);
  return ingester.chains();
}
