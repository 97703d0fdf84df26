/** Writes a new file from its start to its end in large pieces. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;

export class ByteWriter {
  readonly #file: number;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #filled = 0;
  #position: number;

  /** @param start where writing begins: what is before that is written last */
  constructor(path: string, start: number) {
    this.#file = openSync(path, "w");
    this.#position = start;
  }

  write(bytes: Uint8Array): void {
    if (this.#filled + bytes.length > CHUNK_BYTES) this.flush();
    if (bytes.length > CHUNK_BYTES) {
      this.writeAt(bytes, this.#position);
      this.#position += bytes.length;
      return;
    }
    this.#chunk.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  flush(): void {
    this.writeAt(this.#chunk.subarray(0, this.#filled), this.#position);
    this.#position += this.#filled;
    this.#filled = 0;
  }

  writeAt(bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, position + at);
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}
