/** A chain's block file of a recording, written line by line. */

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { formatId } from "../../src/primitives/cb58.ts";
import { sha256Hex } from "../../src/primitives/hash.ts";
import type { Id } from "../../src/primitives/id.ts";

export class BlockFile {
  /** of the last block written */
  lastId: Id;
  height = 0n;
  readonly #stream: WriteStream;
  #isFull = false;

  constructor(path: string, genesisBlockId: Id) {
    this.lastId = genesisBlockId;
    this.#stream = createWriteStream(path, { highWaterMark: 4 * 1024 * 1024 });
  }

  /** @param time when it was accepted, Unix seconds */
  async append(bytes: Uint8Array, time: bigint): Promise<void> {
    if (this.#isFull) await once(this.#stream, "drain");
    this.lastId = sha256Hex(bytes);
    this.height++;
    const line = {
      height: Number(this.height),
      id: formatId(this.lastId),
      bytes: `0x${Buffer.from(bytes).toString("hex")}`,
      acceptedAt: Number(time),
    };
    this.#isFull = !this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, "close");
  }
}
