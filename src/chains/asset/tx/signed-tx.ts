/**
 * A signed transaction: the unsigned one, and a credential for each consumed input. A block contains it without the codec version that is
 * hashed and signed (chain-formats 1.2), so decoding copies the bytes and prepends the version.
 */
import { formatId } from "../../../base/bytes/cb58.ts";
import { sha256Hex } from "../../../base/bytes/hash.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { type Codec, list } from "../../../base/codec/codec.ts";
import { CodecError } from "../../../base/codec/error.ts";
import type { FxBody } from "../fx/fx.ts";

export interface Signed<T> {
  readonly unsigned: T;
  readonly credentials: readonly FxBody[];
  readonly id: Id;
  /** with codec version */
  readonly bytes: Uint8Array;
  /** the bytes that are signed, with codec version */
  readonly unsignedBytes: Uint8Array;
}

const VERSION_BYTES = 2;

export function signedTx<T>(unsignedTx: Codec<T>, credential: Codec<FxBody>): Codec<Signed<T>> {
  const credentialList = list(credential);
  return {
    decode(reader) {
      const start = reader.offset;
      const unsigned = decodeMember("unsignedTx", () => unsignedTx.decode(reader));
      const signedFrom = reader.offset - start + VERSION_BYTES;
      const credentials = decodeMember("credentials", () => credentialList.decode(reader));
      const bytes = Buffer.allocUnsafe(reader.offset - start + VERSION_BYTES);
      bytes.writeUInt16BE(0, 0);
      bytes.set(reader.bytes.subarray(start, reader.offset), VERSION_BYTES);
      return { unsigned, credentials, id: sha256Hex(bytes), bytes, unsignedBytes: bytes.subarray(0, signedFrom) };
    },
    /** A decoded transaction is written with its original bytes. */
    encode(writer, { unsigned, credentials, bytes }) {
      if (bytes !== undefined) {
        writer.raw(bytes.subarray(VERSION_BYTES));
        return;
      }
      unsignedTx.encode(writer, unsigned);
      credentialList.encode(writer, [...credentials]);
    },
    json(tx, context) {
      const unsigned = unsignedTx.json(tx.unsigned, context);
      return `{"unsignedTx":${unsigned},"credentials":${credentialList.json([...tx.credentials], context)},"id":"${formatId(tx.id)}"}`;
    },
  };
}

function decodeMember<T>(name: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof CodecError ? error.under(name) : error;
  }
}
