/** Turns blocks of a Subnet-EVM chain into steps. */

import { formatId } from "../base/bytes/cb58.ts";
import type { View } from "../base/table/view.ts";
import { parseSubnetEvmBlock } from "../chains/subnet-evm/block.ts";
import type { SubnetEvmChain } from "../chains/subnet-evm/chain.ts";
import { projectBlock } from "../index/platform.ts";
import type { BlockItem } from "../sources/source.ts";
import { type IngestLog, unwrapParsed } from "./ingest-log.ts";
import type { BlockStep } from "./steps.ts";

export class SubnetEvmSteps {
  readonly chain: SubnetEvmChain;
  readonly #view: View;
  readonly #log: IngestLog;

  constructor(chain: SubnetEvmChain, view: View, log: IngestLog) {
    this.chain = chain;
    this.#view = view;
    this.#log = log;
  }

  step(item: BlockItem): BlockStep {
    const { unwrapped, block } = unwrapParsed(item, parseSubnetEvmBlock);
    const { chainId, acceptedAt } = item;
    const { id: blockId, height } = block;
    return {
      chain: formatId(chainId),
      height,
      id: blockId,
      block,
      unwrapped,
      isOption: false,
      byteLength: item.container.length,
      kinds: () => new Array<string>(block.transactions.length).fill("EVM"),
      keysRead: () => [],
      run: () => {
        this.chain.execute(block);
        projectBlock(this.#view, { chainId, height, blockId, unwrapped, acceptedAt });
        this.#log.block(chainId, height);
        return block.transactions.length;
      },
    };
  }
}
