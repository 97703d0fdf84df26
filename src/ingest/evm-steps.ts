/** Turns C-chain blocks into steps: their atomic transactions are executed; the rest is only stored. */

import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { View } from "../base/table/view.ts";
import { countEvmTransactions } from "../chains/atomic/block.ts";
import type { CChain } from "../chains/atomic/chain.ts";
import { projectBlock } from "../index/platform.ts";
import { C_CHAIN } from "../index/primary/primary-chain.ts";
import type { PrimaryIndex } from "../index/primary/primary-index.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { BlockItem } from "../sources/source.ts";
import { type IngestLog, unwrapParsed } from "./ingest-log.ts";
import { type BlockStep, executionContext } from "./steps.ts";

export class EvmSteps {
  readonly #chain: CChain;
  readonly #network: NetworkInstance;
  readonly #view: View;
  readonly #log: IngestLog;
  readonly #index: PrimaryIndex;

  constructor(chain: CChain, network: NetworkInstance, view: View, log: IngestLog, index: PrimaryIndex) {
    this.#index = index;
    this.#chain = chain;
    this.#network = network;
    this.#view = view;
    this.#log = log;
  }

  step(item: BlockItem, level: RuleLevel): BlockStep {
    const { unwrapped, block } = unwrapParsed(item, (bytes) => this.#chain.parse(bytes));
    return {
      chain: "C",
      height: block.height,
      id: block.id,
      block,
      unwrapped,
      isOption: false,
      byteLength: item.container.length,
      kinds: () => [
        ...block.atomicTxs.map(({ unsigned }) => unsigned.kind),
        ...new Array<string>(countEvmTransactions(unwrapped.inner)).fill("EVM"),
      ],
      keysRead: () => this.#chain.keysRead(block),
      run: () => {
        const { acceptedAt } = item;
        const facts = this.#chain.execute(block, executionContext(this.#network, level, acceptedAt));
        const { chainId, height, blockId, atomicTxs } = facts;
        projectBlock(this.#view, { chainId, height, blockId, unwrapped, acceptedAt });
        this.#index.add({ chain: C_CHAIN, facts, origin: { unwrapped, acceptedAt } });
        this.#log.block(chainId, height);
        return atomicTxs.length;
      },
    };
  }

  genesis(bytes: Uint8Array): void {
    this.#index.add({ chain: C_CHAIN, facts: this.#chain.genesis(bytes), origin: undefined });
  }
}
