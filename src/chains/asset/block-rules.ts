/** Checks of a linear block's header, in the node's order (chain-rules 15.4). */

import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID } from "../../base/bytes/id.ts";
import { RuleError } from "../../network/execution.ts";
import { goTime, timeText } from "../../network/go-time.ts";
import type { AssetBlock } from "./codec.ts";
import type { Scalars } from "./state.ts";

/** How many seconds a block may be ahead of the verifying node's clock. */
const SYNC_BOUND = 10n;

export function verifyBlockForm({ merkleRoot, time, txs }: AssetBlock, clock: bigint): void {
  if (merkleRoot !== EMPTY_ID) throw new RuleError("merkle-root", `unexpected merkle root: ${formatId(merkleRoot)}`);
  if (goTime(time) > clock + SYNC_BOUND) {
    throw new RuleError(
      "future-block",
      `proposed timestamp is too far in the future relative to local time, proposed time (${timeText(time)}), local time (${timeText(clock)})`,
    );
  }
  if (txs.length === 0) throw new RuleError("empty-block", "block contains no transactions");
}

export function verifyBlockPlace({ parentId, height, time }: AssetBlock, parent: Scalars): void {
  if (parentId !== parent.lastAccepted) throw new RuleError("unknown-parent", `failed to get parent ${formatId(parentId)}: not found`);
  const expected = parent.height + 1n;
  if (height !== expected) {
    throw new RuleError("block-height", `block has incorrect height: expected height ${expected}, got ${height}`);
  }
  if (goTime(time) < parent.timestamp) {
    throw new RuleError(
      "block-time",
      `proposed timestamp before current chain time: proposed timestamp (${timeText(time)}), chain time (${timeText(parent.timestamp)})`,
    );
  }
}
