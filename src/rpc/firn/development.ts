/** What `firn.*` may do to the network that it belongs to: clock, uptimes, blocks, copies, funds. A devnet provides it; nobody else. */
import type { Id, NodeId } from "../../primitives/id.ts";

/** A key that genesis pays, with everything that clients call it. It is public: whoever asks gets it. */
export interface FundedKey {
  readonly name: string;
  /** `PrivateKey-…` */
  readonly privateKey: string;
  /** `0x…` */
  readonly privateKeyHex: string;
  readonly addresses: { readonly P: string; readonly X: string; readonly C: string; readonly evm: string };
}

export interface StateCopy {
  readonly id: string;
  /** what the clock showed, Unix seconds */
  readonly time: bigint;
  readonly heights: ReadonlyMap<Id, bigint>;
}

export interface Development {
  readonly keys: readonly FundedKey[];
  /** the clock now, Unix seconds */
  now(): bigint;
  advanceTime(seconds: bigint): Promise<void>;
  setTime(to: bigint): Promise<void>;
  /** millionths */
  uptime(subnetId: Id, nodeId: NodeId): number;
  setUptime(nodeId: NodeId, millionths: number, subnetId?: Id): Promise<void>;
  mine(): Promise<void>;
  fund(address: string, amount: bigint): Promise<Id>;
  snapshot(): Promise<string>;
  revert(snapshotId: string): Promise<void>;
  snapshots(): Promise<readonly StateCopy[]>;
  /** what is wrong with the C-chain's EVM; undefined if nothing is */
  evmProblem(): string | undefined;
}
