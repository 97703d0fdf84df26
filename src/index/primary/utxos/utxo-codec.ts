/**
 * UTXOs of all three chains in one shape. Each chain writes its own codec, so the chain that created an output decides how it is decoded.
 * Decoded outputs are cached as long as their bytes live.
 */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { decodeAll } from "../../../base/codec/codec.ts";
import { type AssetCodec, assetCodec } from "../../../chains/asset/codec.ts";
import type { StateBody } from "../../../chains/asset/fx/fx.ts";
import { exportedUtxo } from "../../../chains/atomic/tx.ts";
import { parseGenesis } from "../../../chains/platform/genesis/genesis.ts";
import { utxo as platformUtxo, unlockedOutput } from "../../../chains/platform/output.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { asBuffer, type PackedFormat, PackedList, type PackedRow } from "../../packed-list.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain } from "../primary-chain.ts";
import { utxosByTime } from "./utxo-tables.ts";

// Lists of UTXOs in order of time, packed (`packed-list.ts`): 49 bytes for each UTXO, in order of time and then of ID.

/** A position in a list. */
interface TimePlace {
  /** of the UTXO's creation, Unix seconds */
  readonly timestamp: bigint;
  readonly utxoId: Id;
}

export interface ListedUtxo extends TimePlace {
  readonly amount: bigint;
  isSpent: boolean;
  /** what `entryOf` made */
  entry?: Buffer;
}

const TIME_BYTES = 8;
const ID_BYTES = 32;
const PLACE_BYTES = TIME_BYTES + ID_BYTES;
const SPENT_AT = PLACE_BYTES + 8;
const ENTRY_BYTES = SPENT_AT + 1;

/** UTXOs in a list's own row. */
export const SHORT = 32;

/** A part is of the first kind while it has unspent UTXOs. */
export const utxoLists: PackedFormat<typeof utxosByTime> = {
  table: utxosByTime,
  entryBytes: ENTRY_BYTES,
  placeBytes: PLACE_BYTES,
  short: SHORT,
  part: 16,
  kinds: [{ isSpent: false }, { isSpent: true }],
  kindOf: (packed) => ({ isSpent: Array.from({ length: countUtxos(packed) }, (_, index) => isSpentAt(packed, index)).every(Boolean) }),
  placeOf: placeAt,
  packPlace: (place) => packPlace(place as TimePlace),
};

/** What a list's own row has of it. */
export interface UtxoListRow {
  readonly size: number;
  readonly short: Uint8Array;
}

export function packedRow({ size, short }: UtxoListRow): PackedRow {
  return { hasParts: size > countUtxos(short), last: short };
}

/** A list in a run. */
export function openList(chain: number, listId: ShortId, row: UtxoListRow): PackedList {
  return new PackedList(utxoLists, { chain, listId }, packedRow(row));
}

export function packPlace({ timestamp, utxoId }: TimePlace): Buffer {
  const entry = Buffer.allocUnsafe(ENTRY_BYTES);
  entry.writeBigUInt64BE(timestamp);
  entry.write(utxoId, TIME_BYTES, "hex");
  return entry;
}

export function packUtxo(utxo: ListedUtxo): Buffer {
  const entry = packPlace(utxo);
  entry.writeBigUInt64BE(utxo.amount, PLACE_BYTES);
  entry[SPENT_AT] = utxo.isSpent ? 1 : 0;
  return entry;
}

/** Packed, once for all lists. The UTXO must not change any more. */
export function entryOf(utxo: ListedUtxo): Buffer {
  utxo.entry ??= packUtxo(utxo);
  return utxo.entry;
}

export function countUtxos(packed: Uint8Array): number {
  return packed.length / ENTRY_BYTES;
}

export function utxoAt(packed: Buffer, index: number): ListedUtxo {
  const at = index * ENTRY_BYTES;
  return {
    timestamp: packed.readBigUInt64BE(at),
    utxoId: packed.toString("hex", at + TIME_BYTES, at + PLACE_BYTES),
    amount: packed.readBigUInt64BE(at + PLACE_BYTES),
    isSpent: isSpentAt(packed, index),
  };
}

function placeAt(packed: Buffer, index: number): TimePlace {
  const at = index * ENTRY_BYTES;
  return { timestamp: packed.readBigUInt64BE(at), utxoId: packed.toString("hex", at + TIME_BYTES, at + PLACE_BYTES) };
}

export function isSpentAt(packed: Uint8Array, index: number): boolean {
  return packed[index * ENTRY_BYTES + SPENT_AT] === 1;
}

