/**
 * Adds a chain to the store: assigns its number, completes its settings by what the chain says about itself, and checks that it is the same
 * chain that the store has under this ID.
 */

import { FirnError } from "../../base/errors/errors.ts";
import type { Change } from "../../base/table/table.ts";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import { type Store, type StoreReader, scanAll } from "../../store/store.ts";
import type { EvmChainEntry } from "../chain-entry.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import type { IndexedChain } from "../index/evm-index.ts";
import { evmBlocks, evmChainSettings, evmChains } from "../index/tables.ts";
import { formatSettings } from "../settings-json.ts";
import { type ChainFacts, chainFacts } from "./chain-facts.ts";
import { completeSettings } from "./complete-settings.ts";

export interface OpenChain extends IndexedChain {
  readonly evmChainId: bigint;
  readonly settings: EvmChainSettings;
}

/** The store or the entry does not fit the chain; the operator has to change something. */
export class ChainRefusedError extends FirnError {}

interface OpenChainParts {
  readonly store: Store;
  readonly entry: EvmChainEntry;
  readonly rpc: UpstreamRpc;
  readonly signal?: AbortSignal | undefined;
  /** Runs `register` while nothing else assigns numbers to chains; by default it just runs it. */
  readonly alone?: (register: () => Promise<OpenChain>) => Promise<OpenChain>;
}

/** Rejects with a ChainRefusedError, or with an UpstreamError if no upstream answers. */
export async function openEvmChain(parts: OpenChainParts): Promise<OpenChain> {
  const { store, entry, rpc, signal, alone = (register) => register() } = parts;
  const facts = await chainFacts({ rpc, urls: entry.rpc, reader: store, signal });
  return alone(() => register(parts, facts));
}

async function register({ store, entry, rpc, signal }: OpenChainParts, facts: ChainFacts): Promise<OpenChain> {
  if (entry.evmChainId !== undefined && entry.evmChainId !== facts.evmChainId) {
    throw refused(facts, `${entry.rpc[0]} is of the chain ${facts.evmChainId}, not ${entry.evmChainId}; correct rpc or evmChainId`);
  }
  const found = await findChain(store, facts.evmChainId);
  const startHeight = found.startHeight ?? entry.startBlock ?? 0n;
  if (entry.startBlock !== undefined && entry.startBlock !== startHeight) {
    throw refused(
      facts,
      `the store indexes chain ${facts.evmChainId} from block ${startHeight} on, not ${entry.startBlock}; leave startBlock out or use another --data-dir`,
    );
  }
  await requireSameChain(store, { ...facts, chain: found.chain, startHeight }, rpc, signal);
  const settings = { ...completeSettings(entry, facts), startBlock: startHeight };
  await store.commit(chainChanges(found.chain, facts.evmChainId, settings));
  return {
    chain: found.chain,
    evmChainId: facts.evmChainId,
    startHeight,
    maxReorgDepth: settings.maxReorgDepth,
    hasMetrics: settings.metrics,
    messengers: settings.messengers,
    settings,
  };
}

/** The rows that add a chain to the store. */
export function chainChanges(chain: number, evmChainId: bigint, settings: EvmChainSettings): Change[] {
  return [
    { table: evmChains, key: { chain }, value: { evmChainId, startHeight: settings.startBlock } } as Change,
    { table: evmChainSettings, key: { chain }, value: { settings: formatSettings(settings) } } as Change,
  ];
}

/** The chain's number in the store. A new chain gets the next free number and no first height. */
export async function findChain(
  reader: StoreReader,
  evmChainId: bigint,
): Promise<{ readonly chain: number; readonly startHeight: bigint | undefined }> {
  let next = 0;
  for await (const { key, value } of scanAll(reader, evmChains)) {
    if (value.evmChainId === evmChainId) return { chain: key.chain, startHeight: value.startHeight };
    next = key.chain + 1;
  }
  return { chain: next, startHeight: undefined };
}

/** Two chains can have the same ID; development chains nearly always do. The first block shows the difference. */
async function requireSameChain(
  reader: StoreReader,
  { evmChainId, chain, startHeight }: Pick<ChainFacts, "evmChainId"> & { readonly chain: number; readonly startHeight: bigint },
  rpc: UpstreamRpc,
  signal: AbortSignal | undefined,
): Promise<void> {
  const first = await reader.get(evmBlocks, { chain, height: startHeight });
  if (first === undefined) return;
  const block = await rpc.request("eth_getBlockByNumber", [`0x${startHeight.toString(16)}`, false], { signal, isInteractive: true });
  const hash = typeof block === "object" && block !== null ? (block as { readonly hash?: unknown }).hash : undefined;
  if (hash === `0x${first.hash}`) return;
  throw refused(
    { evmChainId },
    `the store holds another chain ${evmChainId}: its block ${startHeight} is 0x${first.hash}, the node's ${hash ?? "is missing"}; use another --data-dir`,
  );
}

function refused({ evmChainId }: Pick<ChainFacts, "evmChainId">, message: string): ChainRefusedError {
  return new ChainRefusedError("evm-chain-refused", message, { evmChainId });
}
