/** Implements `firn follow` and `firn ingest`; loaded when one of them runs. */
import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import type { EvmChainEntry } from "../../evm/chain-entry.ts";
import type { TokenTiming } from "../../evm/ingest/followed-chain.ts";
import type { FollowedChains } from "../../evm/ingest/followed-chains.ts";
import { followIntoStore } from "../../evm/ingest/followed-store.ts";
import { compileLess } from "../../ingest/compile-less.ts";
import { storeNetwork } from "../../ingest/store-network.ts";
import type { LiveEvmChains } from "../../serve/evm/evm-chains.ts";
import { serveStore } from "../../serve/serve.ts";
import { SharedAnswers } from "../../sources/upstream/shared-answers.ts";
import { openCatchUpStore } from "../../store/open.ts";
import { placeOf } from "../../store/postgres/address.ts";
import type { LeaseHolder } from "../../store/postgres/place.ts";
import type { Store } from "../../store/store.ts";
import { type Config, ConfigError } from "../config.ts";
import { openLog } from "../log.ts";
import { httpOptions, servingText } from "../serve.ts";
import { storePlace } from "../store/store-place.ts";
import { type FollowedPrimary, openPrimary } from "./follow-network.ts";
import { FollowProgress } from "./follow-progress.ts";
import type { INGEST_KEYS } from "./ingest.ts";

const HOUR_MS = 3_600_000;
const REOPEN_MS = 1000;

type IngestConfig = Pick<Config, (typeof INGEST_KEYS)[number] | "logLevel">;

interface Followed {
  readonly store: Store;
  readonly chains: FollowedChains;
  readonly primary: Pick<FollowedPrimary, "live" | "publicIp"> | undefined;
  readonly log: Logger;
}

/** Follows and serves. Resolves when it was stopped and everything is committed. */
export function followAndServe(
  config: Config,
  entries: readonly EvmChainEntry[],
  signal: AbortSignal,
  tell: (text: string) => void,
  tokenTiming: TokenTiming = {},
): Promise<void> {
  const { dataDir: directory, upstream: upstreams, workers } = config;
  return followUntilEnd(config, entries, { signal, tokenTiming, answering: workers }, async ({ store, chains, primary, log }, ends) => {
    const { network } = await storeNetwork(store, directory);
    const evmRpcs = entries.map(({ rpc }) => rpc);
    const options = {
      ...httpOptions(config),
      dataDirectory: directory,
      store: storePlace(config).postgres?.address,
      evmRpcs,
      upstreams,
      workers,
      log,
      ...(primary?.publicIp !== undefined && { publicIp: primary.publicIp }),
    };
    const serving = await serveStore({ store, network }, options, { chains: liveChains(chains), live: primary?.live });
    ends.unshift(() => serving.stop());
    tell(servingText(serving.url, config));
  });
}

/** Follows without serving: `firn serve` beside it does. Resolves when it was stopped and everything is committed. */
export function ingest(
  config: IngestConfig,
  entries: readonly EvmChainEntry[],
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<void> {
  compileLess();
  const place = config.store === undefined ? config.dataDir : placeOf({ url: config.store });
  return followUntilEnd(config, entries, { signal }, async () =>
    tell(
      `following into ${place}; to answer requests from it, run: firn serve ${config.store === undefined ? "--data-dir" : "--store"} ${place}`,
    ),
  );
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly tokenTiming?: TokenTiming;
  /** processes of this command that answer requests */
  readonly answering?: number | undefined;
}

/** Called once everything is followed; adds what is to be stopped before the store closes. */
type Started = (followed: Followed, ends: (() => unknown)[]) => Promise<void>;

/**
 * Follows until it is stopped. A store in PostgreSQL may be taken over by another process, or be gone for a while: then this one begins
 * again with waiting for it.
 */
async function followUntilEnd(
  config: IngestConfig,
  entries: readonly EvmChainEntry[],
  options: FollowOptions,
  started: Started,
): Promise<void> {
  requireSomething(config, entries);
  const { signal } = options;
  const log = openLog(config);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const loss = new AbortController();
    try {
      await followOneStore(config, entries, { ...options, log, loss, signal: AbortSignal.any([signal, loss.signal]) }, started);
      if (!loss.signal.aborted) return;
      log.warn({ reason: (loss.signal.reason as Error).message }, "Stopped writing the store; waiting to go on");
    } catch (error) {
      if (signal.aborted && !(error instanceof FirnError)) return;
      if (isFirst || !(error instanceof FirnError && error.meaning.mayPass)) throw error;
      log.warn({ reason: error.message }, "The store cannot be opened; trying again");
      await pause(REOPEN_MS, signal);
    }
  }
}

