/** Encodes and decodes UTXO rows, which have no codec version. Decoded UTXOs are cached for as long as their row's bytes are in use. */
import { decodeAll, encodeAll } from "../../../base/codec/codec.ts";
import { type Utxo, utxo as utxoCodec } from "../output.ts";

const decoded = new WeakMap<Uint8Array, Utxo>();

export function decodeUtxo(bytes: Uint8Array): Utxo {
  let utxo = decoded.get(bytes);
  if (utxo === undefined) {
    utxo = decodeAll(utxoCodec, bytes);
    decoded.set(bytes, utxo);
  }
  return utxo;
}

export function encodeUtxo(utxo: Utxo): Uint8Array {
  const bytes = encodeAll(utxoCodec, utxo);
  decoded.set(bytes, utxo);
  return bytes;
}