export function unpackUtxos(packed: Uint8Array): ListedUtxo[] {
  const all = asBuffer(packed);
  return Array.from({ length: countUtxos(packed) }, (_, index) => utxoAt(all, index));
}

export function markSpent(packed: Buffer, index: number): void {
  packed[index * ENTRY_BYTES + SPENT_AT] = 1;
}

type UtxoKind = "transfer" | "mint" | "nft transfer" | "nft mint" | "property mint" | "property owned";

/** The content of an output of any chain. */
export interface UtxoBody {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly kind: UtxoKind;
  /** 1 for an NFT; 0 for mint rights and properties, which have no amount */
  readonly amount: bigint;
  /** Unix seconds until which nobody can consume it */
  readonly locktime: bigint;
  /** Unix seconds until which it can only be staked; undefined if it has no such lock */
  readonly stakeableLocktime: bigint | undefined;
  readonly threshold: number;
  /** ascending */
  readonly addresses: readonly ShortId[];
  readonly nft?: { readonly groupId: number; readonly payload: Uint8Array | undefined };
}

/** The fields of a `utxo_records` row that describe its output. */
interface WrittenUtxo {
  /** without codec version */
  readonly bytes: Uint8Array;
  readonly createdOn: number;
}

const decoded = new WeakMap<Uint8Array, UtxoBody>();

/** Decodes the output without its ID. */
export function decodeOutput({ bytes, createdOn }: WrittenUtxo, network: NetworkInstance): UtxoBody {
  let body = decoded.get(bytes);
  if (body === undefined) {
    body = decodeOn(createdOn as PrimaryChain, bytes, network);
    decoded.set(bytes, body);
  }
  return body;
}

/** NFTs are counted apart from the fungible outputs of an asset. */
export function isNft({ kind }: Pick<UtxoBody, "kind">): boolean {
  return kind === "nft transfer" || kind === "nft mint";
}

function decodeOn(chain: PrimaryChain, bytes: Uint8Array, network: NetworkInstance): UtxoBody {
  if (chain === P_CHAIN) {
    const { txId, outputIndex, assetId, output } = decodeAll(platformUtxo, bytes);
    const { amount, locktime, threshold, addresses } = unlockedOutput(output);
    const stakeableLocktime = output.kind === "LockOut" ? output.locktime : undefined;
    return { txId, outputIndex, assetId, kind: "transfer", amount, locktime, stakeableLocktime, threshold, addresses };
  }
  if (chain === C_CHAIN) {
    const { txId, outputIndex, assetId, output } = decodeAll(exportedUtxo, bytes);
    const { amount, locktime, threshold, addresses } = output;
    return { txId, outputIndex, assetId, kind: "transfer", amount, locktime, stakeableLocktime: undefined, threshold, addresses };
  }
  const { txId, outputIndex, assetId, output } = decodeAll(xChainCodec(network).utxo, bytes);
  const { locktime, threshold, addresses } = output;
  return { txId, outputIndex, assetId, ...contentOf(output), locktime, stakeableLocktime: undefined, threshold, addresses };
}

const KINDS: Readonly<Record<string, UtxoKind>> = {
  "secp256k1.TransferOutput": "transfer",
  "secp256k1.MintOutput": "mint",
  "nft.TransferOutput": "nft transfer",
  "nft.MintOutput": "nft mint",
  "property.MintOutput": "property mint",
  "property.OwnedOutput": "property owned",
};

function contentOf(output: StateBody): Pick<UtxoBody, "kind" | "amount" | "nft"> {
  const kind = KINDS[output.kind];
  if (kind === undefined) throw new TypeError(`${output.kind} is not an output of the X-chain`);
  const { amount = 0n, groupId, payload } = output as { amount?: bigint; groupId?: number; payload?: Uint8Array };
  if (groupId === undefined) return { kind, amount };
  return { kind, amount: kind === "nft transfer" ? 1n : 0n, nft: { groupId, payload } };
}

const xChainCodecs = new WeakMap<NetworkInstance, AssetCodec>();

/** The X-chain's codec. Its fxs come from its CreateChainTx in the genesis. */
export function xChainCodec(network: NetworkInstance): AssetCodec {
  let codec = xChainCodecs.get(network);
  if (codec === undefined) {
    const created = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.xChainId)?.unsigned;
    codec = assetCodec(created?.kind === "CreateChainTx" ? created.fxIds : []);
    xChainCodecs.set(network, codec);
  }
  return codec;
}
