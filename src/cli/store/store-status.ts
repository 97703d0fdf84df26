/** Describes what a store holds: the primary network with the nodes it is followed from, and each EVM chain. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { lagOfChain } from "../../api/state/chain-progress.ts";
import { CommittedStates } from "../../api/state/committed-states.ts";
import { countUntraced, type EvmUpstream, lagOfEvmChain, MOST_UNTRACED, readEvmUpstreams } from "../../api/state/evm-progress.ts";
import {
  type FollowedSource,
  readFollowedSource,
  readSourceQueue,
  type SourceQueue,
  secondsSince,
} from "../../api/state/followed-source.ts";
import { KeptAnswers } from "../../api/state/kept-answers.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { evmChainSettings, evmChainStates, evmChains, evmReorganisations, evmUpstreams } from "../../evm/index/tables.ts";
import { parseSettings } from "../../evm/settings-json.ts";
import { storeNetwork } from "../../ingest/store-network.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { isStandalone } from "../../network/standalone.ts";
import type { UpstreamStatus } from "../../sources/source.ts";
import { catchingUpSentence, storePath } from "../../store/open.ts";
import {
  type DatabaseStore,
  isInDatabase,
  isReplicated,
  type PlaceState,
  type Store,
  type StoreReader,
  scanAll,
} from "../../store/store.ts";

/** As `firn status --json` prints it. Heights are decimal digits, as in the node's JSON. */
export interface StoreStatus {
  /** absent: the store holds EVM chains only */
  readonly network?: NetworkStatus;
  readonly evmChains: readonly EvmChainStatus[];
  readonly store: {
    /** the data directory, or the address of the database without its password */
    readonly directory: string;
    readonly bytes: number;
    /** a sentence; absent: these are the newest rows */
    readonly catchingUp?: string;
    /** of a store in a database: the process that writes it; absent: none does */
    readonly writer?: string;
    /** the database and its replicas; absent: replicas were not given */
    readonly places?: readonly PlaceState[];
  };
}

interface ChainStatus {
  /** absent: no block yet */
  readonly height?: string | undefined;
  /** newest block that the nodes have; absent: unknown, or the chain came from an archive */
  readonly head?: string | undefined;
  readonly secondsBehind: number;
  readonly problem?: string | undefined;
}

interface NetworkStatus extends Partial<FollowedSource> {
  readonly networkId: number;
  readonly name: string;
  readonly chains: readonly (ChainStatus & Partial<SourceQueue> & { readonly name: string; readonly chainId: string })[];
}

interface EvmChainStatus extends ChainStatus {
  readonly evmChainId: string;
  readonly name?: string | undefined;
  /** the first indexed block */
  readonly startHeight: string;
  readonly secondsSilent?: number | undefined;
  /** counting stops at 1,000 */
  readonly untracedTransactions: number;
  readonly upstreams: readonly EvmUpstream[];
  /** blocks that were read and are not indexed yet */
  readonly prefetched: number;
  /** since the chain was first indexed */
  readonly reorganisations: { readonly count: string; readonly blocks: string; readonly deepest: string };
}

export async function storeStatus(store: Store, directory: string): Promise<StoreStatus> {
  const { network } = await (isInDatabase(store) ? storeNetwork(store, store.place, "--store") : storeNetwork(store, directory));
  const stored = await (isInDatabase(store) ? inDatabase(store) : inFolder(directory));
  const states = new CommittedStates(store, network, { kept: new KeptAnswers(0) });
  return states.use(async ({ reader, chains, evmChains: indexed }) => ({
    ...(!isStandalone(network) && { network: await networkStatus(reader, network, chains) }),
    evmChains: await evmStatuses(reader, indexed),
    store: stored,
  }));
}

async function inDatabase(store: DatabaseStore): Promise<StoreStatus["store"]> {
  const [bytes, writer] = await Promise.all([store.sizeBytes(), store.writer()]);
  const places = isReplicated(store) ? { places: store.places() } : {};
  return { directory: store.place, bytes, ...(writer !== undefined && { writer }), ...places };
}

function inFolder(directory: string): StoreStatus["store"] {
  const catchingUp = catchingUpSentence(directory);
  return { directory, bytes: bytesBelow(storePath(directory)), ...(catchingUp !== undefined && { catchingUp }) };
}

type Indexed = Parameters<Parameters<CommittedStates["use"]>[0]>[0];

async function networkStatus(reader: StoreReader, { networkId, name }: NetworkInstance, chains: Indexed["chains"]): Promise<NetworkStatus> {
  const source = await readFollowedSource(reader);
  const statuses = chains.map(async (chain) => {
    const { tip, secondsBehind } = await lagOfChain(reader, chain);
    const { alias, chainId, height } = chain;
    const queue = await readSourceQueue(reader, chainId);
    return { name: alias, chainId: formatId(chainId), height: `${height}`, ...(tip && { head: `${tip.height}` }), secondsBehind, ...queue };
  });
  return { networkId, name, chains: await Promise.all(statuses), ...source };
}

