import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/base/bytes/hash.ts";
import {
  addressOf,
  publicKeyOf,
  recoverAddress,
  recoverPublicKey,
  rememberSigner,
  signDigest,
} from "../../../src/base/signatures/secp256k1.ts";
import { SharedSignatures, type SignedDigest } from "../../../src/base/signatures/shared-signatures.ts";
import { SignaturesAhead } from "../../../src/base/signatures/signatures-ahead.ts";
import { startWorker } from "../../../src/base/signatures/start-worker.ts";
import { eventuallyHolds } from "../../patience.ts";
import { messageOf } from "../codec/error-text.ts";

const KEY = sha256(Buffer.from("key"));
const RECOVERED = 2;

const closing: SignaturesAhead[] = [];
afterEach(async () => {
  for (const ahead of closing.splice(0)) await ahead.close();
});

let made = 0;
/** A signature that no test has seen, so that nothing is remembered of it. */
function fresh(key: Uint8Array = KEY): SignedDigest {
  const digest = sha256(Buffer.from(`digest ${made++}`));
  return { digest, signature: signDigest(digest, key) };
}

function changed({ digest, signature }: SignedDigest, at: number, by: number): SignedDigest {
  const copy = Buffer.from(signature);
  copy[at]! ^= by;
  return { digest, signature: copy };
}

/** How `recoverAddress` ends. */
function outcome({ digest, signature }: SignedDigest): string {
  try {
    return recoverAddress(digest, signature);
  } catch (error) {
    return (error as Error).message;
  }
}

function opened(threads: number, start?: () => Worker): SignaturesAhead {
  const ahead = new SignaturesAhead(threads, start);
  closing.push(ahead);
  return ahead;
}

function parts(list: readonly SignedDigest[]) {
  return list.map(({ digest, signature }) => ({ digest: () => digest, signatures: [signature] }));
}

/** A thread from the sources, and the memory that it is given. */
function watchedThread(memories: SharedArrayBuffer[]): Worker {
  const worker = startWorker("./recovery-worker.js", new URL("../../../src/base/signatures/signatures-ahead.ts", import.meta.url).href);
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (memory: SharedArrayBuffer) => {
    memories.push(memory);
    post(memory);
  };
  return worker;
}

describe("in shared memory", () => {
  const anySigned = fc.record({ key: fc.integer({ min: 1, max: 9 }), at: fc.nat(64), by: fc.constantFrom(0, 0, 1, 4, 0x80, 0xff) });

  test("each signer is the one that is recovered directly, and there is none where that fails", () => {
    fc.assert(
      fc.property(fc.array(anySigned, { minLength: 1, maxLength: 12 }), (list) => {
        const signed = list.map(({ key, at, by }) => changed(fresh(sha256(Buffer.of(key))), at, by));
        const shared = SharedSignatures.of(signed);
        new SharedSignatures(shared.memory).recoverFree();
        for (const [i, one] of signed.entries()) {
          const signer = shared.takeSigner(i);
          const direct = outcome(one);
          expect(signer).toBe(/^[0-9a-f]{40}$/.test(direct) ? direct : undefined);
          expect(shared.signedDigest(i)).toEqual({ digest: new Uint8Array(one.digest), signature: new Uint8Array(one.signature) });
        }
      }),
      { numRuns: 60 },
    );
  });

  test("what execution has taken, no thread recovers any more", () => {
    const shared = SharedSignatures.of([fresh(), fresh()]);
    expect(shared.takeSigner(0)).toBeUndefined();
    shared.recoverFree();
    expect([shared.takeSigner(0), shared.takeSigner(1)]).toEqual([undefined, addressOf(KEY)]);
  });
});

test("what is remembered is not recovered again, for this digest and signature only, and leaves public keys alone", () => {
  const [one, other] = [fresh(), fresh()];
  const planted = "00".repeat(20);
  rememberSigner(one.digest, one.signature, planted);
  expect(recoverAddress(one.digest, one.signature)).toBe(planted);
  expect(Buffer.from(recoverPublicKey(one.digest, one.signature))).toEqual(Buffer.from(publicKeyOf(KEY)));
  expect(recoverAddress(other.digest, other.signature)).toBe(addressOf(KEY));
  expect(recoverAddress(other.digest, one.signature)).not.toBe(planted);
  expect(recoverAddress(one.digest, changed(one, 64, 1).signature)).not.toBe(planted);
});

