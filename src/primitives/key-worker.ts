/** The worker thread of `keys-ahead.ts`: receives digests and signatures, and returns a compressed key for each, or zeros if there is none. */
import { parentPort } from "node:worker_threads";
import { DIGEST_BYTES, KEY_BYTES, recoverPublicKey, SIGNATURE_BYTES, SignatureError } from "./secp256k1.ts";

const SIGNED_BYTES = DIGEST_BYTES + SIGNATURE_BYTES;

parentPort!.on("message", (question: Uint8Array) => {
  const keys = new Uint8Array((question.length / SIGNED_BYTES) * KEY_BYTES);
  for (let at = 0, keyAt = 0; at < question.length; at += SIGNED_BYTES, keyAt += KEY_BYTES) {
    const key = recovered(question.subarray(at, at + DIGEST_BYTES), question.subarray(at + DIGEST_BYTES, at + SIGNED_BYTES));
    if (key !== undefined) keys.set(key, keyAt);
  }
  parentPort!.postMessage(keys, [keys.buffer]);
});

function recovered(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  try {
    return recoverPublicKey(digest, signature);
  } catch (error) {
    if (error instanceof SignatureError) return undefined;
    throw error;
  }
}
