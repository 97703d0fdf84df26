/**
 * A local Avalanche network in the process of a test or program: P, X and C with a funded key, the node's JSON-RPC, the Data API, and a
 * clock that can be moved. `firn devnet` starts the same network. This module is what the package exports.
 */
import { type Logger, pino } from "pino";
import { formatId, formatNodeId, parseId, parseNodeId } from "../../base/bytes/cb58.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { TextError } from "../../base/errors/text-error.ts";
import { didYouMean } from "../../base/text/near-name.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import type { Snapshot } from "../../devnet/devnet-types.ts";
import type { CreatedL1, L1Wish } from "../../devnet/l1/create-l1.ts";
import type { NetworkDescription } from "./describe.ts";
import { launch } from "./launch.ts";

export type { Devnet, NetworkDescription };

export interface StartDevnetOptions {
  /** folder of the network; by default a temporary one that `stop` removes */
  readonly dataDirectory?: string;
  /** by default 127.0.0.1 */
  readonly httpHost?: string;
  /** by default a free port */
  readonly httpPort?: number;
  /** host names that requests may use; by default localhost */
  readonly allowedHosts?: readonly string[];
  /**
   * origins whose web pages may call the network; by default all may read, and pages of this server, of this machine and wallets may also change state
   */
  readonly allowedOrigins?: readonly string[];
  /** shortest time between two blocks of a chain, in milliseconds; by default a transaction is accepted at once */
  readonly blockTimeMs?: number;
  /** `etna`, or `etna,fortuna=+10m,granite=2026-12-01T00:00:00Z`; by default all upgrades are active */
  readonly upgrades?: string;
  /** path of a genesis JSON file; by default the local network's */
  readonly genesisFile?: string;
  /** path of a `network.json` with parameters; by default the one beside the genesis file, else the local network's */
  readonly networkFile?: string;
  /** how many accounts genesis funds on P, X and C, from 1 to 1000, the first of which is ewoq; by default 10 */
  readonly accounts?: number;
  /** words from which the keys after ewoq's follow (BIP-39, m/44'/60'/0'/0/i); by default "test test … junk", as of other development nodes */
  readonly mnemonic?: string;
  /** the C-chain's EVM chain ID; by default 43112 */
  readonly cChainId?: number;
  /** Unix seconds; by default the time that the reference node would choose today */
  readonly genesisTime?: bigint;
  /** the clock's time at the first start, Unix seconds; by default the wall clock's */
  readonly startTime?: bigint;
  /** false: no C-chain runs, and the others start sooner. By default it runs */
  readonly hasEvm?: boolean;
  /** path of another anvil binary for the C-chain; by default the one installed with Firn */
  readonly evmBinary?: string;
  /** takes transactions of the C-chain that name no chain; by default they are refused, as on a node */
  readonly allowUnprotectedTxs?: boolean;
  /** `safe` and `finalized` are the C-chain's last settled block, some behind the newest, as on the C-chain; by default they are the newest */
  readonly settlement?: boolean;
  /**
   * the C-chain's minimum gas price (ACP-283), in wei, from 1 to 2^64 - 1: a new network begins with it, and blocks of another one move towards
   * it. By default they do not
   */
  readonly minGasPrice?: bigint;
  /** false: warp messages between messengers of EVM chains are not delivered. By default they are */
  readonly hasRelayer?: boolean;
  /** accepts transactions that the release's mempool refuses but blocks may contain */
  readonly skipsMempoolRules?: boolean;
  /** by default nothing is logged */
  readonly log?: Logger;
}

export interface LocalNetworkSnapshot {
  readonly id: string;
  /** the clock's time, Unix seconds */
  readonly time: number;
  /** by blockchain ID */
  readonly heights: Readonly<Record<string, number>>;
}

export interface CreateL1Options {
  /** of the chain: letters, digits and spaces; by default one that is free */
  readonly name?: string;
  /** of the chain, as in Subnet-EVM's genesis.json; by default one that funds the network's keys, with warp */
  readonly genesis?: object;
  /** of the default genesis; by default one that is free */
  readonly evmChainId?: number;
  /** from 1 to 16; by default 1 */
  readonly validators?: number;
}

export interface LocalL1 {
  readonly name: string;
  readonly evmChainId: number;
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly validators: readonly { readonly nodeId: string; readonly validationId: string }[];
}

