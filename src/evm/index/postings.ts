/** How lists by address and by log name the parts of transactions that they lead to. Pure. */
import type { Codec } from "../../base/codec/codec.ts";
import { Reader, Writer } from "../../base/codec/reader.ts";
import { readVarint, writeVarint } from "../../base/codec/varint.ts";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../facts.ts";

/** What an address is in a transaction, as bits: its sender or receiver, and a party of transfers of each kind. */
export const NATIVE = 1;
export const ROLE_OF: Readonly<Record<TransferKind, number>> = { [ERC20]: 2, [ERC721]: 4, [ERC1155]: 8 };
/** None of the transaction's bits: a party of internal transactions only. */
export const ONLY_INTERNAL = 0;
/** every combination of bits */
export const ROLES = 16;

/** A part in which an address has a part, as a party of transfers of these kinds (bits of `ROLE_OF`). */
export interface OwnPart {
  readonly part: number;
  readonly kinds: number;
}

/** A transaction in a list of an address. */
export interface Posting {
  /** of the transaction in its block */
  readonly index: number;
  /** undefined: only the first part, with everything that the list says of the address */
  readonly parts?: readonly OwnPart[] | undefined;
}

/** The transactions of one block. Count, then for each: distance from the one before × 2, plus 1 if its parts follow. */
export const postings: Codec<readonly Posting[]> = {
  decode(reader) {
    let index = 0;
    return Array.from({ length: boundedCount(reader) }, () => {
      const step = readVarint(reader);
      index += Math.floor(step / 2);
      return step % 2 === 0 ? { index } : { index, parts: readParts(reader) };
    });
  },
  encode(writer, values) {
    let before = 0;
    writeVarint(writer, values.length);
    for (const { index, parts } of values) {
      writeVarint(writer, 2 * (index - before) + (parts === undefined ? 0 : 1));
      before = index;
      if (parts !== undefined) writeParts(writer, parts);
    }
  },
  json: (values) => JSON.stringify(values.map(({ index }) => index)),
};

function writeParts(writer: Writer, parts: readonly OwnPart[]): void {
  let before = 0;
  writeVarint(writer, parts.length);
  for (const { part, kinds } of parts) {
    writeVarint(writer, part - before);
    writer.u8(kinds);
    before = part;
  }
}

function readParts(reader: Reader): OwnPart[] {
  let part = 0;
  return Array.from({ length: boundedCount(reader) }, () => {
    part += readVarint(reader);
    return { part, kinds: reader.u8() };
  });
}

/** Each element has at least a byte. */
function boundedCount(reader: Reader): number {
  const count = readVarint(reader);
  reader.take(count);
  reader.offset -= count;
  return count;
}

/** Ascending numbers: count, then distances. */
export const ascending: Codec<readonly number[]> = {
  decode(reader) {
    let value = 0;
    return Array.from({ length: boundedCount(reader) }, () => {
      value += readVarint(reader);
      return value;
    });
  },
  encode(writer, values) {
    let before = 0;
    writeVarint(writer, values.length);
    for (const value of values) {
      writeVarint(writer, value - before);
      before = value;
    }
  },
  json: (values) => JSON.stringify(values),
};

/** Blocks of which a list's entries are in one row. */
const WINDOW_BITS = 5n;
const WINDOW_MASK = (1n << WINDOW_BITS) - 1n;

/** Number of the window with this height. */
export function windowOf(height: bigint): bigint {
  return height >> WINDOW_BITS;
}

/** A part of a transaction's logs or transfers. */
export interface PartRef {
  readonly index: number;
  readonly part: number;
}

export interface PartPlace extends PartRef {
  readonly height: bigint;
}

const entriesWriter = new Writer(256);
const blockWriter = new Writer(256);

/** What a block adds to a window's row. @param parts ascending, at least one */
export function blockEntries(height: bigint, parts: readonly PartRef[]): Uint8Array {
  entriesWriter.reset();
  let last = 0;
  for (const { index, part } of parts) {
    writeVarint(entriesWriter, 2 * (index - last) + (part === 0 ? 0 : 1));
    if (part !== 0) writeVarint(entriesWriter, part);
    last = index;
  }
  blockWriter.reset();
  blockWriter.u8(Number(height & WINDOW_MASK));
  writeVarint(blockWriter, entriesWriter.length);
  blockWriter.raw(entriesWriter.view());
  return blockWriter.finish();
}

/** Entries of a window's row in ascending order. */
export function readEntries(window: bigint, entries: Uint8Array): PartPlace[] {
  const reader = new Reader(entries);
  const places: PartPlace[] = [];
  while (reader.left > 0) {
    const height = (window << WINDOW_BITS) + BigInt(reader.u8());
    const length = readVarint(reader);
    const end = reader.take(length) + length;
    reader.offset = end - length;
    for (let index = 0; reader.offset < end; ) {
      const step = readVarint(reader);
      index += Math.floor(step / 2);
      places.push({ height, index, part: step % 2 === 0 ? 0 : readVarint(reader) });
    }
  }
  return places;
}
