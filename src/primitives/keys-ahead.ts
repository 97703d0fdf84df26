/**
 * Recovers the keys of signatures on another thread, so that verification, which cannot wait, finds them. A signature that yields no key is
 * left to verification, which says what is wrong with it.
 */
import { AnsweringThread } from "./answering-thread.ts";
import { DIGEST_BYTES, KEY_BYTES, rememberPublicKey, SIGNATURE_BYTES } from "./secp256k1.ts";
import { startWorker } from "./start-worker.ts";

export interface SignedDigest {
  /** the hash that is signed */
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** Fewer are recovered faster where they are needed: one takes 40 µs, and so does asking a thread. */
const FEWEST = 8;
/** Bounds the memory of a question; of more, the rest is left to verification. */
const MOST = 2048;

let thread: AnsweringThread<Uint8Array, Uint8Array> | undefined;

/** Resolves once their keys are remembered. The first call with enough of them starts the thread. */
export async function recoverKeysAhead(signed: readonly SignedDigest[]): Promise<void> {
  const asked = signed.filter(({ signature }) => signature.length === SIGNATURE_BYTES).slice(0, MOST);
  if (asked.length < FEWEST) return;
  thread ??= startThread();
  const question = new Uint8Array(asked.length * (DIGEST_BYTES + SIGNATURE_BYTES));
  for (const [i, { digest, signature }] of asked.entries()) {
    const at = i * (DIGEST_BYTES + SIGNATURE_BYTES);
    question.set(digest, at);
    question.set(signature, at + DIGEST_BYTES);
  }
  // without the thread, verification recovers all of them
  const keys = await thread.ask(question, [question.buffer]).catch(() => new Uint8Array(asked.length * KEY_BYTES));
  for (const [i, { digest, signature }] of asked.entries()) {
    // a compressed key begins with 2 or 3; nothing was written for a signature without one
    if (keys[i * KEY_BYTES] !== 0) rememberPublicKey(digest, signature, keys.subarray(i * KEY_BYTES, (i + 1) * KEY_BYTES));
  }
}

function startThread() {
  const started = new AnsweringThread<Uint8Array, Uint8Array>(startWorker("./key-worker.js", import.meta.url), () => {
    // the next call starts another one
    if (thread === started) thread = undefined;
  });
  return started;
}
