/**
 * The checks of `/ext/health` that apply to a data node: chains, database, disk and keys, and the block source instead of peers. Names,
 * messages and errors are the node's (rpc-avm-info-health 6.5, 6.6); `index`, which reports the data's freshness, is Firn's own.
 */

import type { ChainProgress } from "../../api/state/chain-progress.ts";
import { type EvmUpstream, MOST_UNTRACED } from "../../api/state/evm-progress.ts";
import { readFollowedSource } from "../../api/state/followed-source.ts";
import type { Check, CheckOutcome, Clock } from "../../api/state/health-checks.ts";
import { GLOBAL_TAG } from "../../api/state/health-report.ts";
import type { NodeIdentity } from "../../api/state/identity.ts";
import type { PeerSource } from "../../api/state/node-facts.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import type { JsonObject } from "../../base/json/go-encode.ts";
import { platformStakers, platformStakingInfo } from "../../chains/platform/tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { PeersReport } from "../../sources/source.ts";
import { isInDatabase, isReplicated, type PlaceState, type Store, type StoreReader, scanAll } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import { futureUpgradeCheck, networkCheck, networkingOf, peersReport, routerCheck } from "./peer-checks.ts";

export interface HealthLimits {
  /** seconds after which a chain counts as stalled, if its height has not moved although its source has more blocks */
  readonly stallSeconds: number;
  /** most seconds that the index may lag behind its source */
  readonly maxSecondsBehind: number;
  /** the check fails if a smaller share of the disk is free */
  readonly diskWarningPercentage: number;
  /** below this share the node could not continue to write */
  readonly diskRequiredPercentage: number;
}

export const DEFAULT_LIMITS: HealthLimits = {
  stallSeconds: 60,
  maxSecondsBehind: 60,
  diskWarningPercentage: 10,
  diskRequiredPercentage: 3,
};

export interface DiskUsage {
  readonly availableBytes: bigint;
  readonly totalBytes: bigint;
}

export interface CheckedParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly identity: NodeIdentity;
  readonly peerSource: PeerSource;
  /** kind of the block source at present, e.g. "archive" */
  sourceName(): Promise<string>;
  readonly limits: HealthLimits;
  readonly clock: Clock;
  diskUsage(): Promise<DiskUsage>;
  /** what is wrong with the store's files; undefined if nothing */
  storeProblem(): Promise<string | undefined>;
  /** what is wrong with the C-chain's EVM; undefined if nothing. Absent if no EVM runs */
  evmProblem?(): string | undefined;
  /** the chains of a devnet's L1s; `error`: what is wrong with one that runs */
  l1s?(): readonly { readonly name: string; readonly subnet: string; readonly message: JsonObject; readonly error: string | undefined }[];
}

export function globalChecks(parts: CheckedParts, progress: readonly ChainProgress[]): Check[] {
  const global = (name: string, run: () => Promise<CheckOutcome>): Check => ({ name, tags: [GLOBAL_TAG], run });
  return [
    bootstrappedCheck(progress),
    global("bls", () => checkBlsKey(parts)),
    global("database", () => checkDatabase(parts)),
    global("diskspace", () => checkDiskSpace(parts)),
    global("futureupgrade", async () =>
      futureUpgradeCheck(parts.network, await peersReport(parts.store), Number(parts.clock.now() / 1_000_000n)),
    ),
    global("index", () => checkIndex(parts, progress)),
    global("network", async () => checkNetwork(parts, await peersReport(parts.store))),
    global("router", async () => routerCheck(await peersReport(parts.store))),
  ];
}

async function checkNetwork(parts: CheckedParts, report: PeersReport | undefined): Promise<CheckOutcome> {
  const { store, peerSource, sourceName } = parts;
  const source = await readFollowedSource(store);
  const upstreams = source === undefined ? {} : { upstreams: source.upstreams.map(shownUpstream) };
  const { message, error } =
    report === undefined
      ? { message: { connectedPeers: peerSource.peers().length, sendFailRate: 0 }, error: undefined }
      : networkCheck(report, await isValidator(parts));
  return { message: { ...(message as JsonObject), source: await sourceName(), ...upstreams }, error };
}

async function isValidator({ store, identity }: CheckedParts): Promise<boolean> {
  return (await store.get(platformStakingInfo, { subnetId: PRIMARY_NETWORK_ID, nodeId: identity.nodeId })) !== undefined;
}

/** A place that is left out is no error: others are read in its stead. */
function shownPlace({ name, place, problem, lagSeconds, isRead }: PlaceState): JsonObject {
  return { name, place, isRead, ...(lagSeconds !== undefined && { lagSeconds }), ...(problem !== undefined && { problem }) };
}

/** A node is not told of by its problem alone: others may answer in its place. */
function shownUpstream({ name, state, reason }: EvmUpstream): JsonObject {
  return { name, state, ...(reason !== undefined && { reason }) };
}

/** Also used as the only readiness check. */
export function bootstrappedCheck(progress: readonly ChainProgress[]): Check {
  const subnetsLeft = new Set(progress.filter(({ isServed, isRequired }) => isRequired && !isServed).map(({ subnet }) => subnet));
  const error = subnetsLeft.size === 0 ? undefined : "subnets not bootstrapped";
  return { name: "bootstrapped", tags: [GLOBAL_TAG], run: async () => ({ message: [...subnetsLeft], error }) };
}