async function evmStatuses(reader: StoreReader, indexed: Indexed["evmChains"]): Promise<EvmChainStatus[]> {
  const statuses: EvmChainStatus[] = [];
  for await (const { key, value } of scanAll(reader, evmChains)) {
    const { chain: number } = key;
    const [state, stored, upstream, reorganised] = await Promise.all([
      reader.get(evmChainStates, { chain: number }),
      reader.get(evmChainSettings, { chain: number }),
      reader.get(evmUpstreams, { chain: number }),
      reader.get(evmReorganisations, { chain: number }),
    ]);
    const { count = 0n, blocks = 0n, deepest = 0n } = reorganised ?? {};
    const chain = indexed.find((one) => one.chain === number);
    const lag = chain && (await lagOfEvmChain(reader, chain));
    statuses.push({
      evmChainId: `${value.evmChainId}`,
      ...(stored && { name: parseSettings(stored.settings).name }),
      startHeight: `${value.startHeight}`,
      ...(state && { height: `${state.height}` }),
      ...(upstream && { head: `${upstream.headHeight}`, secondsSilent: secondsSince(upstream.seenAt) }),
      secondsBehind: lag?.secondsBehind ?? 0,
      problem: lag === undefined ? upstream?.problem || undefined : lag.problem,
      untracedTransactions: await countUntraced(reader, number),
      ...(await readEvmUpstreams(reader, number)),
      reorganisations: { count: `${count}`, blocks: `${blocks}`, deepest: `${deepest}` },
    });
  }
  return statuses;
}

/** The size of the files in a folder. */
function bytesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // files of a store that is catching up go when they are merged
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** For people: a line for the network, one for each EVM chain, one for each node of either, and the store. */
export function statusLines({ network, evmChains, store }: StoreStatus): string[] {
  const lines = [
    ...(network === undefined ? [] : networkLines(network)),
    ...evmChains.flatMap((chain) => [evmLine(chain), ...chain.upstreams.map(upstreamLine)]),
  ];
  if (lines.length === 0) lines.push("no chain yet: no node of a followed chain has answered");
  lines.push(`store in ${store.directory}: ${(store.bytes / 1e6).toFixed(1)} MB`);
  if (store.writer !== undefined) lines.push(`written by ${store.writer}`);
  for (const place of store.places ?? []) lines.push(placeLine(place));
  return store.catchingUp === undefined ? lines : [...lines, store.catchingUp];
}

/** `replica 1 postgres://firn@db2.example.org/firn: 0.2 s behind, is read` */
function placeLine({ name, place, problem, lagSeconds, isRead }: PlaceState): string {
  const lag = lagSeconds === undefined ? "" : `${lagSeconds.toFixed(1)} s behind, `;
  return `${name} ${place}: ${problem ?? `${lag}${isRead ? "is read" : "can be read"}`}`;
}

/** `network 5 (fuji): P 225 of 230 (12 s behind), X 233, C 25` */
function networkLines({ networkId, name, chains, problem, secondsSilent, upstreams = [] }: NetworkStatus): string[] {
  const heights = chains.map((chain) => `${chain.name} ${heightText(chain)}`).join(", ");
  const silence = secondsSilent === undefined ? [] : [`  a node last answered ${secondsSilent} s ago`];
  return [
    `network ${networkId} (${name}): ${heights}`,
    ...upstreams.map(upstreamLine),
    ...(upstreams.length === 0 ? [] : silence),
    ...(problem === undefined ? [] : [`  ${problem}`]),
  ];
}

/** `  http://127.0.0.1:9650: resting after 3 failures (it does not answer); P 225, X 233` */
function upstreamLine({
  name,
  state,
  reason,
  failures,
  heights = {},
  peers,
}: EvmUpstream & Partial<Pick<UpstreamStatus, "heights" | "peers">>): string {
  const after = failures === 0 ? "" : ` after ${failures} ${failures === 1 ? "failure" : "failures"}`;
  const seen = Object.entries(heights).map(([chain, height]) => `${chain} ${height}`);
  if (peers !== undefined)
    return `  ${peersText(peers)}${reason === undefined ? "" : ` (${reason})`}${seen.length === 0 ? "" : `; ${seen.join(", ")}`}`;
  return `  ${name}: ${state}${after}${reason === undefined ? "" : ` (${reason})`}${seen.length === 0 ? "" : `; ${seen.join(", ")}`}`;
}

/** `5 peers, 100 % of the stake` */
function peersText({ connected, validators }: NonNullable<UpstreamStatus["peers"]>): string {
  const stake = validators === undefined ? "" : `, ${Math.floor(validators.connectedShare * 1000) / 10} % of the stake`;
  return `${connected} ${connected === 1 ? "peer" : "peers"}${stake}`;
}

/** `chain 43112 (My L1): 120034 of 4500000, from block 100000 on; no node answers` */
function evmLine(chain: EvmChainStatus): string {
  const { evmChainId, startHeight, untracedTransactions: untraced, problem } = chain;
  const name = chain.name === undefined ? "" : ` (${chain.name})`;
  const start = startHeight === "0" ? "" : `, from block ${startHeight} on`;
  const missing = untraced === 0 ? "" : `; ${untraced === MOST_UNTRACED ? "at least " : ""}${untraced} transactions have no call trace`;
  return `chain ${evmChainId}${name}: ${heightText(chain)}${start}${missing}${problem === undefined ? "" : `; ${problem}`}`;
}

function heightText({ height, head, secondsBehind }: ChainStatus): string {
  if (height === undefined) return head === undefined ? "no block yet" : `no block yet of ${head}`;
  const isBehind = head !== undefined && BigInt(head) > BigInt(height);
  return isBehind ? `${height} of ${head} (${secondsBehind} s behind)` : height;
}
