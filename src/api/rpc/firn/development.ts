/** The operations of `firn.*` on a devnet: clock, uptimes, blocks, snapshots, funds. Only a devnet provides them. */
import type { DevnetAccount } from "../../../devnet/accounts.ts";
import type { Devnet } from "../../../devnet/devnet.ts";
import type { L1 } from "../../../devnet/evm/evm-chains.ts";
import type { DevnetWarp } from "../../../devnet/warp/devnet-warp.ts";

type Operations =
  | ("advanceTime" | "setTime" | "uptime" | "setUptime" | "mine" | "fund" | "snapshot" | "revert" | "snapshots" | "deleteSnapshot")
  | ("mineEvm" | "setNextEvmTimestamp" | "createL1");

export interface Development extends Pick<Devnet, Operations> {
  /** keys that genesis funds, with their addresses and other forms; they are public, so every client gets them */
  readonly keys: readonly DevnetAccount[];
  readonly signWarp: DevnetWarp["sign"];
  /** the clock now, Unix seconds */
  now(): bigint;
  /** in order of creation */
  l1s(): readonly L1[];
  /** why the C-chain's EVM does not work; undefined if it does */
  evmProblem(): string | undefined;
}
