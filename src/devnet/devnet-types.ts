/** The options of a devnet, and the interfaces of its parts. */
import type { Logger } from "pino";
import type { Id } from "../base/bytes/id.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Address } from "../sources/evm/parser/block.ts";
import type { UpstreamRpc } from "../sources/upstream/upstream-rpc.ts";
import type { AccountKey } from "./account-keys.ts";
import type { EvmOptions } from "./anvil/evm-node.ts";

export interface DevnetOptions {
  /** holds `store/`, `c-chain/` and `snapshots/` */
  readonly dataDirectory: string;
  readonly network: NetworkInstance;
  /** the directory will be deleted, so commits survive a crash of the process but not of the machine */
  readonly isTemporary?: boolean;
  /** keys that genesis funds and that the network may tell; by default none */
  readonly accountKeys?: readonly AccountKey[];
  /** the network's parameters as text, kept in the store */
  readonly networkFile: Uint8Array;
  /** shortest time between two blocks of a chain, in milliseconds; by default a transaction is accepted at once */
  readonly blockTimeMs?: number;
  readonly log: Logger;
  /** false: the C-chain's EVM does not run, and the chain builds no blocks */
  readonly evm: EvmOptions | false;
  /** false: warp messages between messengers are not delivered */
  readonly relays?: boolean;
  /** for tests: accepts transactions that the release's mempool refuses but blocks may contain */
  readonly skipsMempoolRules?: boolean;
  /** time of the clock at the first start, Unix seconds; by default the wall clock's */
  readonly startTime?: bigint;
  /** for tests: replaces the wall clock, Unix nanoseconds; a constant one makes every block's time predictable */
  readonly wallClock?: () => bigint;
}

/** The wall clock plus an offset that is stored. It goes back only with `revert`. */
export interface Clock {
  /** Unix seconds */
  seconds(): bigint;
  /** Unix nanoseconds */
  nanoseconds(): bigint;
}

export interface Snapshot {
  readonly id: string;
  /** the clock's time, Unix seconds */
  readonly time: bigint;
  /** height of each chain */
  readonly heights: ReadonlyMap<Id, bigint>;
}

/** An EVM chain as the Data API serves it, beyond what the store's index holds. */
export interface ServedEvmChain {
  readonly evmChainId: bigint;
  /** answers once the sealed blocks are committed */
  readonly rpc: UpstreamRpc;
  /** address of a multicall contract, if there is one */
  readonly multicall: Address | undefined;
  /** why blocks are no longer indexed; undefined if they are */
  readonly problem: string | undefined;
  /** Has an NFT's metadata read again. Resolves to false within an hour of the last time. */
  reindexNft(token: Address, tokenId: bigint): Promise<boolean>;
  /** Stores the chain's settings, also after a revert, for processes that only serve the store. */
  keep(settings: EvmChainSettings): Promise<void>;
}
