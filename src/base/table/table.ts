import { bytes, type Codec, fixedHex, u16, u32, type Value } from "../codec/codec.ts";

/** Table columns for identifiers. (Chain codecs use the fields of `chains/platform/` and `chains/asset/`, which also define JSON.) */
export const id = fixedHex(32);
export const shortId = fixedHex(20);
export const blsPublicKey = fixedHex(48);

/**
 * How the row of an accepted transaction of P or X keeps its bytes. Those of a transaction in a block are in the block's row, which is not
 * larger than a message (256 KiB); the row says where. Others – of genesis, of the DAG, and those that execution reads again – are kept.
 */
export const storedTxColumns = {
  typeId: u16,
  /** position in the block, where it has no codec version */
  offset: u32,
  /** without codec version; 0 if the bytes are kept */
  size: u32,
  /** with codec version; empty if they are in the block */
  bytes,
};

export interface StoredTx {
  readonly typeId: number;
  readonly offset: number;
  readonly size: number;
  readonly bytes: Uint8Array;
}

const VERSION = Buffer.alloc(2);
const NO_BYTES = new Uint8Array(0);

/** Size of a transaction in a block. @param tx with codec version */
export function sizeInBlock(tx: Uint8Array): number {
  return tx.length - VERSION.length;
}

/** @param tx with codec version */
export function storedInBlock(tx: Uint8Array, offset: number): StoredTx {
  return { typeId: typeIdOf(tx), offset, size: sizeInBlock(tx), bytes: NO_BYTES };
}

/** @param tx with codec version */
export function storedWhole(tx: Uint8Array): StoredTx {
  return { typeId: typeIdOf(tx), offset: 0, size: 0, bytes: tx };
}

/** A transaction that was cut out of its block gets the codec version back. */
export function withVersion(cutOut: Uint8Array): Buffer {
  return Buffer.concat([VERSION, cutOut]);
}

function typeIdOf(tx: Uint8Array): number {
  return Buffer.from(tx.buffer, tx.byteOffset, tx.byteLength).readUInt32BE(VERSION.length);
}

// biome-ignore lint/suspicious/noExplicitAny: a column's own type is recovered by Value<>
type Columns = Record<string, Codec<any>>;

/**
 * A table: a primary key of order-preserving columns, and a value. Plain data, so chains can define their state rows without depending on a
 * store. The only reads are by key, by many keys, of parts of long values, and by key prefix with a bound, a direction and a limit.
 */
export interface Table<K extends Columns = Columns, V extends Columns = Columns> {
  /** Written to disk; never reused. */
  readonly id: number;
  /** snake_case, plural. */
  readonly name: string;
  /** In key order. Only `u8 u16 u32 u64 bool hex`, and `text` as the last column, sort like their bytes. */
  readonly key: K;
  readonly value: V;
}

export type TableKey<T extends Table> = { [N in keyof T["key"]]: Value<T["key"][N]> };
export type TableValue<T extends Table> = { [N in keyof T["value"]]: Value<T["value"][N]> };
export type Row<T extends Table> = { key: TableKey<T>; value: TableValue<T> };

/** A table whose type contains its ID and name, so that the compiler can distinguish tables. */
type Defined<I extends number, N extends string, K extends Columns, V extends Columns> = Table<K, V> & { readonly id: I; readonly name: N };

const SORTED: ReadonlySet<string> = new Set(["u8", "u16", "u32", "u64", "bool", "hex", "text"]);

/** Defines a table and checks that its key columns sort. */
export function table<const I extends number, const N extends string, K extends Columns, V extends Columns>(
  definition: Defined<I, N, K, V>,
): Defined<I, N, K, V> {
  const columns = Object.entries(definition.key);
  for (const [index, [name, codec]] of columns.entries()) {
    const kind = codec.column?.kind;
    const isLast = index === columns.length - 1;
    if (kind === undefined || !SORTED.has(kind) || (kind === "text" && !isLast)) {
      throw new TypeError(`${definition.name}.${name} cannot be a key column: it does not sort like its bytes`);
    }
  }
  return definition;
}

/** A change of one row. */
export interface Change<T extends Table = Table> {
  readonly table: T;
  readonly key: TableKey<T>;
  /** undefined deletes the row */
  readonly value: TableValue<T> | undefined;
}