/** A running network: a `Devnet` (`src/devnet/devnet.ts`) with a server in front of it, in units that suit tests. */
export interface LocalNetwork extends NetworkDescription, AsyncDisposable {
  /** The network clock's time, Unix seconds. */
  now(): number;
  /** Moves the clock forward: stakers end, rewards are paid, locked outputs unlock. Resolves when all of that is in blocks. */
  advanceTime(seconds: number | bigint): Promise<void>;
  /** @param to Unix seconds, not in the past */
  setTime(to: number | bigint): Promise<void>;
  /**
   * @param share from 0 to 1; below the network's requirement the validator's reward is not paid
   * @param subnetId by default the primary network's
   */
  setUptime(nodeId: string, share: number, subnetId?: string): Promise<void>;
  /** Builds the blocks that are due now, regardless of the block time, and a block of the C-chain in any case, if only an empty one. */
  mine(): Promise<void>;
  /**
   * Pays from the pre-funded key to `P-…`, `X-…` or `0x…`; returns the transaction's ID, on the C-chain its hash.
   * @param amount nAVAX
   */
  fund(address: string, amount: bigint): Promise<string>;
  /** Makes an L1: a subnet, a chain of Subnet-EVM, its conversion, and validators. Resolves when the chain's RPC answers. */
  createL1(options?: CreateL1Options): Promise<LocalL1>;
  /** Copies the whole state; returns the copy's ID. */
  snapshot(): Promise<string>;
  /** Restores the whole state, including the clock. */
  revert(snapshotId: string): Promise<void>;
  /** Deletes the copy. */
  deleteSnapshot(snapshotId: string): Promise<void>;
  snapshots(): Promise<LocalNetworkSnapshot[]>;
  /** The network's internals, with IDs as hex. For Firn's own tests; it changes from version to version. */
  readonly devnet: Devnet;
  /**
   * Stops the network and removes its folder if that is temporary. Until then the process does not end by itself; `await using network =
   * await startDevnet()` stops it at the end of the block.
   */
  stop(): Promise<void>;
}

/**
 * Starts a local network in this process; resolves once it answers.
 *
 * @example
 * import { startDevnet } from "firn-node";
 *
 * const network = await startDevnet();
 * const transaction = await network.fund("P-local1…", 5_000_000_000n);
 * await network.advanceTime(86_400);
 * await network.stop();
 */
export async function startDevnet(options: StartDevnetOptions = {}): Promise<LocalNetwork> {
  checkOptions(options);
  const { dataDirectory, blockTimeMs, hasEvm, evmBinary, hasRelayer, skipsMempoolRules, ...given } = options;
  const { allowUnprotectedTxs, settlement, minGasPrice, ...chosen } = given;
  const { upgrades, genesisFile, networkFile, genesisTime, startTime, accounts, mnemonic, cChainId, ...others } = chosen;
  const { log = pino({ level: "silent" }), ...serve } = others;
  const network = { upgrades, genesisFile, networkFile, genesisTime, startTime, accounts, mnemonic, cChainId };
  const { devnet, description, stop } = await launch({
    dataDirectory,
    network,
    blockTimeMs,
    hasEvm,
    evmBinary,
    allowUnprotectedTxs,
    settlement,
    minGasPrice,
    relays: hasRelayer,
    skipsMempoolRules,
    serve,
    log,
  });
  return {
    ...description,
    devnet,
    now: () => Number(devnet.clock.seconds()),
    advanceTime: async (seconds) => devnet.advanceTime(wholeSeconds(seconds)),
    setTime: async (to) => devnet.setTime(wholeSeconds(to)),
    setUptime: async (nodeId, share, subnetId) =>
      devnet.setUptime(
        parsed(nodeId, parseNodeId, "a node ID like NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg"),
        millionthsOf(share),
        ...(subnetId === undefined ? [] : [parsed(subnetId, parseId, "a subnet's ID in cb58")]),
      ),
    mine: () => devnet.mine(),
    fund: async (address, amount) => devnet.fund(address, nAvax(amount)),
    createL1: async (wish = {}) => localL1(await devnet.createL1(l1Wish(wish)), description.url),
    snapshot: () => devnet.snapshot(),
    revert: (snapshotId) => devnet.revert(snapshotId),
    deleteSnapshot: (snapshotId) => devnet.deleteSnapshot(snapshotId),
    snapshots: async () => (await devnet.snapshots()).map(snapshotText),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const HIGHEST_PORT = 65_535;
const HIGHEST_PRICE = 2n ** 64n - 1n;

const OPTIONS: Readonly<Record<keyof StartDevnetOptions, true>> = {
  dataDirectory: true,
  httpHost: true,
  httpPort: true,
  allowedHosts: true,
  allowedOrigins: true,
  blockTimeMs: true,
  upgrades: true,
  genesisFile: true,
  networkFile: true,
  accounts: true,
  mnemonic: true,
  cChainId: true,
  genesisTime: true,
  startTime: true,
  hasEvm: true,
  evmBinary: true,
  allowUnprotectedTxs: true,
  settlement: true,
  minGasPrice: true,
  hasRelayer: true,
  skipsMempoolRules: true,
  log: true,
};

/** Checks names and values that types cannot express or JavaScript callers do not check. */
function checkOptions(options: StartDevnetOptions): void {
  const names = Object.keys(OPTIONS);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, names) || `; use ${names.join(", ")}`;
    throw new FirnError("devnet-network", `startDevnet has no option ${JSON.stringify(unknown)}${hint}`);
  }
  const { blockTimeMs = 1, httpPort = 0, cChainId = 1, minGasPrice = 1n } = options;
  if (typeof minGasPrice !== "bigint" || minGasPrice < 1n || minGasPrice > HIGHEST_PRICE)
    throw new FirnError("devnet-network", `minGasPrice is ${minGasPrice}; use a bigint of wei from 1n to 2n ** 64n - 1n, or leave it out`);
  if (!Number.isSafeInteger(cChainId) || cChainId < 1)
    throw new FirnError("devnet-network", `cChainId is ${cChainId}; use a whole number from 1 on, or leave it out for 43112`);
  if (!(blockTimeMs > 0)) throw new FirnError("block-time", `blockTimeMs is ${blockTimeMs}; use milliseconds above 0, or leave it out`);
  if (Number.isInteger(httpPort) && httpPort >= 0 && httpPort <= HIGHEST_PORT) return;
  throw new FirnError("port", `httpPort is ${httpPort}; use a number from 1 to ${HIGHEST_PORT}, or leave it out for a free one`);
}

