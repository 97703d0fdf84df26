/**
 * Transfers and internal transactions of a transaction as bytes, in parts of PART_ITEMS: the first part is in the transaction's row, and
 * few transactions have more. Pure.
 */

import { integer256 } from "../../base/codec/integer.ts";
import { Reader } from "../../base/codec/reader.ts";
import { readVarint, varint64, writeVarint } from "../../base/codec/varint.ts";
import { Writer } from "../../base/codec/writer.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { shortId } from "../../base/table/columns.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { ZERO_ADDRESS } from "../decode/log-words.ts";
import { type Internal, type InternalType, KINDS, type Transfer } from "../facts.ts";

/** Most items of a part. Not part of the format of a part, but of what lists say. */
export const PART_ITEMS = 16;

/** Sender and receiver of a transaction, to which most of its parts refer. */
export interface NativeParties {
  readonly from: Address;
  readonly to: Address;
}

/** In the order of their bits. */
export const INTERNAL_TYPES: readonly InternalType[] = ["CALL", "CALLCODE", "CREATE", "CREATE2"];
const REVERTED = 0x80;

const NO_BYTES = new Uint8Array();

/** The bytes of each part; one without bytes if there are no items. */
export function transferParts(transfers: readonly Transfer[], native: NativeParties): Uint8Array[] {
  return partsOf(transfers, native, (writer, addresses, { kind, token, from, to, tokenId, value, logIndex, batchIndex }) => {
    writer.u8(KINDS.indexOf(kind));
    addresses.write(writer, token);
    addresses.write(writer, from);
    addresses.write(writer, to);
    integer256.encode(writer, tokenId);
    integer256.encode(writer, value);
    writeVarint(writer, logIndex);
    writeVarint(writer, batchIndex);
  });
}

export function readTransfers(part: Uint8Array, native: NativeParties): Transfer[] {
  return itemsOf(part, native, (reader, addresses) => ({
    kind: known(KINDS, reader.u8()),
    token: addresses.read(reader),
    from: addresses.read(reader),
    to: addresses.read(reader),
    tokenId: integer256.decode(reader),
    value: integer256.decode(reader),
    logIndex: readVarint(reader),
    batchIndex: readVarint(reader),
  }));
}

/** As `transferParts`. */
export function internalParts(internals: readonly Internal[], native: NativeParties): Uint8Array[] {
  return partsOf(internals, native, (writer, addresses, { type, from, to, value, isReverted, gasLimit, gasUsed }) => {
    writer.u8(INTERNAL_TYPES.indexOf(type) | (isReverted ? REVERTED : 0));
    addresses.write(writer, from);
    addresses.write(writer, to);
    integer256.encode(writer, value);
    varint64.encode(writer, gasLimit);
    varint64.encode(writer, gasUsed);
  });
}

export function readInternals(part: Uint8Array, native: NativeParties): Internal[] {
  return itemsOf(part, native, (reader, addresses) => {
    const type = reader.u8();
    return {
      type: known(INTERNAL_TYPES, type & ~REVERTED),
      from: addresses.read(reader),
      to: addresses.read(reader),
      value: integer256.decode(reader),
      isReverted: (type & REVERTED) !== 0,
      gasLimit: varint64.decode(reader),
      gasUsed: varint64.decode(reader),
    };
  });
}

const writer = new Writer(4096);

function partsOf<T>(
  items: readonly T[],
  native: NativeParties,
  write: (writer: Writer, addresses: Addresses, item: T) => void,
): Uint8Array[] {
  if (items.length === 0) return [NO_BYTES];
  const parts: Uint8Array[] = [];
  for (let start = 0; start < items.length; start += PART_ITEMS) {
    writer.reset();
    const addresses = new Addresses(native);
    for (const item of items.slice(start, start + PART_ITEMS)) write(writer, addresses, item);
    parts.push(writer.finish());
  }
  return parts;
}

function itemsOf<T>(part: Uint8Array, native: NativeParties, read: (reader: Reader, addresses: Addresses) => T): T[] {
  const items: T[] = [];
  if (part.length === 0) return items;
  const reader = new Reader(part);
  const addresses = new Addresses(native);
  while (reader.left > 0) items.push(read(reader, addresses));
  return items;
}

/** An address is 0 and its bytes when it is met first, then its number; those of the transaction, and zero, are known. */
class Addresses {
  readonly #known: Address[];

  constructor({ from, to }: NativeParties) {
    this.#known = [from, to, ZERO_ADDRESS];
  }

  write(writer: Writer, address: Address): void {
    const at = this.#known.indexOf(address) + 1;
    writer.u8(at);
    if (at !== 0) return;
    shortId.encode(writer, address);
    this.#known.push(address);
  }

  read(reader: Reader): Address {
    const at = reader.u8();
    if (at !== 0) return known(this.#known, at - 1);
    const address = shortId.decode(reader);
    this.#known.push(address);
    return address;
  }
}

function known<T>(values: readonly T[], at: number): T {
  const value = values[at];
  if (value === undefined) throw new FirnError("evm-rows", `has a part that refers to number ${at} of ${values.length}`, { at });
  return value;
}
