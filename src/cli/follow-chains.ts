/** What `firn follow` does; loaded when it runs. */
import { once } from "node:events";
import type { EvmChainEntry } from "../evm/chain-entry.ts";
import type { TokenTiming } from "../ingest/evm/followed-chain.ts";
import type { FollowedChains } from "../ingest/evm/followed-chains.ts";
import { openFollowedStore } from "../ingest/evm/followed-store.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import type { LiveEvmChains } from "../server/evm-chains.ts";
import { serveStore } from "../server/serve.ts";
import { type Config, ConfigError } from "./config.ts";
import { FollowProgress } from "./follow-progress.ts";
import { openLog } from "./log.ts";
import { httpOptions, servingText } from "./serve.ts";

/** Resolves when it was stopped and everything is committed. */
export async function follow(
  config: Config,
  entries: readonly EvmChainEntry[],
  signal: AbortSignal,
  tell: (text: string) => void,
  tokenTiming: TokenTiming = {},
): Promise<void> {
  if (entries.length === 0) {
    throw new ConfigError("config", "there are no chains to follow; name one with --rpc <url>, or several with chains in a --config file");
  }
  const log = openLog(config);
  const { dataDir: directory, maxStoreBytes, workers } = config;
  const progress = new FollowProgress({ log, terminal: process.stderr });
  const followed = await openFollowedStore({
    directory,
    maxStoreBytes,
    entries,
    log,
    tokenTiming,
    onCommit: progress.committed.bind(progress),
  });
  try {
    const { network } = await storeNetwork(followed.store, directory);
    const options = {
      ...httpOptions(config),
      dataDirectory: directory,
      evmRpcs: entries.map(({ rpc }) => rpc),
      workers,
      log,
    };
    const serving = await serveStore({ store: followed.store, network }, options, liveChains(followed.chains));
    tell(servingText(serving.url));
    if (!signal.aborted) await once(signal, "abort");
    progress.end();
    await serving.stop();
  } finally {
    progress.end();
    await followed.close();
  }
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
