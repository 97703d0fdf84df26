/**
 * A local Avalanche network inside a test or a program, in this process: P, X and C with a funded key, the node's JSON-RPC, the Data API and
 * a clock that can be moved. What `firn devnet` starts is the same.
 */
import type { Logger } from "pino";
import type { DevnetAccount } from "./accounts.ts";
import type { Devnet } from "./devnet.ts";

export interface StartDevnetOptions {
  /** where the network is kept; by default a temporary folder that `stop` removes */
  readonly dataDirectory?: string;
  /** by default 127.0.0.1 */
  readonly httpHost?: string;
  /** by default a free one */
  readonly httpPort?: number;
  /** host names that requests may be addressed to; by default localhost */
  readonly allowedHosts?: readonly string[];
  /** of browsers' requests; by default all */
  readonly allowedOrigins?: readonly string[];
  /** a block of each chain at most every so many milliseconds; by default a transaction is accepted at once */
  readonly blockTimeMs?: number;
  /** `etna`, or `etna,fortuna=+10m,granite=2026-12-01T00:00:00Z`; by default all upgrades are active */
  readonly upgrades?: string;
  /** path of a genesis JSON file; by default the local network's */
  readonly genesisFile?: string;
  /** path of a `network.json` with parameters; by default the one beside the genesis file, else the local network's */
  readonly networkFile?: string;
  /** Unix seconds; by default as the reference node has it on this day */
  readonly genesisTime?: bigint;
  /** what the clock shows at the first start, Unix seconds; by default the wall clock's time */
  readonly startTime?: bigint;
  /** false: no C-chain runs; the others start sooner. By default it does */
  readonly hasEvm?: boolean;
  /** takes transactions that the release's mempool refuses though blocks may hold them */
  readonly skipsMempoolRules?: boolean;
  /** by default nothing is logged */
  readonly log?: Logger;
}

/** What a person or a program needs to use the network. IDs and addresses are texts as the APIs have them. */
export interface NetworkDescription {
  readonly url: string;
  readonly urls: {
    /** JSON-RPC of the P-chain */
    readonly P: string;
    readonly X: string;
    /** JSON-RPC of the C-chain's EVM */
    readonly C: string;
    readonly cWebSocket: string;
    /** atomic transactions of the C-chain */
    readonly cAtomic: string;
    readonly info: string;
    readonly health: string;
    readonly dataApi: string;
    /** reference of the Data API */
    readonly docs: string;
    /** moves the clock, mines, snapshots, funds */
    readonly development: string;
  };
  readonly networkId: number;
  readonly networkName: string;
  /** human-readable part of addresses */
  readonly hrp: string;
  readonly evmChainId: number;
  readonly blockchainIds: { readonly P: string; readonly X: string; readonly C: string };
  readonly avaxAssetId: string;
  readonly nodeId: string;
  /** Unix seconds */
  readonly genesisTime: number;
  /** of the clock when this was told, Unix seconds */
  readonly time: number;
  /** when upgrades become active, Unix seconds, by name; absent: not scheduled */
  readonly upgrades: Readonly<Record<string, number>>;
  readonly accounts: readonly DevnetAccount[];
  readonly dataDirectory: string;
}

export interface LocalNetworkSnapshot {
  readonly id: string;
  /** what the clock showed, Unix seconds */
  readonly time: number;
  /** by blockchain ID */
  readonly heights: Readonly<Record<string, number>>;
}

/** A running network. */
export interface LocalNetwork extends NetworkDescription, AsyncDisposable {
  /** Unix seconds of the network's clock. */
  now(): number;
  /** Moves the clock forward: stakers end, rewards are paid, locked outputs unlock. Resolves when all of that is in blocks. */
  advanceTime(seconds: number | bigint): Promise<void>;
  /** @param to Unix seconds, not before now */
  setTime(to: number | bigint): Promise<void>;
  /** @param share from 0 to 1: below what the network requires, the validator's reward is not paid
   *  @param subnetId by default the primary network's */
  setUptime(nodeId: string, share: number, subnetId?: string): Promise<void>;
  /** Builds what is due now, whatever the block time. */
  mine(): Promise<void>;
  /**
   * Pays from the pre-funded key to `P-…`, `X-…`, `C-…` or `0x…`; the ID of the transaction, on C its hash.
   * @param amount nAVAX
   */
  fund(address: string, amount: bigint): Promise<string>;
  /** Copies the whole state; the copy's ID. */
  snapshot(): Promise<string>;
  /** Puts everything back as it was, the clock included. */
  revert(snapshotId: string): Promise<void>;
  snapshots(): Promise<LocalNetworkSnapshot[]>;
  /** What runs it, in bytes and hex: for Firn's own tests, it changes from version to version. */
  readonly devnet: Devnet;
  /** Ends the network; a temporary folder goes with it. */
  stop(): Promise<void>;
}
