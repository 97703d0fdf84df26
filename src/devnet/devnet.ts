/**
 * A whole network in one process: every chain builds its own blocks, which are executed like those of any source and committed to one
 * store. Nothing but what is committed is state: after a crash it goes on from there.
 */
import type { Logger } from "pino";
import type { Address } from "../evm/block.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import type { EvmRpc } from "../evm/rpc/evm-rpc.ts";
import type { EvmNode, EvmOptions } from "../evm-node/evm-node.ts";
import type { PendingStatus } from "../mempool/issuer.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Id, NodeId } from "../primitives/id.ts";
import type { Store } from "../store/store.ts";
import { LocalDevnet } from "./local-devnet.ts";

export interface DevnetOptions {
  /** holds `store/`, `c-chain/` and `snapshots/` */
  readonly dataDirectory: string;
  readonly network: NetworkInstance;
  /** the directory goes at the end: commits outlive the process, not a power cut */
  readonly isTemporary?: boolean;
  /** text of the network's parameters, kept in the store */
  readonly networkFile: Uint8Array;
  /** a block of each chain at most every so many milliseconds; by default a transaction is accepted at once */
  readonly blockTimeMs?: number;
  readonly log: Logger;
  /** false: no C-chain runs, its blocks cannot be built */
  readonly evm: EvmOptions | false;
  /** tests: takes transactions that the release's mempool refuses though blocks may hold them */
  readonly skipsMempoolRules?: boolean;
  /** clock at the first start, Unix seconds; by default the wall clock */
  readonly startTime?: bigint;
  /** tests: stands in for the wall clock, Unix nanoseconds; one that stands still makes every block's time predictable */
  readonly wallClock?: () => bigint;
}

/** Wall clock and an offset that is kept with the store. Goes back only with `revert`. */
export interface Clock {
  /** Unix seconds */
  seconds(): bigint;
  /** Unix nanoseconds */
  nanoseconds(): bigint;
}

export interface Snapshot {
  readonly id: string;
  /** what the clock showed, Unix seconds */
  readonly time: bigint;
  /** of each chain */
  readonly heights: ReadonlyMap<Id, bigint>;
}

/** The C-chain's EVM as the Data API serves it, besides what the index of the store holds. */
export interface ServedEvmChain {
  readonly evmChainId: bigint;
  /** answers once what is sealed is committed */
  readonly rpc: EvmRpc;
  /** contract that answers many calls in one, if there is one */
  readonly multicall: Address | undefined;
  /** why blocks are not indexed any more; undefined: they are */
  readonly problem: string | undefined;
  /** Has the metadata of an NFT read again. Resolves to false within an hour of the last time. */
  reindexNft(token: Address, tokenId: bigint): Promise<boolean>;
  /** What clients are told of the chain is kept in the store, whatever it is put back to: for those that only serve it. */
  keep(settings: EvmChainSettings): Promise<void>;
}

export interface Devnet {
  /** One object for the process's life: after a revert it reads the restored environment. */
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly clock: Clock;
  /** Rises with every revert, and with what changes answers without a block: whoever keeps answers by height must add it. */
  readonly generation: number;
  readonly evm: EvmNode | undefined;
  /** undefined without an EVM */
  readonly evmChain: ServedEvmChain | undefined;

  /**
   * Resolves with the transaction's ID once it is accepted, or waits in the mempool for a later block. Rejects with a CodecError or a
   * RuleError with the node's text, without the API's prefix.
   */
  issue(chainId: Id, bytes: Uint8Array, options?: { viaWallet?: boolean }): Promise<Id>;
  /** undefined for a transaction that is accepted, or unknown here */
  status(chainId: Id, txId: Id): PendingStatus | undefined;
  /** whether a transaction in the mempool creates this blockchain */
  isPendingChain(chainId: Id): boolean;

  /** Moves the clock forward and walks through every change on the way, each in blocks of its own time. */
  advanceTime(seconds: bigint): Promise<void>;
  /** @param to Unix seconds, not before now */
  setTime(to: bigint): Promise<void>;
  /** Millionths of the time that a validator was there; 1,000,000 unless set. */
  uptime(subnetId: Id, nodeId: NodeId): number;
  /** By default of the primary network. Counts for rewards that are decided from now on. */
  setUptime(nodeId: NodeId, millionths: number, subnetId?: Id): Promise<void>;
  /** Builds what is due now, whatever the block time. */
  mine(): Promise<void>;
  /**
   * Pays from the pre-funded key: to "P-…" or "X-…" on that chain, to "0x…" or "C-…" on the C-chain.
   * @param amount nAVAX
   * @returns the transaction's ID in cb58, of a transfer on C its hash, `0x…`
   */
  fund(address: string, amount: bigint): Promise<string>;

  /** Copies the whole state; returns the copy's ID. */
  snapshot(): Promise<string>;
  /** Puts everything back as it was, the clock included, which then runs on. What waited in mempools is forgotten. */
  revert(snapshotId: string): Promise<void>;
  snapshots(): Promise<readonly Snapshot[]>;

  /** Finishes the round that runs, then frees everything. May be called again. */
  stop(): Promise<void>;
}

/** Opens the network of a data directory, or makes it there; resolves when every chain but the C-chain's EVM is ready. */
export function openDevnet(options: DevnetOptions): Promise<Devnet> {
  return LocalDevnet.open(options);
}
