/** Turns P-chain blocks into steps. A proposal is kept until its option arrives; then both are projected and logged together. */

import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import { verifyProofsOfPossession } from "../base/signatures/proofs-ahead.ts";
import type { SignaturesAhead, SignedParts } from "../base/signatures/signatures-ahead.ts";
import type { View } from "../base/table/view.ts";
import { blockProofs, blockTxs, isOption, type PlatformBlock } from "../chains/platform/block.ts";
import type { PlatformChain } from "../chains/platform/chain.ts";
import type { PlatformFacts } from "../chains/platform/facts.ts";
import type { SignedTx } from "../chains/platform/tx/registry.ts";
import { type BlockSource, projectPlatform } from "../index/platform.ts";
import { P_CHAIN } from "../index/primary/primary-chain.ts";
import type { PrimaryIndex } from "../index/primary/primary-index.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { BlockItem } from "../sources/source.ts";
import { type IngestLog, unwrapParsed } from "./ingest-log.ts";
import { type BlockStep, executionContext } from "./steps.ts";

interface Pending {
  readonly blockId: Id;
  readonly source: BlockSource;
  readonly transactions: number;
}

export class PlatformSteps {
  readonly #chain: PlatformChain;
  readonly #view: View;
  readonly #log: IngestLog;
  readonly #index: PrimaryIndex;
  readonly #signatures: SignaturesAhead | undefined;
  #pending: Pending | undefined;

  constructor(
    chain: PlatformChain,
    view: View,
    log: IngestLog,
    { index, signatures }: { readonly index: PrimaryIndex; readonly signatures: SignaturesAhead | undefined },
  ) {
    this.#index = index;
    this.#signatures = signatures;
    this.#chain = chain;
    this.#view = view;
    this.#log = log;
  }

  /** @param accepted called with the facts after they were projected */
  step(item: BlockItem, level: RuleLevel, accepted: (facts: PlatformFacts, acceptedAt: bigint) => void): BlockStep {
    const { unwrapped, block } = unwrapParsed(item, (bytes) => this.#chain.parse(bytes));
    const proofs = blockProofs(block);
    const rememberSigners = this.#signatures?.add(blockTxs(block).map(signedParts));
    return {
      chain: "P",
      height: block.height,
      id: block.id,
      block,
      unwrapped,
      isOption: isOption(block),
      byteLength: item.container.length,
      kinds: () => (isOption(block) ? [block.kind] : blockTxs(block).map(({ unsigned }) => unsigned.kind)),
      ...(proofs.length > 0 && { ahead: verifyProofsOfPossession(proofs).catch(warnOnce) }),
      keysRead: () => this.#chain.keysRead(block),
      run: () => {
        rememberSigners?.();
        const source = { unwrapped, acceptedAt: item.acceptedAt };
        const facts = this.#chain.execute(block, executionContext(this.#network, level, item.acceptedAt), unwrapped.header);
        const transactions = countTransactions(block);
        if (facts === undefined) {
          this.#pending = { blockId: block.id, source, transactions };
          return 0;
        }
        const decided = facts.blocks.length > 1 ? this.#pending : undefined;
        this.#project(facts, decided === undefined ? [source] : [decided.source, source]);
        accepted(facts, item.acceptedAt);
        return transactions + (decided?.transactions ?? 0);
      },
    };
  }

  get #network(): NetworkInstance {
    return this.#chain.state.network;
  }

  genesis(): PlatformFacts {
    const facts = this.#chain.genesis();
    projectPlatform(this.#view, facts, this.#currentSet);
    this.#index.add({ chain: P_CHAIN, facts, origins: [] });
    return facts;
  }

  #project(facts: PlatformFacts, sources: readonly BlockSource[]): void {
    projectPlatform(this.#view, facts, this.#currentSet, sources);
    this.#index.add({ chain: P_CHAIN, facts, origins: sources });
    for (const { height } of facts.blocks) this.#log.block(PLATFORM_CHAIN_ID, height);
    this.#pending = undefined;
  }

  readonly #currentSet = (subnetId: Id) => new Map(this.#chain.state.members(subnetId));
}

function countTransactions(block: PlatformBlock): number {
  return ("txs" in block ? block.txs.length : 0) + ("tx" in block ? 1 : 0);
}

function signedParts(tx: SignedTx): SignedParts {
  return { digest: () => tx.digest, signatures: tx.credentials.flatMap(({ signatures }) => signatures) };
}

let hasWarned = false;

/** Execution verifies what was not verified in advance, at ten times the cost. */
function warnOnce(error: Error): void {
  if (!hasWarned)
    process.emitWarning(`proofs of possession are verified one by one, because the threads for them failed: ${error.message}`);
  hasWarned = true;
}
