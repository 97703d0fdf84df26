/** Blocks of a chain that is made up, and the file of a recording that they are written into. */

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import type { Id } from "../../src/base/bytes/id.ts";

/** Chains accept blocks of up to 256 KiB. */
const MAX_BLOCK_BYTES = 200_000;

export interface MadeBlock {
  readonly height: bigint;
  readonly id: Id;
  readonly bytes: Uint8Array;
  /** of acceptance, Unix seconds */
  readonly time: bigint;
}

/** Where a chain's blocks go, in order. */
export interface BlockWriter {
  write(block: MadeBlock): Promise<void>;
  close(): Promise<void>;
}

/** Opens the writer of a chain: "P", "X". */
export type OpenWriter = (chain: string) => BlockWriter;

/** The end of a chain: numbers blocks. */
export class ChainEnd {
  /** of the last block written */
  lastId: Id;
  height = 0n;
  readonly #writer: BlockWriter;

  constructor(writer: BlockWriter, genesisBlockId: Id) {
    this.lastId = genesisBlockId;
    this.#writer = writer;
  }

  /** @param time of acceptance, Unix seconds */
  async append(bytes: Uint8Array, time: bigint): Promise<void> {
    this.lastId = sha256Hex(bytes);
    this.height++;
    await this.#writer.write({ height: this.height, id: this.lastId, bytes, time });
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

/** A chain's block file of a recording, written line by line. */
export class BlockFile implements BlockWriter {
  readonly #stream: WriteStream;
  #isFull = false;

  constructor(path: string) {
    this.#stream = createWriteStream(path, { highWaterMark: 4 * 1024 * 1024 });
  }

  async write({ height, id, bytes, time }: MadeBlock): Promise<void> {
    if (this.#isFull) await once(this.#stream, "drain");
    const line = { height: Number(height), id: formatId(id), bytes: `0x${Buffer.from(bytes).toString("hex")}`, acceptedAt: Number(time) };
    this.#isFull = !this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, "close");
  }
}

/** Collects transactions into blocks. A block ends when it is full. */
export class BlockBuilder<T extends { readonly bytes: Uint8Array }> {
  /** number of transactions in the written blocks */
  txCount = 0;
  readonly #txsPerBlock: number;
  readonly #write: (txs: T[]) => Promise<void>;
  #pending: T[] = [];
  #bytes = 0;

  constructor(txsPerBlock: number, write: (txs: T[]) => Promise<void>) {
    this.#txsPerBlock = txsPerBlock;
    this.#write = write;
  }

  async add(tx: T): Promise<void> {
    if (this.#bytes + tx.bytes.length > MAX_BLOCK_BYTES) await this.end();
    this.#pending.push(tx);
    this.#bytes += tx.bytes.length;
    if (this.#pending.length >= this.#txsPerBlock) await this.end();
  }

  /** Writes the last block, if it has transactions. */
  async end(): Promise<void> {
    if (this.#pending.length === 0) return;
    const txs = this.#pending;
    this.#pending = [];
    this.#bytes = 0;
    await this.#write(txs);
    this.txCount += txs.length;
  }
}
