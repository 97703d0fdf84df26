/**
 * The equation behind proofs of possession: e(key, H(key)) = e(generator, proof), with H under the tag of proofs.
 * The compiled BLS library cannot hash with that tag. Hashing and pairing therefore happen in WebAssembly once that is loaded, and in
 * JavaScript, some five times slower, before. Callers have checked that keys and proofs are points of their groups, other than infinity.
 */
import { createRequire } from "node:module";
import { aggregateSignatures, aggregateWithRandomness, PublicKey } from "@chainsafe/blst";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type * as library from "mcl-wasm";
import type { BlsPublicKey } from "./id.ts";

export interface Possession {
  readonly publicKey: BlsPublicKey;
  readonly proof: Uint8Array;
}

/** What this file uses of the WebAssembly module; pointers are offsets into HEAP8. */
interface Pairings {
  readonly HEAP8: Int8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _mclBnG1_deserialize(point: number, bytes: number, length: number): number;
  _mclBnG2_deserialize(point: number, bytes: number, length: number): number;
  _mclBnG2_hashAndMapToWithDst(point: number, message: number, length: number, tag: number, tagLength: number): number;
  _mclBn_millerLoopVec(result: number, g1Points: number, g2Points: number, count: number): void;
  _mclBn_finalExp(result: number, value: number): void;
  _mclBnGT_isOne(value: number): number;
}

const TAG = Buffer.from("BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_", "ascii");
const NEGATED_GENERATOR = Buffer.from(
  "b7f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
  "hex",
);

/** Bytes of a coordinate in memory; points have three, the target group's elements twelve. */
const COORDINATE_BYTES = 48;
const G1_BYTES = 3 * COORDINATE_BYTES;
const G2_BYTES = 2 * G1_BYTES;
const TARGET_BYTES = 12 * COORDINATE_BYTES;
const LARGEST_INPUT = 96;

const { longSignatures, G1, G2 } = bls12_381;
const TAG_OPTION = { DST: TAG.toString("ascii") };

let pairings: Pairings | undefined;
let loading: Promise<void> | undefined;

/** Loads the WebAssembly module, which takes some 100 ms: worthwhile where more than a few proofs are to come. */
export function loadPairings(): Promise<void> {
  loading ??= (async () => {
    const mcl = createRequire(import.meta.url)("mcl-wasm") as typeof library & { readonly mod: Pairings };
    await mcl.init(mcl.BLS12_381);
    mcl.setETHserialization(true);
    mcl.setMapToMode(mcl.IRTF);
    // the points are checked by the compiled library, faster
    mcl.verifyOrderG1(false);
    mcl.verifyOrderG2(false);
    pairings = mcl.mod;
  })();
  return loading;
}

export function holds({ publicKey, proof }: Possession): boolean {
  const key = Buffer.from(publicKey, "hex");
  if (pairings !== undefined) return productIsOne(pairings, [{ key, scaledKey: key }], proof);
  return longSignatures.verify(G2.Point.fromBytes(proof), G2.hashToCurve(key, TAG_OPTION), G1.Point.fromBytes(key));
}

/** The proof for a secret key: its signature over its own public key. */
export function provePossession(secretKey: Uint8Array): Buffer {
  const publicKey = longSignatures.getPublicKey(secretKey).toBytes();
  return Buffer.from(longSignatures.sign(G2.hashToCurve(publicKey, TAG_OPTION), secretKey).toBytes());
}

/**
 * Whether all of them hold: each equation is raised to a random power and their product is tested, so that a false one passes with a
 * probability of 2⁻⁶⁴. Costs about a third of testing each.
 */
export function allHold(possessions: readonly Possession[]): boolean {
  if (possessions.length === 1 || pairings === undefined) return possessions.every(holds);
  const scaled = possessions.map(({ publicKey, proof }) => aggregateWithRandomness([{ pk: PublicKey.fromHex(publicKey), sig: proof }]));
  const keys = scaled.map(({ pk }, i) => ({ key: Buffer.from(possessions[i]!.publicKey, "hex"), scaledKey: pk.toBytes() }));
  return productIsOne(pairings, keys, aggregateSignatures(scaled.map(({ sig }) => sig)).toBytes());
}

/** ∏ e(scaledKey, H(key)) · e(−generator, proof) = 1 */
function productIsOne(pairings: Pairings, keys: readonly { key: Uint8Array; scaledKey: Uint8Array }[], proof: Uint8Array): boolean {
  const count = keys.length + 1;
  const start = pairings._malloc(TARGET_BYTES + count * (G1_BYTES + G2_BYTES) + LARGEST_INPUT + TAG.length);
  const g1Points = start + TARGET_BYTES;
  const g2Points = g1Points + count * G1_BYTES;
  const input = g2Points + count * G2_BYTES;
  const tag = input + LARGEST_INPUT;
  const put = (bytes: Uint8Array, at = input) => {
    pairings.HEAP8.set(bytes, at);
    return bytes.length;
  };
  try {
    put(TAG, tag);
    keys.forEach(({ key, scaledKey }, i) => {
      assertDone(pairings._mclBnG1_deserialize(g1Points + i * G1_BYTES, input, put(scaledKey)) > 0);
      assertDone(pairings._mclBnG2_hashAndMapToWithDst(g2Points + i * G2_BYTES, input, put(key), tag, TAG.length) === 0);
    });
    assertDone(pairings._mclBnG1_deserialize(g1Points + keys.length * G1_BYTES, input, put(NEGATED_GENERATOR)) > 0);
    assertDone(pairings._mclBnG2_deserialize(g2Points + keys.length * G2_BYTES, input, put(proof)) > 0);
    pairings._mclBn_millerLoopVec(start, g1Points, g2Points, count);
    pairings._mclBn_finalExp(start, start);
    return pairings._mclBnGT_isOne(start) === 1;
  } finally {
    pairings._free(start);
  }
}

function assertDone(isDone: boolean): void {
  if (!isDone) throw new TypeError("the points of a proof of possession were not checked before");
}
