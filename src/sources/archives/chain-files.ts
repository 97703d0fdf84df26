/** Delivers the items of one chain in order: vertices, then blocks, and before each block the shared-memory operations of other chains. */
import type { Id } from "../../base/bytes/id.ts";
import type { Progress, VertexItem } from "../source.ts";
import type { BlockFile } from "./block-files.ts";
import type { ArchiveFolder } from "./folder.ts";
import { blockItem, vertexItem } from "./lines.ts";
import type { TimedItem } from "./merge.ts";
import type { SharedMemoryFile } from "./shared-memory-file.ts";

const NANOSECONDS = 1_000_000_000n;

interface ChainFilesOptions {
  /** short name: "P" */
  name: string;
  chainId: Id;
  blockFiles: readonly BlockFile[];
  vertexFiles: readonly string[];
  /** Unix seconds of Cortina, when the DAG ended; its vertices have no time of acceptance */
  cortina: bigint;
}

export class ChainFiles {
  readonly name: string;
  readonly chainId: Id;
  readonly #options: ChainFilesOptions;

  constructor(options: ChainFilesOptions) {
    this.name = options.name;
    this.chainId = options.chainId;
    this.#options = options;
  }

  async *items(
    folder: ArchiveFolder,
    from: Progress,
    lastHeight: bigint | undefined,
    sharedMemory: SharedMemoryFile | undefined,
  ): AsyncGenerator<TimedItem> {
    const before = (height: bigint | undefined, time: bigint) =>
      (sharedMemory?.takeFor(this.chainId, height, from.sharedMemoryOperations) ?? []).map((item) => ({ time, item }));
    const height = from.heights.get(this.chainId);
    yield* before(0n, 0n);
    const skip = from.vertices.get(this.chainId) ?? 0n;
    for await (const item of this.vertices(folder, skip)) yield { time: item.acceptedAt, item };
    let time = 0n;
    for (const { file, range } of this.#options.blockFiles) {
      if (range !== undefined && range.to <= (height ?? 0n)) continue;
      for await (const line of folder.lines(file)) {
        const item = blockItem(line, this.chainId, height ?? 0n);
        if (item === undefined) continue;
        if (lastHeight !== undefined && item.height > lastHeight) return;
        time = item.acceptedAt;
        yield* before(item.height, time);
        yield { time, item };
      }
    }
    yield* before(undefined, time);
  }

  async *vertices(folder: ArchiveFolder, skip = 0n): AsyncGenerator<VertexItem> {
    const acceptedAt = this.#options.cortina * NANOSECONDS;
    for (const file of this.#options.vertexFiles) {
      let sequence = 0n;
      for await (const line of folder.lines(file)) {
        if (sequence >= skip) yield vertexItem(line, { chainId: this.chainId, sequence, acceptedAt });
        sequence++;
      }
    }
  }
}
