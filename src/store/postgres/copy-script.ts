/**
 * Statements and the rows of their COPYs, sent at once: the server takes the rows when it comes to their COPY, and throws them away if a
 * statement before has failed. So nobody waits for the event loop, which executes blocks meanwhile, to look for an answer.
 */
import type pg from "pg";

const COPY_DATA = "d".charCodeAt(0);
const COPY_DONE = Buffer.from([..."c\0\0\0\u0004"].map((character) => character.charCodeAt(0)));
/** of a message: its letter, and its length, which counts itself */
const [LETTER_BYTES, LENGTH_BYTES] = [1, 4];

export interface ScriptStep {
  readonly text: string;
  /** of a COPY */
  readonly rows?: Iterable<Buffer>;
}

interface Wire {
  readonly stream: { cork(): void; uncork(): void; write(bytes: Uint8Array): void };
  query(text: string): void;
}

/** @param client one that does not pipeline */
export function runScript(client: pg.Client, steps: readonly ScriptStep[]): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new Script(steps, (error) => (error ? reject(error) : resolve())) as unknown as pg.Submittable);
  });
}

/** What pg's client calls of a query. */
class Script {
  callback: (error?: Error | null) => void;
  readonly #steps: readonly ScriptStep[];

  constructor(steps: readonly ScriptStep[], callback: (error?: Error | null) => void) {
    this.#steps = steps;
    this.callback = callback;
  }

  submit(wire: Wire): void {
    const { stream } = wire;
    stream.cork();
    wire.query(this.#steps.map(({ text }) => text).join(";\n"));
    for (const { rows } of this.#steps) {
      if (rows === undefined) continue;
      for (const chunk of rows) {
        stream.write(copyData(chunk.length));
        stream.write(chunk);
      }
      stream.write(COPY_DONE);
    }
    stream.uncork();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
}

function copyData(length: number): Buffer {
  const head = Buffer.allocUnsafe(LETTER_BYTES + LENGTH_BYTES);
  head[0] = COPY_DATA;
  head.writeUInt32BE(length + LENGTH_BYTES, LETTER_BYTES);
  return head;
}
