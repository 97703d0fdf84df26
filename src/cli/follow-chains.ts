/** Implements `firn follow` and `firn ingest`; loaded when one of them runs. */
import type { Logger } from "pino";
import type { EvmChainEntry } from "../evm/chain-entry.ts";
import type { TokenTiming } from "../evm/ingest/followed-chain.ts";
import type { FollowedChains } from "../evm/ingest/followed-chains.ts";
import { followInto } from "../evm/ingest/followed-store.ts";
import { compileLess } from "../ingest/compile-less.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import { FirnError } from "../primitives/errors.ts";
import { pause } from "../primitives/pause.ts";
import type { LiveEvmChains } from "../server/evm-chains.ts";
import { serveStore } from "../server/serve.ts";
import { type FolderStore, openCatchUpStore } from "../store/open.ts";
import { SharedAnswers } from "../upstream/shared-answers.ts";
import { type Config, ConfigError } from "./config.ts";
import { openPrimary } from "./follow-network.ts";
import { FollowProgress } from "./follow-progress.ts";
import type { INGEST_KEYS } from "./ingest.ts";
import { openLog } from "./log.ts";
import { httpOptions, servingText } from "./serve.ts";

const HOUR_MS = 3_600_000;

type IngestConfig = Pick<Config, (typeof INGEST_KEYS)[number] | "logLevel">;

interface Followed {
  readonly store: FolderStore;
  readonly chains: FollowedChains;
  readonly log: Logger;
}

/** Follows and serves. Resolves when it was stopped and everything is committed. */
export function follow(
  config: Config,
  entries: readonly EvmChainEntry[],
  signal: AbortSignal,
  tell: (text: string) => void,
  tokenTiming: TokenTiming = {},
): Promise<void> {
  const { dataDir: directory, upstream: upstreams, workers } = config;
  return followWhile(config, entries, { signal, tokenTiming, answering: workers }, async ({ store, chains, log }, ends) => {
    const { network } = await storeNetwork(store, directory);
    const evmRpcs = entries.map(({ rpc }) => rpc);
    const options = { ...httpOptions(config), dataDirectory: directory, evmRpcs, upstreams, workers, log };
    const serving = await serveStore({ store, network }, options, liveChains(chains));
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
  return followWhile(config, entries, { signal }, async () =>
    tell(`following into ${config.dataDir}; to answer requests from it, run: firn serve --data-dir ${config.dataDir}`),
  );
}

/** @param answering number of processes of this command that answer requests @param started called once everything is followed; adds what is to be stopped before the store closes */
async function followWhile(
  config: IngestConfig,
  entries: readonly EvmChainEntry[],
  {
    signal,
    tokenTiming = {},
    answering = 0,
  }: { readonly signal: AbortSignal; readonly tokenTiming?: TokenTiming; readonly answering?: number | undefined },
  started: (followed: Followed, ends: (() => unknown)[]) => Promise<void>,
): Promise<void> {
  const { dataDir: directory, maxStoreBytes, limits, readThreads } = config;
  requireSomething(config, entries);
  const log = openLog(config);
  const progress = new FollowProgress({ log, terminal: process.stderr });
  /** what ends everything that was started, the last one first */
  const ends: (() => unknown)[] = [() => progress.end()];
  try {
    // the network's C-chain may be among the entries
    const shared = config.upstream && entries.length > 0 ? new SharedAnswers({ maxBytes: limits.sharedBlocksBytes }) : undefined;
    const [sharedBlocks, blocks] = shared?.readers ?? [];
    // Several processes that answer would go on with the data file as it was
    const catchUp = { log, endsWhenQuiet: true, ...(answering > 1 && { bounds: { startBytes: Number.POSITIVE_INFINITY } }) };
    const parts = { log, progress, signal, sharedBlocks, catchUp };
    const primary = config.upstream && (await openPrimary({ ...config, upstream: config.upstream }, parts));
    const store =
      primary?.store ?? (await openCatchUpStore({ directory, ...(maxStoreBytes !== undefined && { maxBytes: maxStoreBytes }) }, catchUp));
    ends.unshift(() => store.close());
    if (primary !== undefined) {
      const running = primary.run(signal);
      ends.unshift(() => Promise.all([primary.source.close(), running]));
    }
    const own = primary && blocks && { blockchainId: primary.source.network.cChainId, blocks };
    const chains = await followInto(store, {
      entries,
      limits,
      log,
      own,
      tokenTiming,
      readThreads,
      onCommit: progress.committed.bind(progress),
    });
    ends.unshift(() => chains.stop());
    await started({ store, chains, log }, ends);
    // Also keeps a process alive that has nothing to read: its chains were refused, say, which health tells
    while (!signal.aborted) await pause(HOUR_MS, signal);
  } catch (error) {
    // stopped before a node had answered
    if (!(error instanceof FirnError && error.code === "upstream-aborted")) throw error;
  } finally {
    for (const end of ends) await end();
  }
}

function requireSomething({ network, upstream }: Pick<Config, "network" | "upstream">, entries: readonly EvmChainEntry[]): void {
  if (network !== undefined && upstream === undefined) {
    throw new ConfigError("config", "--network needs a node of that network; name one with --upstream <url>");
  }
  if (upstream !== undefined || entries.length > 0) return;
  throw new ConfigError(
    "config",
    "nothing to follow; name a network with --network <name> --upstream <url>, an EVM chain with --rpc <url>, or several with chains in a --config file",
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