export function chainChecks(parts: CheckedParts, progress: readonly ChainProgress[]): Check[] {
  const l1s = (parts.l1s?.() ?? []).map(({ name, subnet, message, error }) => ({
    name,
    tags: [subnet],
    run: async () => ({ message, error }),
  }));
  return [
    ...progress.map((chain) => ({
      name: chain.name,
      tags: [chain.subnet],
      run: async () => checkChain(parts, chain, await peersReport(parts.store)),
    })),
    ...l1s,
  ];
}

function checkChain({ limits, network, evmProblem }: CheckedParts, chain: ChainProgress, report: PeersReport | undefined): CheckOutcome {
  const upstreams = chain.upstreams && { upstreams: chain.upstreams.map(shownUpstream) };
  if (chain.problem !== undefined) return { ...(upstreams && { message: upstreams }), error: chain.problem };
  const consensus = {
    lastAcceptedHeight: chain.height,
    lastAcceptedID: formatId(chain.lastContainerId),
    longestProcessingBlock: "0s",
    processingBlocks: 0,
  };
  const { networking, error: isolation } = networkingOf(chain.isRequired ? report : undefined);
  const { untraced = 0 } = chain;
  const warning = `call traces of ${untraced === MOST_UNTRACED ? "at least " : ""}${untraced} transactions are missing: their internal transactions are not known; Firn requests them again while it follows the chain, or with firn retrace`;
  const message = {
    ...(untraced > 0 && { warning }),
    engine: { consensus, vm: null },
    networking,
    ...upstreams,
  };
  const { blocksBehind, secondsWithoutProgress } = chain;
  const isStalled = blocksBehind > 0n && secondsWithoutProgress > limits.stallSeconds;
  if (chain.chainId === network.cChainId && evmProblem?.() !== undefined) return { message, error: evmProblem() };
  const error = isStalled
    ? `chain stalled: at height ${chain.height} for ${secondsWithoutProgress}s, ${blocksBehind} blocks behind its source; required at most ${limits.stallSeconds}s`
    : isolation;
  return { message, error };
}

async function checkDatabase({ store, storeProblem }: CheckedParts): Promise<CheckOutcome> {
  const problem = await storeProblem();
  if (problem !== undefined) return { error: problem };
  const format = await store.get(storeFormat, { slot: 0 });
  return format === undefined ? { error: "the store is empty: nothing was imported into it" } : {};
}

async function checkDiskSpace({ store, diskUsage, limits }: CheckedParts): Promise<CheckOutcome> {
  const { availableBytes, totalBytes } = await diskUsage();
  const growable = await store.availableBytes();
  const percentage = totalBytes === 0n ? 0 : Number((availableBytes * 100n) / totalBytes);
  const message = {
    availableDiskBytes: growable !== undefined && growable < availableBytes ? growable : availableBytes,
    availableDiskPercentage: percentage,
  };
  const { diskWarningPercentage: warning, diskRequiredPercentage: required } = limits;
  const remaining = `remaining available disk space percentage (${percentage}%) is below`;
  if (percentage < required) return { message, error: `${remaining} minimum required available space percentage (${required}%)` };
  if (percentage < warning) return { message, error: `${remaining} warning threshold available space percentage (${warning}%)` };
  return { message };
}

async function checkBlsKey(parts: CheckedParts): Promise<CheckOutcome> {
  const { store } = parts;
  const { nodeId, blsPublicKey } = parts.identity;
  if (!(await isValidator(parts))) return { message: "node is not a validator" };
  const registered = await registeredBlsKey(store, nodeId);
  if (registered === undefined) return { message: "validator doesn't have a BLS key" };
  if (registered === blsPublicKey) return { message: "node has the correct BLS key" };
  return { error: `node has BLS key 0x${blsPublicKey}, but is registered to the validator set with 0x${registered}` };
}

/** Reads all stakers, once per pass, and only on a node that validates. */
async function registeredBlsKey(reader: StoreReader, nodeId: string): Promise<string | undefined> {
  for await (const { value } of scanAll(reader, platformStakers)) {
    if (value.isCurrent && value.nodeId === nodeId && value.subnetId === PRIMARY_NETWORK_ID && value.publicKey !== undefined) {
      return value.publicKey;
    }
  }
  return undefined;
}

async function checkIndex({ limits, store }: CheckedParts, progress: readonly ChainProgress[]): Promise<CheckOutcome> {
  const served = progress.filter(({ isServed }) => isServed);
  const chains = served.map(({ name, height, lastBlockAgeSeconds, secondsBehind }): [string, JsonObject] => [
    name,
    { height, lastBlockAgeSeconds, secondsBehind },
  ]);
  const late = served.filter(({ secondsBehind }) => secondsBehind > limits.maxSecondsBehind);
  const reasons = late.map(({ name, secondsBehind }) => `${name} is ${secondsBehind}s behind its source`);
  const error = reasons.length === 0 ? undefined : `${reasons.join(", ")}; required at most ${limits.maxSecondsBehind}s`;
  const writer = isInDatabase(store) ? { writer: (await store.writer()) ?? "none" } : {};
  const places = isReplicated(store) ? { places: store.places().map(shownPlace) } : {};
  return { message: { chains: Object.fromEntries(chains), ...writer, ...places }, error };
}
