/** The equation of proofs of possession in WebAssembly, for machines that cannot load the compiled library. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { aggregateSignatures, PublicKey, Signature } from "@chainsafe/blst";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type * as library from "mcl-wasm";
import { type Equation, type Possession, TAG } from "./possession-equation.ts";

/** The functions used from the WebAssembly module. Pointers are offsets into HEAP8. */
interface Pairings {
  readonly HEAP8: Int8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _mclBnFp_setBigEndianMod(coordinate: number, bytes: number, length: number): number;
  _mclBnFp_setInt32(coordinate: number, value: number): void;
  _mclBnFr_setLittleEndian(scalar: number, bytes: number, length: number): number;
  _mclBnG1_mul(product: number, point: number, scalar: number): void;
  _mclBnG2_hashAndMapToWithDst(point: number, message: number, length: number, tag: number, tagLength: number): number;
  _mclBn_millerLoopVec(result: number, g1Points: number, g2Points: number, count: number): void;
  _mclBn_finalExp(result: number, value: number): void;
  _mclBnGT_isOne(value: number): number;
}

const TAG_BYTES = Buffer.from(TAG, "ascii");
/** Bytes of a coordinate in memory. Points have three, elements of the target group twelve. */
const COORDINATE_BYTES = 48;
const G1_BYTES = 3 * COORDINATE_BYTES;
const G2_BYTES = 2 * G1_BYTES;
const TARGET_BYTES = 12 * COORDINATE_BYTES;
const SCALAR_BYTES = 32;
const POWER_BYTES = 8;
/** The order in memory of the coordinates of the uncompressed form, which has the imaginary parts first. */
const G1_ORDER = [0, 1];
const G2_ORDER = [1, 0, 3, 2];

const NEGATED_GENERATOR = Buffer.from(bls12_381.G1.Point.BASE.negate().toBytes(false));

/** This takes about 100 ms. */
export async function loadWasmEquation(): Promise<Equation> {
  const mcl = createRequire(import.meta.url)("mcl-wasm") as typeof library & { readonly mod: Pairings };
  await mcl.init(mcl.BLS12_381);
  mcl.setETHserialization(true);
  mcl.setMapToMode(mcl.IRTF);
  // the compiled library checks the points, faster
  mcl.verifyOrderG1(false);
  mcl.verifyOrderG2(false);
  return (possessions) => {
    const proofs = possessions.map(({ proof }) => Signature.fromBytes(proof, false));
    const powers = possessions.length === 1 ? undefined : randomBytes(possessions.length * POWER_BYTES);
    return productIsOne(mcl.mod, possessions, powers, powers === undefined ? proofs[0]! : sumOfPowers(proofs, powers));
  };
}

/** Computes Σ power · proof bit by bit from the highest, because the compiled library is fast only at summing many points. */
function sumOfPowers(proofs: readonly Signature[], powers: Buffer): Signature {
  let sum: Signature | undefined;
  for (let bit = POWER_BYTES * 8 - 1; bit >= 0; bit--) {
    const terms = proofs.filter((_, i) => (powers[i * POWER_BYTES + (bit >> 3)]! >> (bit & 7)) & 1);
    if (sum !== undefined) terms.push(sum, sum);
    if (terms.length > 0) sum = aggregateSignatures(terms);
  }
  if (sum === undefined) throw new RangeError("all random powers are zero");
  return sum;
}

/** Tests ∏ e(power · key, H(key)) · e(−generator, proof) = 1. Powers are little-endian; without them they are 1. */
function productIsOne(pairings: Pairings, possessions: readonly Possession[], powers: Buffer | undefined, proof: Signature): boolean {
  const count = possessions.length + 1;
  const start = pairings._malloc(TARGET_BYTES + count * (G1_BYTES + G2_BYTES) + SCALAR_BYTES + COORDINATE_BYTES + TAG_BYTES.length);
  const g1Points = start + TARGET_BYTES;
  const g2Points = g1Points + count * G1_BYTES;
  const scalar = g2Points + count * G2_BYTES;
  const input = scalar + SCALAR_BYTES;
  const tag = input + COORDINATE_BYTES;
  const put = (bytes: Uint8Array, at = input) => {
    pairings.HEAP8.set(bytes, at);
    return bytes.length;
  };
  /** Writes an affine point from its uncompressed form, without computing a root or checking again. */
  const putCoordinates = (at: number, bytes: Uint8Array, order: readonly number[]) => {
    for (const [slot, index] of order.entries()) {
      const coordinate = bytes.subarray(index * COORDINATE_BYTES, (index + 1) * COORDINATE_BYTES);
      assertDone(pairings._mclBnFp_setBigEndianMod(at + slot * COORDINATE_BYTES, input, put(coordinate)) === 0);
    }
    // in G2 the third coordinate is complex too
    const third = at + order.length * COORDINATE_BYTES;
    pairings._mclBnFp_setInt32(third, 1);
    if (order.length === 4) pairings._mclBnFp_setInt32(third + COORDINATE_BYTES, 0);
  };
  try {
    put(TAG_BYTES, tag);
    for (const [i, { publicKey }] of possessions.entries()) {
      const key = g1Points + i * G1_BYTES;
      putCoordinates(key, PublicKey.fromHex(publicKey).toBytes(false), G1_ORDER);
      if (powers !== undefined) {
        const power = powers.subarray(i * POWER_BYTES, (i + 1) * POWER_BYTES);
        assertDone(pairings._mclBnFr_setLittleEndian(scalar, input, put(power)) === 0);
        pairings._mclBnG1_mul(key, key, scalar);
      }
      const message = put(Buffer.from(publicKey, "hex"));
      assertDone(pairings._mclBnG2_hashAndMapToWithDst(g2Points + i * G2_BYTES, input, message, tag, TAG_BYTES.length) === 0);
    }
    putCoordinates(g1Points + possessions.length * G1_BYTES, NEGATED_GENERATOR, G1_ORDER);
    putCoordinates(g2Points + possessions.length * G2_BYTES, proof.toBytes(false), G2_ORDER);
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
