/** Starts a devnet and its server, for `firn devnet` and `startDevnet`. */
import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import { checkedAccounts } from "../../devnet/account-options.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import { openDevnetNetwork } from "../../devnet/devnet-file.ts";
import type { LocalNetworkOptions } from "../../devnet/devnet-network.ts";
import type { ServeDevnetOptions } from "../serve-devnet.ts";
import { describeNetwork, type NetworkDescription } from "./describe.ts";
import { makeTemporaryFolder, removeLeftovers } from "./temporary-folder.ts";

interface LaunchOptions {
  /** by default a temporary folder, which is removed at the end */
  readonly dataDirectory?: string | undefined;
  readonly network: Omit<LocalNetworkOptions, "now">;
  readonly blockTimeMs?: number | undefined;
  /** false: the C-chain does not run */
  readonly hasEvm?: boolean | undefined;
  /** path of an anvil binary; by default the one in the package for this platform */
  readonly evmBinary?: string | undefined;
  /** takes transactions of the C-chain that name no chain */
  readonly allowUnprotectedTxs?: boolean | undefined;
  /** whether `safe` and `finalized` are the C-chain's last settled block, not its newest */
  readonly settlement?: boolean | undefined;
  /** towards which blocks of the C-chain move the minimum gas price, in wei */
  readonly minGasPrice?: bigint | undefined;
  /** false: warp messages between messengers are not delivered */
  readonly relays?: boolean | undefined;
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

/** Resolves once both interfaces answer. Throws FirnErrors whose messages say what to do; nothing is left running then. */
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
    // run later, because it takes time and nobody needs its result
    if (temporary !== undefined) setImmediate(() => removeLeftovers());
    return { ...launched, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends in reverse order of the start; if one fails to end, the others still do. */
async function endAll(started: (() => unknown)[]): Promise<void> {
  const end = started.pop();
  if (end === undefined) return;
  try {
    await end();
  } finally {
    await endAll(started);
  }
}

function refuseWithoutEvm(error: Error): never {
  const advice = "name a working anvil with --evm (evmBinary), or run without the C-chain: --no-evm (hasEvm: false)";
  throw new FirnError("no-evm", `${error.message}; ${advice}`, {}, { cause: error });
}

async function launchIn(dataDirectory: string, options: LaunchOptions, onStarted: (end: () => Promise<void>) => void) {
  const { log, blockTimeMs, skipsMempoolRules, hasEvm = true, evmBinary, allowUnprotectedTxs = false, relays = true } = options;
  const { settlement = false, minGasPrice } = options;
  // Load the server's code while the network is made
  const server = import("../serve-devnet.ts");
  const { Devnet } = await import("../../devnet/devnet.ts");
  const now = BigInt(Math.floor(Date.now() / 1000));
  const accounts = await checkedAccounts(options.network);
  const opened = openDevnetNetwork(dataDirectory, { ...options.network, ...accounts, now });
  const { network, networkFile, startTime, accountKeys, mnemonic } = opened;
  const devnet = await Devnet.open({
    dataDirectory,
    isTemporary: options.dataDirectory === undefined,
    network,
    networkFile,
    accountKeys,
    log,
    relays,
    evm: hasEvm && {
      allowsUnprotectedTxs: allowUnprotectedTxs,
      settles: settlement,
      ...(minGasPrice !== undefined && { minGasPrice }),
      ...(evmBinary !== undefined && { binary: evmBinary }),
      ...(options.serve?.limits && { limits: options.serve.limits }),
    },
    ...(blockTimeMs !== undefined && { blockTimeMs }),
    ...(skipsMempoolRules !== undefined && { skipsMempoolRules }),
    ...(startTime !== undefined && { startTime }),
  });
  onStarted(() => devnet.stop());
  const { serveDevnet } = await server;
  const serving = await serveDevnet(devnet, { httpPort: 0, ...options.serve, dataDirectory, log });
  onStarted(() => serving.stop());
  await devnet.evm?.started().catch(refuseWithoutEvm);
  const spec = devnet.evm?.spec;
  if (minGasPrice !== undefined && spec?.isSaevmAt(spec.genesis.timestamp)) await devnet.beginEvm();
  return { devnet, description: describeNetwork(devnet, { url: serving.url, dataDirectory, mnemonic }) };
}
