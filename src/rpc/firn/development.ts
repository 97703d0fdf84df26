/** What `firn.*` may do to the network that it belongs to: clock, uptimes, blocks, copies, funds. A devnet provides it; nobody else. */
import type { DevnetAccount } from "../../devnet/accounts.ts";
import type { Devnet } from "../../devnet/devnet.ts";

type Operations = "advanceTime" | "setTime" | "uptime" | "setUptime" | "mine" | "fund" | "snapshot" | "revert" | "snapshots";

export interface Development extends Pick<Devnet, Operations> {
  /** keys that genesis pays, with everything that clients call them; public: whoever asks gets them */
  readonly keys: readonly DevnetAccount[];
  /** the clock now, Unix seconds */
  now(): bigint;
  /** what is wrong with the C-chain's EVM; undefined if nothing is */
  evmProblem(): string | undefined;
}
