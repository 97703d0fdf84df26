/** Tables for what a devnet keeps besides its blocks. Table IDs 70–79. */
import { bool, u8, u32, u64 } from "../base/codec/codec.ts";
import { id, shortId, table } from "../base/table/table.ts";

/** Offset of the devnet's clock from the wall clock. One row (slot 0). */
export const devnetClock = table({
  id: 70,
  name: "devnet_clock",
  key: { slot: u8 },
  value: {
    /** nanoseconds, a signed number in two's complement */
    offset: u64,
  },
});

/** Uptimes that were set, for validators of the primary network and of other subnets. */
export const devnetUptimes = table({
  id: 71,
  name: "devnet_uptimes",
  key: { subnetId: id, nodeId: shortId },
  value: { millionths: u32 },
});

/** The time to which the clock was last moved by hand. One row (slot 0); none if it never was. */
export const devnetClockMoves = table({
  id: 72,
  name: "devnet_clock_moves",
  key: { slot: u8 },
  value: {
    /** Unix seconds */
    to: u64,
  },
});

/** Modes that tests set for an EVM chain. No row: blocks are made as transactions come, and every transaction needs a signature. */
export const evmModes = table({
  id: 73,
  name: "evm_modes",
  key: { chainId: id },
  value: {
    /** transactions wait until a test asks for a block */
    isHeld: bool,
    /** milliseconds between blocks that are made by themselves; 0: none are */
    intervalMs: u32,
    /** transactions of every account are taken without a signature */
    impersonatesAll: bool,
  },
});

/** Accounts whose transactions are taken without a signature. */
export const evmImpersonated = table({ id: 74, name: "evm_impersonated", key: { chainId: id, address: shortId }, value: {} });

/** Up to which message the relayer read a chain: all logs before this one are done. No row: none was. */
export const warpPositions = table({
  id: 75,
  name: "warp_positions",
  key: { chainId: id },
  value: { height: u64, index: u32 },
});
