/**
 * Writes the blocks that peers have into an archive, which `firn import` reads: in segments, from the newest back to the first, and from each
 * checkpoint back to the one below (p2p.md 13). Killed at any time, it goes on below what it has; run again later, it goes on above it.
 */
import { setMaxListeners } from "node:events";
import { formatId, parseId } from "../../base/bytes/cb58.ts";
import { decodeHex, encodeHexPlain } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { formatAcceptedAt } from "../../base/json/accepted-at.ts";
import { Breaks, Notifier } from "../../base/work/pause.ts";
import { segmentName } from "../archives/block-files.ts";
import { COMPRESSED, type GrowingArchive } from "../archives/growing-archive.ts";
import type { ContainerWalk, WalkedContainer } from "./container-walk.ts";

/** A container that is trusted, from which blocks are fetched back. */
export interface Anchor {
  readonly containerId: Id;
  readonly height: bigint;
}

interface FetchOptions {
  readonly walk: ContainerWalk;
  readonly archive: GrowingArchive;
  /** short name of the chain: "P" */
  readonly chain: string;
  /** the lowest first; blocks are fetched from each of them back to the one below */
  readonly anchors: readonly Anchor[];
  /** height of the last block that is not needed; default 0 */
  readonly floor?: bigint;
  /** Unix nanoseconds, for blocks without a time of their own above all that have one */
  readonly now: bigint;
  /** default 10,000 */
  readonly segmentBlocks?: number;
  readonly signal: AbortSignal;
  /** walks at once at present; default: one */
  readonly walks?: () => number;
  /** whether others than the lowest missing blocks may be fetched; default: always */
  readonly mayFetchAhead?: () => boolean;
  readonly onSegment?: (file: string, blocks: number) => void;
}

/** Most walks side by side; each has a segment in memory. */
const MOST_WALKS = 8;
/** checkpoints whose heights are asked for at once */
const LOCATED_AT_ONCE = 8;
const SEGMENT_BLOCKS = 10_000;
const SEGMENT_BYTES = 8 * 2 ** 20;
const NANOSECONDS = 1_000_000_000n;

/** The checkpoints between two heights that peers give, and the tip, in the order of their heights. */
export async function anchorsOf(walk: ContainerWalk, checkpoints: readonly Id[], floor: bigint, tip: Anchor): Promise<readonly Anchor[]> {
  const located: Anchor[] = [];
  const waiting = [...checkpoints];
  const locate = async () => {
    for (let containerId = waiting.pop(); containerId !== undefined; containerId = waiting.pop()) {
      const height = await walk.heightOf(containerId);
      if (height !== undefined && height > floor && height < tip.height) located.push({ containerId, height });
    }
  };
  await Promise.all(Array.from({ length: LOCATED_AT_ONCE }, locate));
  return [...located.sort((a, b) => (a.height < b.height ? -1 : 1)), tip];
}

/** Where to go on below; undefined: nothing is missing there. */
type Below = { readonly id: Id; readonly height: bigint } | undefined;

/** The blocks from one anchor down to another. */
interface Stretch {
  readonly tip: Anchor;
  readonly floor: bigint;
  /** undefined: another one than an anchor is the last that is not needed */
  readonly below: Anchor | undefined;
  isThere: boolean;
}

/** A fetch of a chain's blocks, by several walks side by side. */
export class ChainFetch {
  readonly #options: FetchOptions;
  readonly #stretches: readonly Stretch[];
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #walk: ContainerWalk;
  readonly #arrival = new Notifier();
  readonly #running: Promise<unknown>;
  #failure: { readonly reason: unknown } | undefined;
  #next = 0;

