/**
 * A Subnet-EVM chain as a store executes it: the order of its blocks. The EVM is not executed, so what its transactions did is not checked.
 * Block 0 is not computed, so block 1 may name any parent.
 */

import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import type { TableValue } from "../../base/table/table.ts";
import type { View } from "../../base/table/view.ts";
import { executeBlock, RuleError } from "../../network/execution.ts";
import { evmTips } from "../atomic/tables.ts";
import type { SubnetEvmBlock } from "./block.ts";

type SubnetEvmTip = TableValue<typeof evmTips>;

export class SubnetEvmChain {
  readonly chainId: Id;
  readonly evmChainId: bigint;
  readonly #view: View;

  constructor({ chainId, evmChainId }: { readonly chainId: Id; readonly evmChainId: bigint }, view: View) {
    this.chainId = chainId;
    this.evmChainId = evmChainId;
    this.#view = view;
  }

  /** @param timestamp of its genesis, Unix seconds */
  genesis(timestamp: bigint): void {
    this.#view.put(evmTips, { chainId: this.chainId }, { height: 0n, lastAccepted: EMPTY_ID, timestamp });
  }

  get tip(): SubnetEvmTip {
    return this.#view.get(evmTips, { chainId: this.chainId })!;
  }

  execute(block: SubnetEvmBlock): void {
    const { id: lastAccepted, height, timestamp } = block;
    executeBlock(block.id, this.#view, () => {
      this.#verify(block);
      this.#view.put(evmTips, { chainId: this.chainId }, { height, lastAccepted, timestamp });
    });
  }

  #verify({ height, parentId, timestamp }: SubnetEvmBlock): void {
    const tip = this.tip;
    if (height !== tip.height + 1n) throw new RuleError("wrong-height", `block has height ${height}, expected ${tip.height + 1n}`);
    if (tip.lastAccepted !== EMPTY_ID && parentId !== tip.lastAccepted) {
      throw new RuleError("wrong-parent", `block has parent ${parentId}, expected ${tip.lastAccepted}`);
    }
    if (timestamp < tip.timestamp) {
      throw new RuleError("wrong-time", `block time ${timestamp} is before its parent's ${tip.timestamp}`);
    }
  }
}
