/**
 * Does the expensive parts of verifying a transaction in advance: recovers signature keys in turns, and verifies proofs of possession on
 * other threads. Verification itself cannot pause; it finds these results and reports what is wrong with them.
 */

import type { Possession } from "../base/signatures/possession-equation.ts";
import { verifyProofsOfPossession } from "../base/signatures/proofs-ahead.ts";
import { recoverAddress, SignatureError } from "../base/signatures/secp256k1.ts";
import { eachInTurns } from "../base/work/in-turns.ts";
import type { Work } from "../base/work/work.ts";

/** A transaction may have 4,000 signatures, which take 50 µs each. @param digest the hash that they sign */
export async function recoverAhead(work: Work, digest: Uint8Array, signatures: Iterable<Uint8Array>): Promise<void> {
  await eachInTurns(work, signatures, (signature) => {
    try {
      recoverAddress(digest, signature);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
    }
  });
}

/** A single proof is verified faster on this thread. */
export async function verifyProofsAhead(proofs: readonly Possession[]): Promise<void> {
  if (proofs.length > 1) await verifyProofsOfPossession(proofs);
}
