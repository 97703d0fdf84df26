/**
 * Makes the P-chain's own blocks: verifies issued transactions on the last accepted state, keeps them until a block contains them, and
 * builds the next block. Refusals have the node's texts; the last 64 are repeated without verifying again, as on the node.
 */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import type { RowKey } from "../../../base/table/view.ts";
import { RuleError } from "../../../network/execution.ts";
import type { AdmitContext, AdmitOptions, BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../../mempool/issuer.ts";
import { isForNow } from "../../mempool/mempool.ts";
import { txKeys } from "../block.ts";
import type { PlatformChain } from "../chain.ts";
import { nextChangeTime } from "../time.ts";
import { inputsOf, parseTx, type SignedTx } from "../tx/registry.ts";
import { buildBlock, buildOption, MAX_BLOCK_TX_BYTES } from "./pack.ts";
import { type Meter, meter, PendingTx, PlatformMempool } from "./pending-tx.ts";

/** For transactions that the release's mempool would refuse: they are admitted only on request, and come last. */
const UNMETERED: Meter = { gas: 0n, gasPrice: 0 };

export class PlatformIssuer implements ChainIssuer<SignedTx> {
  readonly chainId = PLATFORM_CHAIN_ID;
  readonly #chain: PlatformChain;
  readonly #mempool = new PlatformMempool();
  /** decisions of a proposal that waits for its option */
  #proposed: readonly Id[] = [];

  constructor(chain: PlatformChain) {
    this.#chain = chain;
  }

  parse(bytes: Uint8Array): SignedTx {
    return parseTx(bytes);
  }

  admissionKeys(tx: SignedTx): RowKey[] {
    return [...txKeys(tx), ...this.#mempool.ancestorsOf(tx).flatMap(({ keys }) => keys)];
  }

  admit(tx: SignedTx, context: AdmitContext, options: AdmitOptions = {}): void {
    if (this.#mempool.has(tx.id)) return;
    const dropped = this.#mempool.dropReason(tx.id);
    if (dropped !== undefined && !isForNow(dropped)) throw dropped;
    try {
      const ancestors = this.#verify(tx, context);
      this.#mempool.checkConflicts(inputsOf(tx.unsigned).map(utxoIdOf));
      const pending = new PendingTx(tx, this.#meter(tx, options), ancestors);
      pending.warpHeight = context.pChainHeight;
      this.#mempool.add(pending);
    } catch (error) {
      if (error instanceof RuleError) this.#mempool.drop(tx.id, remembered(error));
      throw error;
    }
  }

  /** The rows of as many transactions as the largest block can contain. */
  buildKeys(): RowKey[] {
    if (this.#chain.proposal !== undefined) return [];
    const { state } = this.#chain;
    let gas = state.isActive("etna") ? state.network.dynamicFees.maxGasCapacity : undefined;
    let bytes = MAX_BLOCK_TX_BYTES;
    const keys: RowKey[] = [];
    for (const tx of this.#mempool.inOrder()) {
      keys.push(...tx.keys);
      bytes -= tx.size;
      if (gas !== undefined) gas -= tx.gas;
      if (bytes < 0 || (gas !== undefined && gas < 0n)) break;
    }
    return keys;
  }

  build(context: BuildContext): BuiltBlock | undefined {
    const { proposal, state } = this.#chain;
    if (proposal !== undefined) return buildOption(proposal, state, context);
    const { block, failed } = buildBlock(this.#chain, this.#mempool.inOrder(), this.#mempool.size > 0, context);
    for (const { tx, reason } of failed) this.#mempool.drop(tx.id, reason);
    return block;
  }

  /** The mempool has no conflicts with a block's transactions, because these were in it too. */
  accepted({ txIds }: BuiltBlock): void {
    if (this.#chain.proposal !== undefined) {
      this.#proposed = txIds;
      return;
    }
    for (const txId of [...this.#proposed, ...txIds]) this.#mempool.remove(txId);
    this.#proposed = [];
  }

  drop(txIds: readonly Id[], reason: string): void {
    for (const txId of txIds) this.#mempool.drop(txId, new RuleError("dropped", reason, { txId }));
  }

  nextChange(clock: bigint): bigint | undefined {
    if (this.#chain.proposal !== undefined) return clock;
    const change = nextChangeTime(this.#chain.state, MAX_U64);
    const ready = this.#nextReady(clock);
    if (ready !== undefined && ready < change) return ready;
    return change === MAX_U64 ? undefined : change;
  }

  status(txId: Id): PendingStatus | undefined {
    if (this.#mempool.has(txId)) return { kind: "processing" };
    const reason = this.#mempool.dropReason(txId);
    return reason && { kind: "dropped", reason: reason.message };
  }

  /** Whether a waiting transaction creates this blockchain. */
  isPendingChain(chainId: Id): boolean {
    return this.#mempool.get(chainId)?.tx.unsigned.kind === "CreateChainTx";
  }

  clear(): void {
    this.#mempool.clear();
    this.#proposed = [];
  }

  /** Verifies a transaction alone, or else together with those that it may build on. Returns the ones that it needs. */
  #verify(tx: SignedTx, context: AdmitContext): readonly PendingTx[] {
    const options = { warpHeight: context.pChainHeight };
    try {
      this.#chain.verifyTx(tx, context, options);
      return [];
    } catch (error) {
      const ancestors = this.#mempool.ancestorsOf(tx);
      if (!(error instanceof RuleError) || ancestors.length === 0) throw error;
      this.#chain.verifyTx(tx, context, { ...options, ancestors: ancestors.map(({ tx }) => tx) });
      return ancestors;
    }
  }

  #meter({ unsigned }: SignedTx, { skipsMempoolRules = false }: AdmitOptions): Meter {
    try {
      return meter(unsigned, this.#chain.state.network);
    } catch (error) {
      if (skipsMempoolRules && error instanceof RuleError) return UNMETERED;
      throw error;
    }
  }

  /** When there will be enough gas for the first waiting transaction. */
  #nextReady(clock: bigint): bigint | undefined {
    const first = this.#mempool.inOrder().next().value;
    if (first === undefined) return undefined;
    const { state } = this.#chain;
    const { timestamp, feeCapacity } = state.scalars;
    const missing = first.gas - feeCapacity;
    if (!state.isActive("etna") || missing <= 0n) return clock;
    const { maxGasPerSecond } = state.network.dynamicFees;
    const ready = timestamp + (missing + maxGasPerSecond - 1n) / maxGasPerSecond;
    return ready > clock ? ready : clock;
  }
}

/** A failed verification is remembered without its prefix, as on the node. */
function remembered(error: RuleError): Error {
  return error.message.startsWith("failed verification: ") && error.cause instanceof RuleError ? error.cause : error;
}