function parsed<T>(text: string, parse: (text: string) => T, wanted: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new FirnError("text", `${JSON.stringify(text)} cannot be read (${error.message}); use ${wanted}`, {}, { cause: error });
  }
}

function nAvax(amount: bigint): bigint {
  if (typeof amount === "bigint") return amount;
  throw new FirnError("amount", `the amount is the ${typeof amount} ${amount}; use a bigint of nAVAX, e.g. 5_000_000_000n for 5 AVAX`);
}

function wholeSeconds(seconds: number | bigint): bigint {
  if (seconds >= 0 && (typeof seconds === "bigint" || Number.isSafeInteger(seconds))) return BigInt(seconds);
  throw new FirnError("seconds", `${seconds} is not a number of seconds; use a whole number from 0 on`, { seconds });
}

function millionthsOf(share: number): number {
  if (share >= 0 && share <= 1) return Math.round(share * 1_000_000);
  throw new FirnError("uptime", `the uptime is ${share}; use a share from 0 to 1`, { share });
}

function l1Wish({ genesis, evmChainId, ...wish }: CreateL1Options): L1Wish {
  if (evmChainId !== undefined && (!Number.isSafeInteger(evmChainId) || evmChainId < 1))
    throw new FirnError("l1-genesis", `evmChainId is ${evmChainId}; use a whole number from 1 on`);
  return {
    ...wish,
    ...(genesis !== undefined && { genesis: Buffer.from(JSON.stringify(genesis)) }),
    ...(evmChainId !== undefined && { evmChainId: BigInt(evmChainId) }),
  };
}

function localL1({ chainName: name, evmChainId, chainId, subnetId, validators }: CreatedL1, url: string): LocalL1 {
  const base = `${url}/ext/bc/${formatId(chainId)}`;
  return {
    name,
    evmChainId: Number(evmChainId),
    blockchainId: formatId(chainId),
    subnetId: formatId(subnetId),
    rpcUrl: `${base}/rpc`,
    wsUrl: `${base}/ws`.replace(/^http/, "ws"),
    validators: validators.map(({ nodeId, validationId }) => ({ nodeId: formatNodeId(nodeId), validationId: formatId(validationId) })),
  };
}

function snapshotText({ id, time, heights }: Snapshot): LocalNetworkSnapshot {
  const entries = [...heights].map(([chainId, height]) => [formatId(chainId), Number(height)]);
  return { id, time: Number(time), heights: Object.fromEntries(entries) };
}
