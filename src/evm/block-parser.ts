/**
 * The border between an upstream and Firn: what a node answered about one block becomes an `EvmBlock`, or is refused with the name of the
 * field that cannot be. Pure. What contradicts itself (receipts of another block, a missing trace) is refused as well.
 */
import type { Address, EvmBlock } from "./block.ts";

export interface BlockAnswers {
  /** of `eth_getBlockByNumber` with whole transactions */
  readonly block: unknown;
  /** of `eth_getBlockReceipts`, or the receipts one by one in order */
  readonly receipts: unknown;
  /** of `debug_traceBlockByNumber` with callTracer, or of `trace_block`; undefined: the upstream has none */
  readonly traces: unknown | undefined;
}

export function parseBlock(answers: BlockAnswers, creators?: CreatorNonces): EvmBlock {
  return openBlock(answers).block(creators);
}

/** Nonces of contracts before the block: failed creations by contracts get their addresses from them. */
export type CreatorNonces = ReadonlyMap<Address, bigint>;

export interface OpenedBlock {
  /** Contracts whose nonce before this block (`eth_getTransactionCount` at its parent) tells the address of a failed creation; nearly always none. */
  readonly creators: readonly Address[];
  /** @param creators without them such an address is the zero address */
  block(creators?: CreatorNonces): EvmBlock;
}

export function openBlock(_answers: BlockAnswers): OpenedBlock {
  throw new Error("not there yet");
}