async function followOneStore(
  config: IngestConfig,
  entries: readonly EvmChainEntry[],
  { signal, log, loss, tokenTiming = {}, answering = 0 }: FollowOptions & { readonly log: Logger; readonly loss: AbortController },
  started: Started,
): Promise<void> {
  const { maxStoreBytes, limits, readThreads } = config;
  const progress = new FollowProgress({ log, terminal: process.stderr });
  /** what ends everything that was started, the last one first */
  const ends: (() => unknown)[] = [() => progress.end()];
  try {
    // the network's C-chain may be among the entries
    const shared = config.upstream && entries.length > 0 ? new SharedAnswers({ maxBytes: limits.sharedBlocksBytes }) : undefined;
    const [sharedBlocks, blocks] = shared?.readers ?? [];
    // Several processes that answer would go on with the data file as it was
    const catchUp = { log, endsWhenQuiet: true, ...(answering > 1 && { bounds: { startBytes: Number.POSITIVE_INFINITY } }) };
    const onWaiting = ({ holder }: LeaseHolder) => log.info({ holder }, "Another process writes the store; waiting until it ends");
    const waiting = { signal, onWaiting };
    const parts = { log, progress, signal, sharedBlocks, catchUp, waiting };
    const hasPrimary = config.upstream !== undefined || config.network !== undefined;
    const primary = hasPrimary ? await openPrimary(config, parts) : undefined;
    const store =
      primary?.store ??
      (await openCatchUpStore(
        { ...storePlace(config), waiting, ...(maxStoreBytes !== undefined && { maxBytes: maxStoreBytes }) },
        catchUp,
      ));
    ends.unshift(() => store.close());
    void store.lost?.then((reason) => loss.abort(reason));
    if (primary !== undefined) {
      const running = primary.run(signal);
      ends.unshift(() => Promise.all([primary.source.close(), primary.live?.close(), running]));
    }
    const own = primary && blocks && { blockchainId: primary.source.network.cChainId, blocks };
    const chains = await followIntoStore(store, {
      entries,
      limits,
      log,
      own,
      tokenTiming,
      readThreads,
      onCommit: progress.committed.bind(progress),
    });
    ends.unshift(() => chains.stop());
    await started({ store, chains, primary, log }, ends);
    // Also keeps a process alive that has nothing to read: its chains were refused, say, which health tells
    while (!signal.aborted) await pause(HOUR_MS, signal);
  } catch (error) {
    // stopped before a node had answered
    if (!(error instanceof FirnError && error.code === "upstream-aborted")) throw error;
  } finally {
    await endAll(ends);
  }
}

/** Ends each, also after one that failed; rejects as the first that did. */
export async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function requireSomething({ network, upstream }: Pick<Config, "network" | "upstream">, entries: readonly EvmChainEntry[]): void {
  if (network !== undefined || upstream !== undefined || entries.length > 0) return;
  throw new ConfigError(
    "config",
    "nothing to follow; name a network with --network <name>, an EVM chain with --rpc <url>, or several with chains in a --config file",
  );
}

function liveChains(chains: FollowedChains): LiveEvmChains {
  return {
    find(evmChainId) {
      const chain = chains.find(evmChainId);
      if (chain?.running === undefined) return undefined;
      const { tokens } = chain.running;
      return { rpc: chain.rpc, reindexNft: (token, tokenId) => tokens.reindexNft(token, tokenId) };
    },
  };
}
