/**
 * Recovers the signers of blocks on other threads before the blocks are executed. Execution waits for nothing: of what is not recovered when
 * it gets there, it recovers the signers itself. So do threads that are slow, or have ended, change no result.
 */
import type { Worker } from "node:worker_threads";
import { rememberSigner } from "./secp256k1.ts";
import { SharedSignatures, type SignedDigest } from "./shared-signatures.ts";
import { startWorker } from "./start-worker.ts";

/** Signatures that are handed over at once: some 10 ms of work. */
const BATCH = 256;
/** Fewer are not handed over: at the tip of a chain, they are recovered before a thread has woken up. */
const FEWEST = 32;

/** Signatures of the blocks that are decoded in one turn of the event loop. */
interface Batch {
  readonly list: SignedDigest[];
  /** undefined: not handed over */
  shared?: SharedSignatures;
}

/** The part of a batch that belongs to a block. */
interface Span {
  readonly batch: Batch;
  readonly from: number;
  to: number;
}

/** A transaction's signatures. */
export interface SignedParts {
  digest(): Uint8Array;
  readonly signatures: readonly Uint8Array[];
}

export class SignaturesAhead {
  readonly #threads: number;
  readonly #start: () => Worker;
  #workers: Worker[] | undefined;
  #gathering: Batch | undefined;

  /** @param threads number; they are started when they are needed. @param start starts one; for tests of threads that end */
  constructor(threads: number, start = () => startWorker("./recovery-worker.js", import.meta.url)) {
    this.#threads = threads;
    this.#start = start;
  }

  /** Takes the signatures of a block. @returns a function to call when it is executed */
  add(txs: Iterable<SignedParts>): () => void {
    const spans: Span[] = [];
    for (const { digest, signatures } of txs) {
      let last: Uint8Array | undefined;
      for (const signature of signatures) {
        // inputs of one owner have the same one
        if (last === undefined || Buffer.compare(signature, last) !== 0) this.#gather({ digest: digest(), signature }, spans);
        last = signature;
      }
    }
    return () => spans.forEach(remember);
  }

  async close(): Promise<void> {
    const workers = this.#workers ?? [];
    this.#workers = [];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #gather(signed: SignedDigest, spans: Span[]): void {
    this.#gathering ??= this.#begin();
    const batch = this.#gathering;
    let span = spans.at(-1);
    if (span?.batch !== batch) {
      span = { batch, from: batch.list.length, to: 0 };
      spans.push(span);
    }
    span.to = batch.list.push(signed);
    if (batch.list.length === BATCH) this.#handOver(batch);
  }

  #begin(): Batch {
    const batch: Batch = { list: [] };
    queueMicrotask(() => this.#gathering === batch && this.#handOver(batch));
    return batch;
  }

  /** Every thread gets it, and takes what the others leave. */
  #handOver(batch: Batch): void {
    this.#gathering = undefined;
    if (batch.list.length >= FEWEST && this.#running.length > 0) {
      batch.shared = SharedSignatures.of(batch.list);
      for (const worker of this.#running) worker.postMessage(batch.shared.memory);
    }
    batch.list.length = 0;
  }

  get #running(): Worker[] {
    this.#workers ??= Array.from({ length: this.#threads }, () => this.#startWorker());
    return this.#workers;
  }

  #startWorker(): Worker {
    const worker = this.#start();
    worker.unref();
    let reason = new Error("it has ended");
    worker.on("error", (error) => {
      reason = error;
    });
    worker.on("exit", () => {
      const index = this.#workers?.indexOf(worker) ?? -1;
      if (index === -1) return;
      this.#workers!.splice(index, 1);
      process.emitWarning(`a thread that verifies signatures has ended, and the main thread does its work: ${reason.message}`);
    });
    return worker;
  }
}

function remember({ batch: { shared }, from, to }: Span): void {
  if (shared === undefined) return;
  for (let i = from; i < to; i++) {
    const signer = shared.takeSigner(i);
    if (signer === undefined) continue;
    const { digest, signature } = shared.signedDigest(i);
    rememberSigner(digest, signature, signer);
  }
}
