/**
 * A signed transaction and its bytes. In blocks and genesis it has neither codec version nor length (chain-formats 1.2), so it keeps the
 * span of bytes that it was read from; its ID is the hash of `0000 ++ span`. IDs and digests are computed on first use.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import { sha256, sha256Hex } from "../../../base/bytes/hash.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { type Codec, decodeVersioned, encodeAll } from "../../../base/codec/codec.ts";
import { type Credential, credentials } from "../owner.ts";

const VERSION = Buffer.alloc(2);

export class Signed<T extends { readonly kind: string }> {
  readonly unsigned: T;
  readonly credentials: readonly Credential[];
  readonly #span: Uint8Array;
  readonly #unsignedLength: number;
  #bytes: Buffer | undefined;
  #id: Id | undefined;
  #digest: Buffer | undefined;

  /** @param span the transaction without codec version; its first `unsignedLength` bytes are the signed part */
  constructor(unsigned: T, signatures: readonly Credential[], span: Uint8Array, unsignedLength: number) {
    this.unsigned = unsigned;
    this.credentials = signatures;
    this.#span = span;
    this.#unsignedLength = unsignedLength;
  }

  /** With codec version. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.concat([VERSION, this.#span]);
    return this.#bytes;
  }

  /** With codec version. */
  get unsignedBytes(): Buffer {
    return this.bytes.subarray(0, VERSION.length + this.#unsignedLength);
  }

  get id(): Id {
    this.#id ??= sha256Hex(this.bytes);
    return this.#id;
  }

  /** The hash that is signed. */
  get digest(): Buffer {
    this.#digest ??= sha256(this.unsignedBytes);
    return this.#digest;
  }
}

/** The codec, without version, of signed transactions whose unsigned part is one of a union of types. */
export function signed<T extends { readonly kind: string }>(unsigned: Codec<T>): Codec<Signed<T>> {
  return {
    decode(reader) {
      const start = reader.offset;
      const value = unsigned.decode(reader);
      const unsignedEnd = reader.offset;
      const signatures = credentials.decode(reader);
      return new Signed(value, signatures, reader.bytes.subarray(start, reader.offset), unsignedEnd - start);
    },
    encode: (writer, tx) => writer.raw(tx.bytes.subarray(VERSION.length)),
    json(tx, context) {
      const list = credentials.json([...tx.credentials], context);
      return `{"unsignedTx":${unsigned.json(tx.unsigned, context)},"credentials":${list},"id":"${formatId(tx.id)}"}`;
    },
  };
}

/** Makes a signed transaction from its parts. */
export function assemble<T extends { readonly kind: string }>(unsigned: Codec<T>, value: T, signatures: Credential[]): Signed<T> {
  const body = encodeAll(unsigned, value);
  return new Signed(value, signatures, Buffer.concat([body, encodeAll(credentials, signatures)]), body.length);
}

const parsed = new WeakMap<Uint8Array, Signed<{ readonly kind: string }>>();

/** Decodes a signed transaction of known types from a row, with codec version. The result is cached for as long as the bytes are in use. */
export function storedTx<T extends { readonly kind: string }>(codec: Codec<Signed<T>>, bytes: Uint8Array): Signed<T> {
  let tx = parsed.get(bytes) as Signed<T> | undefined;
  if (tx === undefined) {
    tx = decodeVersioned(codec, bytes);
    parsed.set(bytes, tx);
  }
  return tx;
}
