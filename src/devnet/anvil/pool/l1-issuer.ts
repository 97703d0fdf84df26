/** Builds the blocks of an L1's chain from its child's pool. It takes transactions only at its own RPC. */

import type { Id } from "../../../base/bytes/id.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import type { RowKey } from "../../../base/table/view.ts";
import type { BuildContext, BuiltBlock, ChainIssuer } from "../../../chains/mempool/issuer.ts";
import type { SubnetEvmChain } from "../../../chains/subnet-evm/chain.ts";
import type { DevelopmentEvm } from "../development-evm.ts";
import { type PlatformView, predicateVerifier } from "../precompiles/verify-predicate.ts";
import { withChild } from "../with-child.ts";

interface L1IssuerParts {
  readonly chain: SubnetEvmChain;
  readonly evm: DevelopmentEvm;
  /** whose validators sign warp messages */
  readonly platform: PlatformView;
  /** whether blocks are made only when somebody asks for one */
  holdsBlocks(): boolean;
}

export class L1Issuer implements ChainIssuer {
  readonly #parts: L1IssuerParts;

  constructor(parts: L1IssuerParts) {
    this.#parts = parts;
  }

  get chainId(): Id {
    return this.#parts.chain.chainId;
  }

  parse(): never {
    throw new FirnError("evm-request", `send transactions of ${this.#parts.evm.spec.name} to its own RPC`);
  }

  admissionKeys(): RowKey[] {
    return [];
  }

  admit(): never {
    return this.parse();
  }

  buildKeys(): RowKey[] {
    return [];
  }

  /** Without a child no block is built; when one starts, it asks for a round. */
  async build(context: BuildContext): Promise<BuiltBlock | undefined> {
    const { chain, evm, platform, holdsBlocks } = this.#parts;
    const { isBlockWanted: mayBeEmpty } = evm;
    if (!mayBeEmpty && (holdsBlocks() || !evm.sealing.hasPooled)) return undefined;
    const timestamp = evm.timeOfNext(context.clock, chain.tip.timestamp);
    const verifyWarp = predicateVerifier(evm.spec, platform, context);
    const sealed = await withChild(evm, () => evm.sealing.seal(timestamp, [], { mayBeEmpty, verifyWarp }));
    return sealed && { ...sealed, timestamp, isOption: false, txIds: [] };
  }

  accepted(): void {
    this.#parts.evm.forgetWishes();
  }

  drop(): void {}

  nextChange(): undefined {
    return undefined;
  }

  status(): undefined {
    return undefined;
  }

  clear(): void {
    this.#parts.evm.forgetWishes();
  }
}
