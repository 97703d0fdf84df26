/**
 * Signatures whose signers several threads recover, in memory that they share. One thread takes each signature; the last ones are taken
 * first, because the thread that executes goes from front to back. A signature that yields no signer stays taken: whoever needs it recovers
 * it and gets the error.
 */
import type { ShortId } from "../bytes/id.ts";
import { recoverAddressAfresh, SIGNATURE_BYTES, SignatureError } from "./secp256k1.ts";

export interface SignedDigest {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

const DIGEST_BYTES = 32;
const SIGNED_BYTES = DIGEST_BYTES + SIGNATURE_BYTES;
const ADDRESS_BYTES = 20;

// states
const FREE = 0;
const TAKEN = 1;
const RECOVERED = 2;
const STATE_BYTES = 1;

export class SharedSignatures {
  readonly memory: SharedArrayBuffer;
  readonly #states: Uint8Array;
  /** digests, each with its signature */
  readonly #signed: Buffer;
  readonly #addresses: Buffer;

  /** @param memory that of another thread's object */
  constructor(memory: SharedArrayBuffer) {
    const count = memory.byteLength / (STATE_BYTES + SIGNED_BYTES + ADDRESS_BYTES);
    this.memory = memory;
    this.#states = new Uint8Array(memory, 0, count);
    this.#signed = Buffer.from(memory, count * STATE_BYTES, count * SIGNED_BYTES);
    this.#addresses = Buffer.from(memory, count * (STATE_BYTES + SIGNED_BYTES), count * ADDRESS_BYTES);
  }

  static of(list: readonly SignedDigest[]): SharedSignatures {
    const shared = new SharedSignatures(new SharedArrayBuffer(list.length * (STATE_BYTES + SIGNED_BYTES + ADDRESS_BYTES)));
    for (const [i, { digest, signature }] of list.entries()) {
      shared.#signed.set(digest, i * SIGNED_BYTES);
      shared.#signed.set(signature, i * SIGNED_BYTES + DIGEST_BYTES);
    }
    return shared;
  }

  /** Recovers the signers of all signatures that no thread has taken. */
  recoverFree(): void {
    for (let i = this.#states.length - 1; i >= 0; i--) {
      if (Atomics.compareExchange(this.#states, i, FREE, TAKEN) === FREE) this.#recover(i);
    }
  }

  /** The signer if it is recovered. If not, and no thread has begun to recover it, none will. */
  takeSigner(i: number): ShortId | undefined {
    if (Atomics.compareExchange(this.#states, i, FREE, TAKEN) !== RECOVERED) return undefined;
    return this.#addresses.toString("hex", i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES);
  }

  /** A copy: code outside JavaScript need not take shared memory. */
  signedDigest(i: number): SignedDigest {
    const signed = new Uint8Array(SIGNED_BYTES);
    signed.set(this.#signed.subarray(i * SIGNED_BYTES, (i + 1) * SIGNED_BYTES));
    return { digest: signed.subarray(0, DIGEST_BYTES), signature: signed.subarray(DIGEST_BYTES) };
  }

  #recover(i: number): void {
    const { digest, signature } = this.signedDigest(i);
    try {
      this.#addresses.write(recoverAddressAfresh(digest, signature), i * ADDRESS_BYTES, "hex");
    } catch (error) {
      if (error instanceof SignatureError) return;
      throw error;
    }
    Atomics.store(this.#states, i, RECOVERED);
  }
}
