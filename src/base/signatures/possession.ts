/**
 * Verifies proofs of possession, in compiled code where that can be loaded, else in WebAssembly once that is loaded, and before that in
 * JavaScript, which takes some ten times as long as compiled code. Callers must have checked that keys and proofs are points of their groups
 * other than infinity.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { type Equation, type Possession, TAG } from "./possession-equation.ts";
import { loadNativeEquation } from "./possession-native.ts";
import { loadWasmEquation } from "./possession-wasm.ts";

const { longSignatures, G1, G2 } = bls12_381;
const TAG_OPTION = { DST: TAG };

/** undefined: not looked for */
let native: { readonly equation: Equation | undefined } | undefined;
let wasm: Equation | undefined;
let loading: Promise<void> | undefined;

function fastEquation(): Equation | undefined {
  native ??= { equation: loadNativeEquation() };
  return native.equation ?? wasm;
}

/** Loads WebAssembly where nothing faster is. This takes about 100 ms, so do it only where more than a few proofs are expected. */
export function loadPairings(): Promise<void> {
  if (fastEquation() !== undefined) return Promise.resolve();
  loading ??= loadWasmEquation().then((equation) => {
    wasm = equation;
  });
  return loading;
}

export function holds(possession: Possession): boolean {
  return allHold([possession]);
}

/** In JavaScript, one by one. */
export const scriptEquation: Equation = (possessions) =>
  possessions.every(({ publicKey, proof }) => {
    const key = Buffer.from(publicKey, "hex");
    return longSignatures.verify(G2.Point.fromBytes(proof), G2.hashToCurve(key, TAG_OPTION), G1.Point.fromBytes(key));
  });

/** Makes the proof for a secret key: its signature over its own public key. */
export function provePossession(secretKey: Uint8Array): Buffer {
  return signAsProof(secretKey, longSignatures.getPublicKey(secretKey).toBytes());
}

/** Signs in the domain of proofs, as nodes sign their addresses: no other signature of theirs can be taken for it. */
export function signAsProof(secretKey: Uint8Array, message: Uint8Array): Buffer {
  return Buffer.from(longSignatures.sign(G2.hashToCurve(message, TAG_OPTION), secretKey).toBytes());
}

/** Whether all proofs are valid. */
export function allHold(possessions: readonly Possession[]): boolean {
  return (fastEquation() ?? scriptEquation)(possessions);
}
