/**
 * Mutants of transactions at the time when the originals are valid: changed bytes, wrong signatures, broken encodings, huge bodies. Each
 * must be refused with an error intended for clients; between them a simple request must be answered.
 */
import { decodeHex, encodeHexChecksummed, encodeHexPlain } from "../../src/base/bytes/hex.ts";
import type { Issue } from "../devnet/reissue/recorded-run.ts";
import { LEAKS } from "./http-fuzz.ts";
import { mutate, type Random } from "./mutate.ts";

export class IssueMutants {
  /** answers that no mutant should get, with what was sent */
  readonly problems: string[] = [];
  sent = 0;
  readonly #random: Random;
  readonly #perTx: number;

  /** @param perTx mutants of each transaction */
  constructor(random: Random, perTx: number) {
    this.#random = random;
    this.#perTx = perTx;
  }

  async sendBefore(url: string, issue: Issue): Promise<void> {
    for (let i = 0; i < this.#perTx; i++) {
      const body = this.#body(issue);
      const answer = await post(url + issue.path, body);
      this.sent++;
      const problem = problemOf(answer, issue);
      if (problem !== undefined) this.problems.push(`${issue.kind} ${issue.txId}: ${problem}: ${body.slice(0, 2000)}`);
    }
    await askSimply(url);
  }

  #body({ method, params, kind }: Issue): string {
    if (this.#random.below(HUGE_EVERY) === 0) return this.#hugeBody(method, kind);
    const text = kind === "eth" ? (params as [string])[0] : (params as { tx: string }).tx;
    const mutant = this.#random.below(8) === 0 ? this.#brokenText(text) : this.#changedBytes(text, kind);
    return bodyOf(method, kind === "eth" ? [mutant] : { tx: mutant, encoding: "hex" });
  }

  #changedBytes(text: string, kind: string): string {
    const original = decodeHex(text, { checksum: kind !== "eth" });
    for (;;) {
      const bytes = this.#random.below(4) === 0 ? this.#wrongSignature(original) : mutate(original, this.#random);
      if (!bytes.equals(original)) return kind === "eth" ? encodeHexPlain(bytes) : encodeHexChecksummed(bytes);
    }
  }

  /** Signatures stand last. */
  #wrongSignature(original: Buffer): Buffer {
    const bytes = Buffer.from(original);
    const at = bytes.length - 1 - this.#random.below(Math.min(SIGNATURE_BYTES, bytes.length));
    bytes[at] = bytes[at]! ^ (1 + this.#random.below(255));
    return bytes;
  }

  #brokenText(text: string): string {
    const at = 2 + this.#random.below(text.length - 2);
    return this.#random.of([
      text.slice(0, at),
      text.slice(2),
      `${text}00`,
      `${text.slice(0, at)}g${text.slice(at + 1)}`,
      `${text.slice(0, -8)}00000000`,
      `0x${"00".repeat(this.#random.below(200))}`,
      "0x",
      "",
    ]);
  }

  /** Around the largest transaction, and around the largest body that the node reads. */
  #hugeBody(method: string, kind: string): string {
    const bytes = this.#random.of([64 * 1024 + 1, 512 * 1024, 1024 * 1024, 9 * 1024 * 1024]);
    const mutant = encodeHexChecksummed(Buffer.alloc(bytes, this.#random.below(256)));
    return bodyOf(method, kind === "eth" ? [mutant] : { tx: mutant, encoding: "hex" });
  }
}

/** Asks what any client may ask. */
export async function askSimply(url: string): Promise<void> {
  const { status, body } = await post(`${url}/ext/bc/P`, bodyOf("platform.getHeight", {}));
  if (status !== 200) throw new Error(`a simple request was answered with ${status}: ${body.slice(0, 200)}`);
}

const HUGE_EVERY = 500;
const SIGNATURE_BYTES = 65;

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function post(url: string, body: string): Promise<Answer> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return { status: response.status, body: await response.text() };
}

function bodyOf(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function problemOf({ status, body }: Answer, { kind }: Issue): string | undefined {
  if (status === 413) return undefined;
  if (status !== 200) return `status ${status}: ${body.slice(0, 200)}`;
  const { result, error } = JSON.parse(body) as { result?: unknown; error?: { code: number; message: string } };
  if (error === undefined) return `taken: ${JSON.stringify(result)}`;
  // IDs may spell anything
  const words = error.message.replace(/"(?:[^"\\]|\\.)*"/g, "").replace(/[1-9A-HJ-NP-Za-km-z]{30,}/g, "…");
  // the EVM's own texts are its child's
  return kind !== "eth" && (error.code !== -32000 || LEAKS.test(words)) ? `${error.code} ${error.message}` : undefined;
}
