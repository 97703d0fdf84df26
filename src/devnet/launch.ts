/** Starts a devnet and serves it: what `firn devnet` and `startDevnet` have in common. */
import type { Logger } from "pino";
import type { ServeDevnetOptions } from "../server/serve-devnet.ts";
import { describeNetwork, type NetworkDescription } from "./describe.ts";
import type { Devnet } from "./devnet.ts";
import { openDevnetNetwork } from "./devnet-file.ts";
import type { LocalNetworkOptions } from "./local-network.ts";
import { makeTemporaryFolder, removeLeftovers } from "./temporary-folder.ts";

export interface LaunchOptions {
  /** by default a temporary one that goes at the end */
  readonly dataDirectory?: string | undefined;
  readonly network: Omit<LocalNetworkOptions, "now">;
  readonly blockTimeMs?: number | undefined;
  /** false: no C-chain runs */
  readonly hasEvm?: boolean | undefined;
  /** of anvil; by default the one in the package for this platform */
  readonly evmBinary?: string | undefined;
  readonly skipsMempoolRules?: boolean | undefined;
  readonly serve?: Omit<ServeDevnetOptions, "dataDirectory" | "log">;
  readonly log: Logger;
}

export interface Launched {
  readonly devnet: Devnet;
  readonly description: NetworkDescription;
  /** May be called again. */
  stop(): Promise<void>;
}

/** Resolves once both interfaces answer. Throws FirnErrors whose messages say what to do; then nothing is left running. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const temporary = options.dataDirectory === undefined ? makeTemporaryFolder() : undefined;
  const started: (() => unknown)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= endAll(started);
    return stopped;
  };
  try {
    if (temporary !== undefined) started.push(temporary.remove);
    const launched = await launchIn(options.dataDirectory ?? temporary!.path, options, (end) => started.push(end));
    // it takes time that nobody should wait for
    if (temporary !== undefined) setImmediate(() => removeLeftovers());
    return { ...launched, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What was started last ends first; what fails to end keeps nothing else from it. */
async function endAll(started: (() => unknown)[]): Promise<void> {
  const end = started.pop();
  if (end === undefined) return;
  try {
    await end();
  } finally {
    await endAll(started);
  }
}

async function launchIn(dataDirectory: string, options: LaunchOptions, onStarted: (end: () => Promise<void>) => void) {
  const { log, blockTimeMs, skipsMempoolRules, hasEvm = true, evmBinary } = options;
  // The server's code loads while the network is made
  const server = import("../server/serve-devnet.ts");
  const { openDevnet } = await import("./devnet.ts");
  const now = BigInt(Math.floor(Date.now() / 1000));
  const { network, networkFile, startTime } = openDevnetNetwork(dataDirectory, { ...options.network, now });
  const devnet = await openDevnet({
    dataDirectory,
    isTemporary: options.dataDirectory === undefined,
    network,
    networkFile,
    log,
    evm: hasEvm && { ...(evmBinary !== undefined && { binary: evmBinary }) },
    ...(blockTimeMs !== undefined && { blockTimeMs }),
    ...(skipsMempoolRules !== undefined && { skipsMempoolRules }),
    ...(startTime !== undefined && { startTime }),
  });
  onStarted(() => devnet.stop());
  const { serveDevnet } = await server;
  const serving = await serveDevnet(devnet, { httpPort: 0, ...options.serve, dataDirectory, log });
  onStarted(() => serving.stop());
  return { devnet, description: describeNetwork(devnet, { url: serving.url, dataDirectory }) };
}
