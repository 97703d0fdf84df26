/**
 * Blocks of P and X as a stream of bytes between two processes, in the order of a source. Each is a chain (0: P, 1: X), a time of acceptance
 * (8 bytes), a length (4 bytes), and so many bytes; heights are counted.
 */
import { EventEmitter, once } from "node:events";
import type { Writable } from "node:stream";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import type { Source, SourceItem } from "../../src/sources/source.ts";
import type { BlockWriter, MadeBlock } from "../synthetic/block-file.ts";

const CHAINS = ["P", "X"];
const HEADER_BYTES = 13;
const PIECE_BYTES = 2 ** 20;
const QUEUED_BLOCKS = 64;
const NANOSECONDS = 1_000_000_000n;
/** As in an archive: what waits is a share of the memory. */
const RUN_BYTES = 2 ** 22;

/** Takes blocks of several chains, which are made at the same time, and writes them by time; at equal times an earlier chain goes first. */
export class BlockStream {
  readonly #lanes: Lane[] = CHAINS.map(() => new Lane());

  readonly open = (chain: string): BlockWriter => this.#lanes[CHAINS.indexOf(chain)]!;

  /** Resolves when all chains have ended and everything is written. */
  async writeTo(out: Writable): Promise<void> {
    let pieces: Buffer[] = [];
    let bytes = 0;
    const flush = async () => {
      if (!out.write(Buffer.concat(pieces))) await once(out, "drain");
      pieces = [];
      bytes = 0;
    };
    for (;;) {
      await Promise.all(this.#lanes.map((lane) => lane.ready()));
      const open = this.#lanes.filter(({ first }) => first !== undefined);
      if (open.length === 0) break;
      const lane = open.reduce((least, each) => (each.first!.time < least.first!.time ? each : least));
      const block = lane.take();
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt8(this.#lanes.indexOf(lane));
      header.writeBigUInt64LE(block.time, 1);
      header.writeUInt32LE(block.bytes.length, 9);
      pieces.push(header, Buffer.from(block.bytes));
      bytes += HEADER_BYTES + block.bytes.length;
      if (bytes >= PIECE_BYTES) await flush();
    }
    await flush();
    out.end();
  }
}

/** One chain's blocks that wait for those of the other. */
class Lane implements BlockWriter {
  readonly #blocks: MadeBlock[] = [];
  #isEnded = false;
  readonly #events = new EventEmitter();

  get first(): MadeBlock | undefined {
    return this.#blocks[0];
  }

  async write(block: MadeBlock): Promise<void> {
    while (this.#blocks.length >= QUEUED_BLOCKS) await once(this.#events, "change");
    this.#blocks.push(block);
    this.#events.emit("change");
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    this.#events.emit("change");
  }

  /** Resolves when there is a first block, or will be none. */
  async ready(): Promise<void> {
    while (this.#blocks.length === 0 && !this.#isEnded) await once(this.#events, "change");
  }

  take(): MadeBlock {
    const block = this.#blocks.shift()!;
    this.#events.emit("change");
    return block;
  }
}

/** The network whose blocks come from `input`, for an empty store. */
export function streamSource(input: AsyncIterable<Buffer>, network: NetworkInstance, networkFile: object): Source {
  return {
    network,
    networkFile: Buffer.from(JSON.stringify(networkFile)),
    otherChains: [],
    hasVertices: false,
    fractionRead: undefined,
    items: () => readItems(input, [PLATFORM_CHAIN_ID, network.xChainId]),
  };
}

async function* readItems(input: AsyncIterable<Buffer>, chainIds: readonly string[]): AsyncGenerator<SourceItem[]> {
  const heights = chainIds.map(() => 0n);
  let rest: Buffer = Buffer.alloc(0);
  let run: SourceItem[] = [];
  let runBytes = 0;
  for await (const piece of input) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + bytes.readUInt32LE(at + 9);
      if (end > bytes.length) break;
      const chain = bytes.readUInt8(at);
      const acceptedAt = bytes.readBigUInt64LE(at + 1) * NANOSECONDS;
      const height = ++heights[chain]!;
      run.push({ kind: "block", chainId: chainIds[chain]!, height, container: bytes.subarray(at + HEADER_BYTES, end), acceptedAt });
      runBytes += end - at;
      at = end;
    }
    rest = bytes.subarray(at);
    if (runBytes < RUN_BYTES) continue;
    yield run;
    run = [];
    runBytes = 0;
  }
  if (run.length > 0) yield run;
}