  constructor(options: FetchOptions) {
    this.#options = options;
    const { anchors, floor = 0n } = options;
    this.#stretches = anchors.map((tip, i) => ({ tip, floor: anchors[i - 1]?.height ?? floor, below: anchors[i - 1], isThere: false }));
    this.#signal = AbortSignal.any([options.signal, this.#ending.signal]);
    // each walk waits for it
    setMaxListeners(0, this.#signal);
    this.#walk = options.walk.until(this.#signal);
    this.#running = Promise.all(Array.from({ length: Math.min(MOST_WALKS, anchors.length) }, (_, place) => this.#work(place)));
  }

  get anchors(): readonly Anchor[] {
    return this.#options.anchors;
  }

  /** Resolves once all blocks up to this anchor are there, or it was aborted. Rejects if blocks cannot be had. */
  async reached(anchor: Anchor): Promise<void> {
    const needed = this.#stretches.filter(({ tip }) => tip.height <= anchor.height);
    while (!this.#options.signal.aborted && !needed.every(({ isThere }) => isThere)) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      await this.#arrival.next(2 ** 30, this.#options.signal);
    }
  }

  /** Resolves once nothing is fetched any more. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #work(place: number): Promise<void> {
    const { walks = () => 1, mayFetchAhead = () => true } = this.#options;
    try {
      while (!this.#signal.aborted && this.#next < this.#stretches.length) {
        if (place > 0 && (place >= walks() || !mayFetchAhead())) {
          await this.#walk.rested();
          continue;
        }
        const stretch = this.#stretches[this.#next++]!;
        await this.#fetch(stretch);
        if (this.#signal.aborted) return;
        stretch.isThere = true;
        this.#arrival.notify();
      }
    } catch (reason) {
      this.#failure ??= { reason };
      this.#ending.abort();
      this.#arrival.notify();
    }
  }

  async #fetch(stretch: Stretch): Promise<void> {
    const writer = new SegmentWriter(this.#options);
    let next: Below = { id: stretch.tip.containerId, height: stretch.tip.height };
    try {
      while (next !== undefined && !this.#signal.aborted) next = await this.#fetchDown(next, stretch, writer);
    } finally {
      await writer.written();
    }
  }

  /** Fetches down to what the archive has. Returns where to go on below that; undefined: nothing is missing below. */
  async #fetchDown(from: { readonly id: Id; readonly height: bigint }, { floor, below }: Stretch, writer: SegmentWriter): Promise<Below> {
    const { archive, chain, mayFetchAhead = () => true } = this.#options;
    if (archive.lowestWith(chain, from.height) !== undefined) return this.#below(from, floor);
    for await (const containers of this.#walk.from(from.id, from.height, floor)) {
      for (const container of containers) {
        const { height } = container.head;
        if (archive.lowestWith(chain, height) === undefined) {
          writer.add(container);
          // what joins a block that the archive has is written once that is found to be the same
          if (archive.lowestWith(chain, height - 1n) === undefined) await writer.flushIfFull();
          continue;
        }
        const goingOn = await this.#below({ id: container.containerId, height }, floor);
        await writer.flush();
        return goingOn;
      }
      while (!this.#isLowest(floor) && !mayFetchAhead() && !this.#signal.aborted) await this.#walk.rested();
      if (this.#signal.aborted) break;
    }
    const lowest = writer.oldest?.head.height;
    if (lowest === floor + 1n && writer.oldest?.parentId !== (below?.containerId ?? writer.oldest?.parentId))
      throw otherBranch(chain, floor);
    // if it was stopped, what joins a block of the archive is fetched again
    if (lowest !== undefined && (lowest === floor + 1n || archive.lowestWith(chain, lowest - 1n) === undefined)) await writer.flush();
    return undefined;
  }

  /** Where to go on below a block that the archive has; undefined: nothing is missing down to the floor. */
  async #below({ id, height }: { readonly id: Id; readonly height: bigint }, floor: bigint): Promise<Below> {
    const { archive, chain, walk } = this.#options;
    if ((await storedBlock(archive, chain, height, walk)).containerId !== id) throw otherBranch(chain, height);
    const lowest = archive.lowestWith(chain, height)!;
    if (lowest <= floor + 1n) return undefined;
    return { id: (await storedBlock(archive, chain, lowest, walk)).parentId, height: lowest - 1n };
  }

  #isLowest(floor: bigint): boolean {
    return this.#stretches.find(({ isThere }) => !isThere)?.floor === floor;
  }
}

/** A block that the archive has, as one of its lines says. */
interface StoredBlock {
  readonly containerId: Id;
  /** of the container before it */
  readonly parentId: Id;
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
  #writing: Promise<void> = Promise.resolve();
  /** of the block above, for those from before blocks had a time */
  #acceptedAt: bigint;

  constructor(options: FetchOptions) {
    this.#options = options;
    this.#acceptedAt = options.now;
  }

  /** undefined: no block waits */
  get oldest(): WalkedContainer | undefined {
    return this.#waiting.at(-1);
  }

  add(container: WalkedContainer): void {
    this.#waiting.push(container);
    this.#bytes += container.bytes.length;
  }

  async flushIfFull(): Promise<void> {
    const { segmentBlocks = SEGMENT_BLOCKS } = this.#options;
    if (this.#waiting.length >= segmentBlocks || this.#bytes >= SEGMENT_BYTES) await this.#begin();
  }

  async flush(): Promise<void> {
    await this.#begin();
    await this.written();
  }

  /** Resolves once nothing is being written. Rejects if something could not be. */
  written(): Promise<void> {
    return this.#writing;
  }

  /** Writes what waits while more is fetched, once the segment before it is written. */
  async #begin(): Promise<void> {
    const newestFirst = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    await this.#writing;
    if (newestFirst.length === 0) return;
    this.#writing = this.#write(newestFirst);
    // whoever waits for it next meets its failure
    this.#writing.catch(() => {});
  }

  async #write(newestFirst: readonly WalkedContainer[]): Promise<void> {
    const { archive, chain, onSegment } = this.#options;
    const times = newestFirst.map(({ head }) => this.#acceptedAtOf(head));
    const file = `${segmentName(chain, newestFirst.at(-1)!.head.height, newestFirst[0]!.head.height)}${COMPRESSED}`;
    await archive.add(file, linesOf(newestFirst, times));
    onSegment?.(file, newestFirst.length);
  }

  #acceptedAtOf({ time }: WalkedContainer["head"]): bigint {
    const own = time === undefined ? this.#acceptedAt : time * NANOSECONDS;
    if (own < this.#acceptedAt) this.#acceptedAt = own;
    return this.#acceptedAt;
  }
}

/** In the order of heights. */
async function* linesOf(newestFirst: readonly WalkedContainer[], times: readonly bigint[]): AsyncGenerator<string> {
  const breaks = new Breaks();
  for (let i = newestFirst.length - 1; i >= 0; i--) {
    await breaks.take();
    const { containerId, head, bytes } = newestFirst[i]!;
    const hex = encodeHexPlain(bytes);
    const content = containerId === head.id ? { bytes: hex } : { containerID: formatId(containerId), container: hex };
    yield `${JSON.stringify({ height: Number(head.height), id: formatId(head.id), ...content, acceptedAt: formatAcceptedAt(times[i]!) })}\n`;
  }
}

function otherBranch(chain: string, height: bigint): FirnError {
  const sentence = `the archive has another block ${height} of chain ${chain} than the network; fetch into another folder`;
  return new FirnError("archive-network", sentence, { chain, height });
}
