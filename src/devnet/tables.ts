/** Tables for what a devnet keeps besides its blocks. Table IDs 70–79. */
import { u8, u32, u64 } from "../primitives/codec/codec.ts";
import { id, shortId } from "../primitives/columns.ts";
import { table } from "../primitives/table.ts";

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
  id: 73,
  name: "devnet_clock_moves",
  key: { slot: u8 },
  value: {
    /** Unix seconds */
    to: u64,
  },
});
