/**
 * Real data of mainnet and Fuji, taken from public repositories: what is on chain, what its source or another item names by ID, and answers of
 * nodes. Each item says the repository and path that it comes from. Fuji's genesis file is beside them.
 */

import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { sha256 } from "../../../src/base/bytes/hash.ts";
import type { JsonContext } from "../../../src/base/codec/codec.ts";
import { recoverAddress } from "../../../src/base/signatures/secp256k1.ts";
import { type AssetCodec, assetCodec } from "../../../src/chains/asset/codec.ts";
import type { SignedTx as AssetTx } from "../../../src/chains/asset/tx/registry.ts";
import { type AtomicTx, parseAtomicTx, parseExtraData } from "../../../src/chains/atomic/tx.ts";
import { blockTxs, parseBlock } from "../../../src/chains/platform/block.ts";
import { parseTx, type SignedTx } from "../../../src/chains/platform/tx/registry.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { X_FXS } from "../../chains/asset/wallet.ts";
import { readLines } from "../json-lines.ts";
import { recordingFolder } from "../recordings.ts";

export interface Item {
  readonly id: string;
  readonly repo: string;
  readonly path: string;
  readonly network: "mainnet" | "fuji" | "unit-test" | "unknown-l1";
  /** `?` if the item does not tell */
  readonly chain: "P" | "X" | "C" | "L1" | "?";
  readonly kind: string;
  readonly origin: string;
  readonly hex?: string;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, never>>;
}

export const realFolder = recordingFolder("real-items");
export const items = [...readLines<Item>(realFolder, "items.jsonl")];

export function itemsOf(kind: string, chain?: Item["chain"]): Item[] {
  return items.filter((item) => item.kind === kind && (chain === undefined || item.chain === chain));
}

/** What an item states, in the form that its kind has. */
export function stated<T>({ expected }: Item): T {
  return expected as T;
}

export function bytesIn({ id, hex }: Item): Buffer {
  if (hex === undefined) throw new Error(`${id} has no bytes`);
  return Buffer.from(hex, "hex");
}

export function hrpOf({ network }: Item): string {
  return network === "mainnet" ? "avax" : "fuji";
}

export function jsonContext(item: Item): JsonContext {
  return { address: (address) => `${item.chain}-${encodeBech32(hrpOf(item), address)}` };
}

export const xCodec: AssetCodec = assetCodec(X_FXS);

/** Transactions of all items, with those in blocks, containers and batches. */
export interface RealTx {
  readonly item: Item;
  readonly platform?: SignedTx;
  readonly asset?: AssetTx;
  readonly atomic?: AtomicTx;
}

export function transactions(): RealTx[] {
  return items.flatMap((item): RealTx[] => {
    if (item.hex === undefined) return [];
    const bytes = bytesIn(item);
    if (item.chain === "P") return platformTxs(item, bytes).map((platform) => ({ item, platform }));
    if (item.chain === "X") return assetTxs(item, bytes).map((asset) => ({ item, asset }));
    if (item.chain !== "C" || item.kind === "warp") return [];
    const atomic = item.kind === "batch" ? parseExtraData(bytes, { isBatch: true }) : [parseAtomicTx(bytes)];
    return atomic.map((tx) => ({ item, atomic: tx }));
  });
}

function platformTxs({ kind }: Item, bytes: Buffer): readonly SignedTx[] {
  if (kind === "block" || kind === "container") return blockTxs(parseBlock(unwrapBlock(bytes, isPlatformBlock).inner));
  return kind === "utxo" ? [] : [parseTx(bytes)];
}

function assetTxs({ kind }: Item, bytes: Buffer): readonly AssetTx[] {
  if (kind === "block") return xCodec.parseBlock(bytes).txs;
  return kind === "utxo" || kind === "vertex" ? [] : [xCodec.parseTx(bytes)];
}

export function isPlatformBlock(bytes: Uint8Array): boolean {
  try {
    parseBlock(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Addresses that signed, by credential. */
export function signersOf({ platform, asset, atomic }: RealTx): string[][] {
  if (platform !== undefined) return platform.credentials.map(({ signatures }) => recovered(platform.digest, signatures));
  if (atomic !== undefined) {
    const signatures = atomic.credentials.map((credential) => credential.signatures.map((text) => Buffer.from(text, "hex")));
    return signatures.map((some) => recovered(sha256(atomic.unsignedBytes), some));
  }
  const digest = sha256(asset!.unsignedBytes);
  return asset!.credentials.map((credential) => recovered(digest, (credential as unknown as { signatures: Uint8Array[] }).signatures));
}

function recovered(digest: Buffer, signatures: readonly Uint8Array[]): string[] {
  return signatures.map((signature) => recoverAddress(digest, signature));
}
