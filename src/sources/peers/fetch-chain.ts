/**
 * Writes the blocks that peers have into an archive, which `firn import` reads: from the newest back to the first, in segments. Killed at any
 * time, it goes on below what it has; run again later, it goes on above it.
 */
import { formatId, parseId } from "../../base/bytes/cb58.ts";
import { decodeHex, encodeHexPlain } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { formatAcceptedAt } from "../../base/json/accepted-at.ts";
import { segmentName } from "../archives/block-files.ts";
import { COMPRESSED, type GrowingArchive } from "../archives/growing-archive.ts";
import type { ContainerWalk, WalkedContainer } from "./container-walk.ts";

interface FetchOptions {
  readonly walk: ContainerWalk;
  readonly archive: GrowingArchive;
  /** short name of the chain: "P" */
  readonly chain: string;
  /** the trusted container from which it goes back */
  readonly tip: Id;
  /** height of the last block that is not needed; default 0 */
  readonly floor?: bigint;
  /** Unix nanoseconds, for blocks without a time of their own above all that have one */
  readonly now: bigint;
  /** default 10,000 */
  readonly segmentBlocks?: number;
  readonly onSegment?: (file: string, blocks: number) => void;
}

const SEGMENT_BLOCKS = 10_000;
const SEGMENT_BYTES = 64 * 2 ** 20;
const NANOSECONDS = 1_000_000_000n;

/** A block that the archive has, as one of its lines says. */
interface StoredBlock {
  readonly containerId: Id;
  /** of the container before it */
  readonly parentId: Id;
}

/** Resolves once the archive has all blocks up to the tip, or the walk was aborted. */
export async function fetchChain(options: FetchOptions): Promise<void> {
  const writer = new SegmentWriter(options);
  let next: { readonly id: Id; readonly height?: bigint } | undefined = { id: options.tip };
  while (next !== undefined) next = await fetchDown(next, options, writer);
}

/** Fetches down to what the archive has. Returns where to go on below that; undefined: nothing is missing below. */
async function fetchDown(
  from: { readonly id: Id; readonly height?: bigint },
  { archive, chain, walk, floor = 0n }: FetchOptions,
  writer: SegmentWriter,
): Promise<{ readonly id: Id; readonly height: bigint } | undefined> {
  for await (const containers of walk.from(from.id, from.height, floor)) {
    for (const container of containers) {
      const { height } = container.head;
      if (archive.lowestWith(chain, height) === undefined) {
        writer.add(container);
        // what joins a block that the archive has is written once that is found to be the same
        if (archive.lowestWith(chain, height - 1n) === undefined) await writer.flushIfFull();
        continue;
      }
      if ((await storedBlock(archive, chain, height, walk)).containerId !== container.containerId) throw otherBranch(chain, height);
      await writer.flush();
      const lowest = archive.lowestWith(chain, height)!;
      if (lowest <= floor + 1n) return undefined;
      return { id: (await storedBlock(archive, chain, lowest, walk)).parentId, height: lowest - 1n };
    }
  }
  // it has ended at the first block, or was stopped: then what joins a block of the archive is fetched again
  if (writer.lowest !== undefined && archive.lowestWith(chain, writer.lowest - 1n) === undefined) await writer.flush();
  return undefined;
}

async function storedBlock(archive: GrowingArchive, chain: string, height: bigint, walk: ContainerWalk): Promise<StoredBlock> {
  const line = await archive.lineAt(chain, height);
  try {
    const { id, containerID, container, bytes } = JSON.parse(line) as Partial<Record<"id" | "containerID" | "container" | "bytes", string>>;
    const stored = decodeHex(container ?? bytes ?? "", { checksum: false });
    return { containerId: parseId(containerID ?? id ?? ""), parentId: walk.parentOf(stored) };
  } catch (cause) {
    const sentence = `the archive's block ${height} of chain ${chain} cannot be read: ${(cause as Error).message}; firn archive verify says which file is damaged`;
    throw new FirnError("archive-damaged", sentence, { chain, height }, { cause });
  }
}

/** Collects blocks from the newest on, and writes each segment in the order of heights. */
class SegmentWriter {
  readonly #options: FetchOptions;
  #waiting: WalkedContainer[] = [];
  #bytes = 0;
  /** of the block above, for those from before blocks had a time */
  #acceptedAt: bigint;

  constructor(options: FetchOptions) {
    this.#options = options;
    this.#acceptedAt = options.now;
  }

  /** height of the oldest block that waits; undefined: none does */
  get lowest(): bigint | undefined {
    return this.#waiting.at(-1)?.head.height;
  }

  add(container: WalkedContainer): void {
    this.#waiting.push(container);
    this.#bytes += container.bytes.length;
  }

  async flushIfFull(): Promise<void> {
    const { segmentBlocks = SEGMENT_BLOCKS } = this.#options;
    if (this.#waiting.length >= segmentBlocks || this.#bytes >= SEGMENT_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const newestFirst = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    const [newest, oldest] = [newestFirst[0], newestFirst.at(-1)];
    if (newest === undefined || oldest === undefined) return;
    const { archive, chain, onSegment } = this.#options;
    const lines = newestFirst.map((container) => this.#line(container)).reverse();
    const file = `${segmentName(chain, oldest.head.height, newest.head.height)}${COMPRESSED}`;
    await archive.add(file, streamOf(lines));
    onSegment?.(file, lines.length);
  }

  #line({ containerId, head, bytes }: WalkedContainer): string {
    const own = head.time === undefined ? this.#acceptedAt : head.time * NANOSECONDS;
    if (own < this.#acceptedAt) this.#acceptedAt = own;
    const hex = encodeHexPlain(bytes);
    const content = containerId === head.id ? { bytes: hex } : { containerID: formatId(containerId), container: hex };
    return `${JSON.stringify({ height: Number(head.height), id: formatId(head.id), ...content, acceptedAt: formatAcceptedAt(this.#acceptedAt) })}\n`;
  }
}

async function* streamOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

function otherBranch(chain: string, height: bigint): FirnError {
  const sentence = `the archive has another block ${height} of chain ${chain} than the network; fetch into another folder`;
  return new FirnError("archive-network", sentence, { chain, height });
}
