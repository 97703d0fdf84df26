/**
 * Vertices that were read from one node and found to be ancestors of the stop vertex, on disk until they are executed: they are read from the
 * stop vertex back, and executed in the other direction. A file holds a run of vertices and is named by the index of the first one.
 */
import { existsSync, readdirSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../base/files/make-directory.ts";

const DIGITS = 12;
const LENGTH_BYTES = 4;
const RUN = /^\d{12}$/;

export class VertexSpool {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Indexes of the first vertices of all runs, ascending. */
  runs(): bigint[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory)
      .filter((name) => RUN.test(name))
      .sort()
      .map(BigInt);
  }

  /** The vertices of a run, ascending. A file that was cut off gives fewer. */
  async read(first: bigint): Promise<Uint8Array[]> {
    const content = await readFile(this.#path(first));
    const vertices: Uint8Array[] = [];
    for (let at = 0; at + LENGTH_BYTES <= content.length; ) {
      const start = at + LENGTH_BYTES;
      at = start + content.readUInt32BE(at);
      if (at <= content.length) vertices.push(content.subarray(start, at));
    }
    return vertices;
  }

  /** Adds a run whole, or not at all. */
  async add(first: bigint, vertices: readonly Uint8Array[]): Promise<void> {
    makeDirectory(this.#directory);
    const parts = vertices.flatMap((bytes) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    });
    const path = this.#path(first);
    await writeFile(`${path}.part`, Buffer.concat(parts), { flush: true });
    await rename(`${path}.part`, path);
  }

  async clear(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  #path(first: bigint): string {
    return join(this.#directory, `${first}`.padStart(DIGITS, "0"));
  }
}
