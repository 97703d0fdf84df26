/** The P-chain's blocks: nine types, of which those before Banff have no time of their own (chain-formats 6.2). */

import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import {
  decodeVersioned,
  encodeVersioned,
  type JsonContext,
  list,
  MAX_MESSAGE_BYTES,
  u64,
  union,
  type Value,
  variant,
} from "../../base/codec/codec.ts";
import type { Possession } from "../../base/signatures/possession-equation.ts";
import { sizeInBlock } from "../../base/table/table.ts";
import type { RowKey } from "../../base/table/view.ts";
import { id } from "./output.ts";
import { definitionOf, type SignedTx, signedTx, type UnsignedTx } from "./tx/registry.ts";
import { txTypeIds } from "./type-ids.ts";

/** The block's own ID, in JSON only, after the height. */
const ownId = { jsonOnly: (block: { readonly id: Id }) => `"${formatId(block.id)}"` };
const place = { parentId: id, height: u64, id: ownId };
const txs = list(signedTx);

const variants = {
  0: variant("ApricotProposalBlock", { ...place, tx: signedTx }),
  1: variant("ApricotAbortBlock", place),
  2: variant("ApricotCommitBlock", place),
  3: variant("ApricotStandardBlock", { ...place, txs }),
  4: variant("ApricotAtomicBlock", { ...place, tx: signedTx }),
  // the decisions come before the parent; the proposal comes last
  29: variant("BanffProposalBlock", { time: u64, txs, ...place, tx: signedTx }),
  30: variant("BanffAbortBlock", { time: u64, ...place }),
  31: variant("BanffCommitBlock", { time: u64, ...place }),
  32: variant("BanffStandardBlock", { time: u64, ...place, txs }),
};
const blockTypeIds = new Set([...txTypeIds, ...Object.keys(variants).map(Number)]);

const body = union(variants, blockTypeIds);

type Body = Value<typeof body>;

export type PlatformBlock = Body & {
  readonly id: Id;
  /** with codec version */
  readonly bytes: Uint8Array;
};

export type ProposalBlock = Extract<PlatformBlock, { kind: "ApricotProposalBlock" | "BanffProposalBlock" }>;
export type OptionBlock = Extract<
  PlatformBlock,
  { kind: "ApricotAbortBlock" | "ApricotCommitBlock" | "BanffAbortBlock" | "BanffCommitBlock" }
>;
/** A block that takes effect by itself, without an option. */
export type DecisionBlock = Extract<PlatformBlock, { kind: "ApricotStandardBlock" | "ApricotAtomicBlock" | "BanffStandardBlock" }>;

export function parseBlock(bytes: Uint8Array): PlatformBlock {
  return { ...decodeVersioned(body, bytes, { limit: MAX_MESSAGE_BYTES }), id: sha256Hex(bytes), bytes };
}

export function encodeBlock(block: Body): Buffer {
  return encodeVersioned(body, block);
}

export function isProposal(block: PlatformBlock): block is ProposalBlock {
  return block.kind === "ApricotProposalBlock" || block.kind === "BanffProposalBlock";
}

export function isOption(block: PlatformBlock): block is OptionBlock {
  return !("tx" in block) && !("txs" in block);
}

/** Returns transactions in the order of their effects: decisions, then the proposal. */
export function blockTxs(block: PlatformBlock): readonly SignedTx[] {
  return [...("txs" in block ? block.txs : []), ...("tx" in block ? [block.tx] : [])];
}

/** after version, type, time and count */
const BANFF_DECISIONS_AT = 2 + 4 + 8 + 4;

export interface PlacedTx {
  readonly tx: SignedTx;
  /** where it begins in the block's bytes */
  readonly offset: number;
}

/** Returns transactions as `blockTxs` does. All are the last part of their block, but for the decisions of a Banff proposal. */
export function placedTxs(block: PlatformBlock): PlacedTx[] {
  const txs = blockTxs(block);
  const size = (some: readonly SignedTx[]) => some.reduce((sum, { bytes }) => sum + sizeInBlock(bytes), 0);
  const isBanffProposal = block.kind === "BanffProposalBlock";
  let at = isBanffProposal ? BANFF_DECISIONS_AT : block.bytes.length - size(txs);
  return txs.map((tx, i) => {
    const offset = isBanffProposal && i === txs.length - 1 ? block.bytes.length - size([tx]) : at;
    at += size([tx]);
    return { tx, offset };
  });
}

/** The node's JSON of a block. It does not contain the type: commits and aborts look the same. */
export function blockJson(block: PlatformBlock, context: JsonContext): string {
  return body.json(block, context);
}

/** The rows that executing a block or a transaction reads, except resident ones. */
export function blockKeys(block: PlatformBlock): RowKey[] {
  return blockTxs(block).flatMap(txKeys);
}

export function txKeys({ id, unsigned }: SignedTx): RowKey[] {
  return definitionOf(unsigned.kind).keysRead(unsigned, id);
}

/** Collects the proofs of possession in a block, which are verified before its execution on other threads because they are expensive. */
export function blockProofs(block: PlatformBlock): readonly Possession[] {
  return blockTxs(block).flatMap(({ unsigned }) => txProofs(unsigned));
}

export function txProofs(tx: UnsignedTx): readonly Possession[] {
  return definitionOf(tx.kind).proofs?.(tx) ?? [];
}
