/**
 * One chain of the upstreams as a stream of blocks: reads ahead, and follows the tip. Every block must be the child of the one before; an
 * upstream whose block is not is set aside by name.
 */
import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import type { Id } from "../../base/bytes/id.ts";
import { pause } from "../../base/work/pause.ts";
import { isUnknownFormat } from "../../network/unknown-format.ts";
import type { BlockItem } from "../source.ts";
import { insist } from "../upstream/insist.ts";
import { orderedRuns, type RunShape } from "../upstream/ordered-runs.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import { Agreement, faultAfter, faultOfAnswer, type LastBlock } from "./agreement.ts";
import {
  BadAnswerError,
  type BlockHead,
  type ChainReader,
  ForeignBlockError,
  ONE_LOOK,
  only,
  type Rank,
  type ReadBlock,
} from "./chain-reader.ts";
import { ChainTip } from "./chain-tip.ts";
import { ReaderChoice, type ReaderChoiceOptions } from "./reader-choice.ts";

interface ChainFeedOptions extends ReaderChoiceOptions {
  readonly chainId: Id;
  readonly rpc: Upstreams;
  readonly log: Logger;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;
/** until more of a chain is looked for that is known to be there, and that is not */
const BEHIND_MS = 500;
const AT_TIP_MS = 60_000;
/** failures in a row after which another way of reading may be better */
const PATIENCE = 4;
/** of blocks that were given, it is remembered whose they were */
const REMEMBERED = 8192n;

const MIB = 2 ** 20;
const SHAPE: RunShape<ReadBlock> = {
  bytesOf: ({ item }) => item.container.length,
  unitsOf: () => 1,
  runs: 4,
  runUnits: 2048,
  runItems: 1024,
  firstRunItems: 32,
  runBytes: 2 * MIB,
  assumedBytes: 16 * 2 ** 10,
  heldBytes: 32 * MIB,
  givenUnits: 2048,
  givenBytes: 8 * MIB,
};
/** one call for each block */
const PLAIN_SHAPE: RunShape<ReadBlock> = { ...SHAPE, runs: 6, runItems: 64, runUnits: 128 };

export class ChainFeed {
  readonly name: string;
  readonly chainId: Id;
  readonly tip: ChainTip;
  readonly #options: ChainFeedOptions;
  readonly #agreement: Agreement;
  readonly #choice: ReaderChoice;
  /** whose the blocks are that were given last, by height */
  readonly #givenBy = new Map<bigint, number>();
  /** blocks for which upstreams were set aside */
  readonly #disputed = new Map<number, Pick<BlockHead, "id" | "height">>();
  /** gave the block that was not executed */
  #suspect: { readonly height: bigint; readonly upstream: number } | undefined;
  #failures = 0;
  /** blocks that were read and not given yet */
  #held = 0;
  /** height of the last block that was given */
  #given = 0n;
  /** why blocks cannot be read, and why nobody tells a height */
  #readProblem: string | undefined;
  #tipProblem: string | undefined;
  /** that the blocks that were given are no longer the nodes' */
  #revertProblem: string | undefined;
  /** facts of a block that are not known; reported even when no other node offers a block */
  #unknownFormat: string | undefined;