describe("on other threads", () => {
  test.each([1, 2])("%i recover the signers of several batches, and leave bad signatures to execution", async (threads) => {
    const memories: SharedArrayBuffer[] = [];
    const ahead = opened(threads, () => watchedThread(memories));
    const signed = Array.from({ length: 300 }, () => fresh());
    signed[7] = changed(signed[7]!, 64, 4);
    signed[299] = changed(signed[299]!, 64, 0x80);
    const take = ahead.add(parts(signed));
    await eventuallyHolds(() => {
      const distinct = [...new Set(memories)];
      const states = distinct.map((memory) => [...new Uint8Array(memory, 0, memory.byteLength / 118)]);
      expect(states.map((list) => list.filter((state) => state === RECOVERED).length)).toEqual([255, 43]);
    });
    expect(memories).toHaveLength(2 * threads);
    take();
    const { digest, signature } = signed[7]!;
    expect(messageOf(() => recoverAddress(digest, signature))).toBe("wasn't expecting a compressed key");
    expect(messageOf(() => recoverAddress(signed[299]!.digest, signed[299]!.signature))).toBe("invalid signature");
    expect(new Set(signed.filter((_, i) => i !== 7 && i !== 299).map(outcome))).toEqual(new Set([addressOf(KEY)]));
  });

  test("a thread that fails, and one that ends, are survived and told of", async () => {
    const told: string[] = [];
    const hear = ({ message }: Error) => void told.push(message);
    process.on("warning", hear);
    const workers = ["throw new Error('it broke')", "process.exit(3)"].map((script) => new Worker(script, { eval: true }));
    // not `once` of node:events: an error rejects it, and the thread may have ended before it is called again
    const ended = workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    const next = workers.values();
    const ahead = opened(2, () => next.next().value!);
    const signed = Array.from({ length: 64 }, () => fresh());
    const takeFirst = ahead.add(parts(signed.slice(0, 32)));
    await Promise.all(ended);
    const takeSecond = ahead.add(parts(signed.slice(32)));
    takeFirst();
    takeSecond();
    expect(new Set(signed.map(outcome))).toEqual(new Set([addressOf(KEY)]));
    await eventuallyHolds(() => expect(told.filter((text) => text.includes("verifies signatures"))).toHaveLength(2));
    process.off("warning", hear);
    expect(told.join()).toContain("a thread that verifies signatures has ended, and the main thread does its work: it broke");
  });

  test("a thread that takes signatures and never answers delays nothing", async () => {
    const ahead = opened(1, () => {
      const worker = new Worker("require('node:worker_threads').parentPort.on('message', () => {})", { eval: true });
      worker.postMessage = (memory: SharedArrayBuffer) => new Uint8Array(memory, 0, memory.byteLength / 118).fill(1);
      return worker;
    });
    const signed = Array.from({ length: 40 }, () => fresh());
    const take = ahead.add(parts(signed));
    await Promise.resolve();
    take();
    expect(new Set(signed.map(outcome))).toEqual(new Set([addressOf(KEY)]));
  });

  test("few signatures start no thread; equal ones of a transaction are handed over once", async () => {
    let started = 0;
    const memories: SharedArrayBuffer[] = [];
    const ahead = opened(1, () => {
      started++;
      return watchedThread(memories);
    });
    ahead.add(parts(Array.from({ length: 31 }, () => fresh())));
    await Promise.resolve();
    const { digest, signature } = fresh();
    ahead.add([{ digest: () => digest, signatures: Array.from({ length: 100 }, () => Buffer.from(signature)) }]);
    await Promise.resolve();
    expect(started).toBe(0);
    ahead.add(parts(Array.from({ length: 32 }, () => fresh())));
    await Promise.resolve();
    expect([started, memories.map(({ byteLength }) => byteLength)]).toEqual([1, [32 * 118]]);
  });
});
