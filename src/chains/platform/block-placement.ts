/**
 * Checks whether a block is valid at its place: era, height, parent and time (chain-rules 5.1, 5.3, 5.4), in the order of the node's
 * checks.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { RuleError } from "../../network/execution.ts";
import { timeText } from "../../network/go-time.ts";
import { isActive } from "../../network/network.ts";
import type { PlatformBlock } from "./block.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { checkNewTime } from "./time.ts";

/** The block that a block names as its parent. */
export interface Parent {
  readonly height: bigint;
  /** chain time after the block */
  readonly time: bigint;
  /**
   * `accepted`: the state is the one after it; `proposal`: it waits for its option; `past`: an older accepted block; `unknown`: no such
   * block
   */
  readonly role: "accepted" | "proposal" | "past" | "unknown";
}

export function checkPlacement(block: PlatformBlock, parent: Parent, state: PlatformState, clock: bigint): void {
  switch (block.kind) {
    case "BanffCommitBlock":
    case "BanffAbortBlock":
      checkHeight(block, parent);
      checkOptionTime(block.time, parent);
      checkRole(block, parent, "proposal");
      break;
    case "ApricotCommitBlock":
    case "ApricotAbortBlock":
      checkBeforeBanff(parent, state);
      checkHeight(block, parent);
      checkRole(block, parent, "proposal");
      break;
    case "BanffStandardBlock":
    case "BanffProposalBlock":
      checkHeight(block, parent);
      checkRole(block, parent, "accepted");
      checkNewTime(state, block.time, clock);
      break;
    case "ApricotStandardBlock":
    case "ApricotProposalBlock":
      checkBeforeBanff(parent, state);
      checkHeight(block, parent);
      checkRole(block, parent, "accepted");
      break;
    case "ApricotAtomicBlock":
      checkHeight(block, parent);
      checkBeforeApricotPhase5(parent, state);
      checkRole(block, parent, "accepted");
      break;
  }
}

function checkHeight(block: PlatformBlock, parent: Parent): void {
  if (parent.role === "unknown") throw new RuleError("unknown-parent", "not found", { parentId: block.parentId });
  const expected = parent.height + 1n;
  if (block.height === expected) return;
  throw new RuleError("block-height", `incorrect block height expected ${expected}, but found ${block.height}`, { expected });
}

function checkRole(block: PlatformBlock, parent: Parent, role: Parent["role"]): void {
  if (parent.role === role) return;
  throw new RuleError("missing-parent-state", `missing parent state: ${formatId(block.parentId)}`, { parentId: block.parentId });
}

function checkOptionTime(time: bigint, parent: Parent): void {
  if (time === parent.time) return;
  const times = `parent block timestamp (${timeText(parent.time)}) option block timestamp (${timeText(time)})`;
  throw new RuleError("option-time", `option block proposed timestamp not matching parent block one ${times}`);
}

function checkBeforeBanff(parent: Parent, { network }: PlatformState): void {
  if (!isActive(network, "banff", parent.time)) return;
  throw new RuleError("apricot-block-after-banff", `apricot block issued after fork: timestamp = ${timeText(parent.time)}`);
}

function checkBeforeApricotPhase5(parent: Parent, { network }: PlatformState): void {
  if (!isActive(network, "apricotPhase5", parent.time)) return;
  const activation = network.upgrades.times.apricotPhase5;
  const text = `the chain timestamp (${parent.time}) is after the apricot phase 5 time (${activation})`;
  throw new RuleError("atomic-block-after-ap5", `${text}, hence atomic transactions should go through the standard block`);
}