  constructor(options: ChainFeedOptions) {
    this.name = options.name;
    this.chainId = options.chainId;
    this.#options = options;
    const upstreams = options.rpc.states().length;
    this.#choice = new ReaderChoice(options, upstreams);
    this.#agreement = new Agreement({
      rpc: options.rpc,
      heightOf: (upstream) => this.tip.heightOf(upstream),
      idAt: (...block) => this.#idAt(...block),
    });
    this.tip = new ChainTip({
      upstreams,
      height: async (upstream, signal) => {
        await this.#reconsider(upstream, signal);
        return (await this.#choice.readerFor(upstream, signal)).height(only(upstream), signal);
      },
      isRefused: (upstream) => options.rpc.states()[upstream]!.state === "refused",
      onProblem: (error) => {
        this.#tipProblem = error === undefined ? undefined : this.#told(error, this.#tipProblem);
        if (error instanceof UpstreamError && error.isFinal) this.#choice.again();
      },
      onBack: () => {
        const { height } = this.tip;
        if (height !== undefined && height < this.#given)
          this.#reverted(`their last block is ${height}, after block ${this.#given} was followed`);
      },
    });
  }

  /** why there is nothing at present, as a sentence */
  get problem(): string | undefined {
    return this.#unknownFormat ?? this.#revertProblem ?? this.#readProblem ?? this.#tipProblem;
  }

  /** Whether more is known to be there than was read up to `height`. */
  isBehind(height: bigint): boolean {
    return this.tip.height !== undefined && this.tip.height > height;
  }

  /** Blocks that were read, but not taken: those after `height`. */
  prefetched(height: bigint): number {
    return this.#held + Number(this.#given > height ? this.#given - height : 0n);
  }

  /** Blocks after one that was executed, until `signal` is aborted or `until` is reached. */
  async *blocks(after: LastBlock, signal: AbortSignal, until?: bigint): AsyncGenerator<readonly BlockItem[]> {
    setMaxListeners(0, signal);
    const suspect = this.#givenBy.get(after.height + 1n);
    this.#suspect = suspect === undefined ? undefined : { height: after.height + 1n, upstream: suspect };
    this.#given = after.height;
    for (let last = after; !signal.aborted && (until === undefined || last.height < until); ) {
      const { height = 0n } = this.tip;
      const to = until !== undefined && until < height ? until : height;
      const before = last.height;
      if (to > before) {
        for await (const run of this.#read(before + 1n, to, signal)) {
          const children = this.#childrenOf(last, run);
          if (!(await this.#isAgreed(children, signal))) break;
          last = placeOf(children.at(-1), last);
          this.#given = last.height;
          if (children.length > 0) this.#revertProblem = undefined;
          if (children.length > 0) yield children.map(({ item }) => item);
          if (children.length < run.length) break;
        }
      }
      if (last.height === before) await this.tip.changed(this.isBehind(before) ? BEHIND_MS : AT_TIP_MS, signal);
    }
  }

  async *#read(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<readonly ReadBlock[]> {
    const reader = await this.#choice.reader(signal);
    const shape = reader === this.#options.index ? SHAPE : PLAIN_SHAPE;
    const fetch = (first: bigint, count: number, ending: AbortSignal) => this.#insist(first, count, ending);
    yield* orderedRuns({ fetch, from, to, signal, shape, onHeld: (blocks) => (this.#held = blocks) });
  }

  #insist(from: bigint, count: number, signal: AbortSignal): Promise<readonly ReadBlock[]> {
    const ask = async () => {
      const reader = await this.#choice.reader(signal);
      const blocks = await reader.read({ from, count, rank: this.#rankFor(from, reader), signal });
      const fault = faultOfAnswer(blocks);
      if (fault !== undefined) throw fault;
      this.#failures = 0;
      this.#readProblem = undefined;
      this.#unknownFormat = undefined;
      return blocks;
    };
    return insist(ask, {
      signal,
      firstMs: FIRST_RETRY_MS,
      longestMs: LONGEST_RETRY_MS,
      mayPass: (error): error is Error => error instanceof UpstreamError || error instanceof BadAnswerError,
      onFailure: (error) => {
        this.#fail(error);
      },
    });
  }

  #fail(error: Error): void {
    if (error instanceof BadAnswerError && error.upstream !== undefined) {
      this.#options.rpc.refuse(error.upstream, `${this.name}-chain: ${error.message}`, error.aside);
      if (error instanceof ForeignBlockError && error.block !== undefined) this.#disputed.set(error.upstream, error.block);
      if (this.#disputed.size === this.#options.rpc.states().length) this.#reverted(error.message);
    }
    this.#readProblem = this.#told(error, this.#readProblem);
    if (isUnknownFormat(error)) this.#unknownFormat = this.#readProblem;
    if (++this.#failures % PATIENCE === 0) this.#choice.again();
  }

  /** No node of a live network goes back; a development network does when it is reverted. */
  #reverted(why: string): void {
    const before = this.#revertProblem;
    this.#revertProblem = `${this.name}-chain: the nodes no longer have the blocks that were followed (${why}). A development network was reverted, or the nodes are on another branch: follow it again with an empty data directory, or ask other nodes`;
    if (before === undefined)
      this.#options.log.error({ chain: this.name, reason: why }, "The nodes no longer have the blocks that were followed");
  }

  /** A problem as a sentence; the first one of a row is logged. */
  #told(error: Error, before: string | undefined): string {
    if (before === undefined) this.#options.log.warn({ chain: this.name, reason: error.message }, "Could not read a chain; trying again");
    return `${this.name}-chain: ${error.message}`;
  }

  /** Those that have the block come first, and one whose block was not executed last. */
  #rankFor(from: bigint, reader: ChainReader): Rank {
    return (upstream) => {
      if (reader === this.#options.index && !this.#choice.isIndexed(upstream)) return undefined;
      const known = this.tip.heightOf(upstream);
      const isSuspect = this.#suspect?.upstream === upstream && from <= this.#suspect.height;
      return upstream + (known !== undefined && known >= from ? 0 : 100) + (isSuspect ? 1000 : 0);
    };
  }

  /** Leading blocks that follow the last one. The upstream of the first one that does not is set aside. */
  #childrenOf(last: LastBlock, blocks: readonly ReadBlock[]): readonly ReadBlock[] {
    for (const [i, block] of blocks.entries()) {
      const fault = faultAfter(block, last, blocks[i - 1]);
      if (fault !== undefined) {
        this.#fail(fault);
        return blocks.slice(0, i);
      }
      this.#note(block.head.height, block.upstream);
    }
    return blocks;
  }

  /** The blocks after one that upstreams disagree about are of no use. */
  async #isAgreed(blocks: readonly ReadBlock[], signal: AbortSignal): Promise<boolean> {
    const last = blocks.at(-1);
    if (last === undefined) return true;
    try {
      await this.#agreement.require(last, signal);
      for (const upstream of new Set(blocks.map((block) => block.upstream))) {
        if (upstream === undefined) continue;
        this.#options.rpc.trust(upstream);
        this.#disputed.delete(upstream);
      }
      return true;
    } catch (error) {
      if (!(error instanceof BadAnswerError)) throw error;
      this.#fail(error);
      await pause(this.#backoffMs(), signal);
      return false;
    }
  }

  /** The ID of one upstream's block; undefined: it is not there yet. */
  async #idAt(upstream: number, height: bigint, signal: AbortSignal): Promise<Id | undefined> {
    const [block] = await this.#choice.readerOf(upstream).read({
      from: height,
      count: 1,
      rank: only(upstream),
      signal,
      options: { ...ONE_LOOK, evenRefused: true },
    });
    return block?.head.id;
  }

  /** An upstream that was set aside for a block is asked for others again once it has another one in its place. */
  async #reconsider(upstream: number, signal: AbortSignal): Promise<void> {
    const disputed = this.#disputed.get(upstream);
    if (disputed === undefined) return;
    const id = await this.#idAt(upstream, disputed.height, signal);
    if (id === undefined || id === disputed.id) return;
    this.#disputed.delete(upstream);
    this.#options.rpc.clearRefusal(upstream);
  }

  #backoffMs(): number {
    return Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 8), LONGEST_RETRY_MS);
  }

  #note(height: bigint, upstream: number | undefined): void {
    if (upstream === undefined) this.#givenBy.delete(height);
    else this.#givenBy.set(height, upstream);
    this.#givenBy.delete(height - REMEMBERED);
  }
}

function placeOf(block: ReadBlock | undefined, last: LastBlock): LastBlock {
  return block === undefined ? last : block.head;
}
