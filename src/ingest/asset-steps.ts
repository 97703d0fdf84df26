/** Turns blocks and vertices of an asset chain into steps. */

import { sha256 } from "../base/bytes/hash.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { SignaturesAhead, SignedParts } from "../base/signatures/signatures-ahead.ts";
import type { View } from "../base/table/view.ts";
import type { AssetChain } from "../chains/asset/chain.ts";
import type { AssetFacts } from "../chains/asset/facts.ts";
import { signaturesIn } from "../chains/asset/fx/fx.ts";
import type { SignedTx } from "../chains/asset/tx/registry.ts";
import { projectAsset, projectBlock } from "../index/platform.ts";
import { X_CHAIN } from "../index/primary/primary-chain.ts";
import type { PrimaryIndex } from "../index/primary/primary-index.ts";
import type { UnwrappedBlock } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { BlockItem, VertexItem } from "../sources/source.ts";
import { bareBlock, type IngestLog, unwrapParsed } from "./ingest-log.ts";
import { type BlockStep, executionContext, type Step } from "./steps.ts";

export class AssetSteps {
  readonly chain: AssetChain;
  readonly #network: NetworkInstance;
  readonly #view: View;
  readonly #log: IngestLog;
  readonly #index: PrimaryIndex | undefined;
  readonly #signatures: SignaturesAhead | undefined;

  /** @param index given for the X-chain only */
  constructor(
    chain: AssetChain,
    network: NetworkInstance,
    view: View,
    log: IngestLog,
    { index, signatures }: { readonly index: PrimaryIndex | undefined; readonly signatures: SignaturesAhead | undefined },
  ) {
    this.chain = chain;
    this.#index = index;
    this.#signatures = signatures;
    this.#network = network;
    this.#view = view;
    this.#log = log;
  }

  blockStep(item: BlockItem, level: RuleLevel): BlockStep {
    const { unwrapped, block } = unwrapParsed(item, (bytes) => this.chain.parse(bytes));
    const rememberSigners = this.#signatures?.add(block.txs.map(signedParts));
    return {
      chain: this.#name,
      height: block.height,
      id: block.id,
      block,
      unwrapped,
      isOption: false,
      byteLength: item.container.length,
      kinds: () => block.txs.map(({ unsigned }) => unsigned.kind),
      keysRead: () => this.chain.keysRead(block),
      run: () => {
        rememberSigners?.();
        const facts = this.chain.execute(block, executionContext(this.#network, level, item.acceptedAt));
        this.#project(facts, item.acceptedAt, unwrapped);
        this.#log.block(item.chainId, block.height);
        return facts.txs.length;
      },
    };
  }

  vertexStep(item: VertexItem, level: RuleLevel): Step {
    const vertex = this.chain.parseVertex(item.bytes);
    const rememberSigners = this.#signatures?.add(vertex.txs.map(signedParts));
    return {
      chain: this.#name,
      id: vertex.id,
      byteLength: item.bytes.length,
      keysRead: () => this.chain.keysRead(vertex),
      run: () => {
        rememberSigners?.();
        const facts = this.chain.executeVertex(vertex, executionContext(this.#network, level, item.acceptedAt));
        this.#project(facts, item.acceptedAt);
        this.#log.vertex(item.chainId, vertex.id);
        return facts.txs.length;
      },
    };
  }

  genesis(bytes: Uint8Array, { acceptedAt, startsAsDag }: { acceptedAt: bigint; startsAsDag: boolean }): void {
    this.#project(this.chain.genesis(bytes, { startsAsDag }), acceptedAt);
  }

  /** Block 0 is not received: it follows from genesis or from the stop vertex, and has no container. */
  #project(facts: AssetFacts, acceptedAt: bigint, unwrapped?: UnwrappedBlock): void {
    projectAsset(this.#view, facts, acceptedAt);
    this.#index?.add({ chain: X_CHAIN, facts, unwrapped, acceptedAt });
    if (facts.block === undefined) return;
    const { blockId, height, bytes } = facts.block;
    projectBlock(this.#view, { chainId: facts.chainId, height, blockId, unwrapped: unwrapped ?? bareBlock(blockId, bytes), acceptedAt });
  }

  get #name(): string {
    return this.chain.instance.alias ?? this.chain.instance.chainId;
  }
}

function signedParts({ credentials, unsignedBytes }: SignedTx): SignedParts {
  return { digest: () => sha256(unsignedBytes), signatures: credentials.flatMap(signaturesIn) };
}
