/** The blocks of a generated chain as its node has them. */
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import { type BlockText, blockText } from "./block-text.ts";
import type { MadeTransaction, Traffic } from "./traffic.ts";

export interface Blocks {
  /** height of the newest block */
  readonly newest: number;
  at(height: number): BlockText | undefined;
  /** @param hash with 0x */
  heightOf(hash: string): number | undefined;
}

/** Number of empty blocks at the end, for indexers that always treat the newest blocks as replaceable. */
const EMPTY_AT_THE_END = 64;
const LEAST_TRANSACTIONS = 20;
const MOST_TRANSACTIONS = 80;

/** All of them are made at once. */
export class RenderedBlocks implements Blocks {
  readonly #blocks: BlockText[] = [];
  readonly #heights = new Map<string, number>();
  readonly #traffic: Traffic;

  constructor(traffic: Traffic, transactions: number) {
    this.#traffic = traffic;
    this.#add([]);
    for (let made = 0; made < transactions; ) {
      const count = LEAST_TRANSACTIONS + traffic.dice.below(MOST_TRANSACTIONS - LEAST_TRANSACTIONS + 1);
      const block = Array.from({ length: Math.min(count, transactions - made) }, () => traffic.next());
      this.#add(block);
      made += block.length;
    }
    for (let left = EMPTY_AT_THE_END; left > 0; left--) this.#add([]);
  }

  get newest(): number {
    return this.#blocks.length - 1;
  }

  /** of all answers about blocks */
  get bytes(): number {
    return this.#blocks.reduce((sum, { block, receipts, traces }) => sum + block.length + receipts.length + traces.length, 0);
  }

  get logs(): number {
    return this.#blocks.reduce((sum, block) => sum + block.logs.length, 0);
  }

  at(height: number): BlockText | undefined {
    return this.#blocks[height];
  }

  heightOf(hash: string): number | undefined {
    return this.#heights.get(hash);
  }

  #add(transactions: readonly MadeTransaction[]): void {
    const { dice } = this.#traffic;
    const height = this.#blocks.length;
    const block = blockText({ height, hash: undefined, parentHash: this.#blocks.at(-1)?.hash ?? "00".repeat(32) }, transactions, dice);
    this.#blocks.push(block);
    this.#heights.set(`0x${block.hash}`, height);
  }
}

const PER_BLOCK = (LEAST_TRANSACTIONS + MOST_TRANSACTIONS) / 2;
/** Blocks that were made are kept until so many more were. */
const KEPT_BLOCKS = 2048;

/** They are made when they are first asked for, which is in order, and soon forgotten. A hash is determined by the height. */
export class GrowingBlocks implements Blocks {
  readonly newest: number;
  readonly #traffic: Traffic;
  readonly #withTransactions: number;
  readonly #kept = new Map<number, BlockText>();
  #made = 0;

  constructor(traffic: Traffic, transactions: number) {
    this.#traffic = traffic;
    this.#withTransactions = Math.ceil(transactions / PER_BLOCK);
    this.newest = this.#withTransactions + EMPTY_AT_THE_END;
  }

  at(height: number): BlockText | undefined {
    if (height < 0 || height > this.newest) return undefined;
    if (height === 0 || height > this.#withTransactions) return this.#block(height, []);
    if (height > this.#made + KEPT_BLOCKS) throw new Error(`block ${height} is asked for after block ${this.#made}`);
    while (this.#made < height) this.#make();
    const block = this.#kept.get(height);
    if (block === undefined) throw new Error(`block ${height} is asked for again after block ${this.#made}`);
    return block;
  }

  heightOf(): undefined {
    return undefined;
  }

  #make(): void {
    const height = ++this.#made;
    const transactions = Array.from({ length: PER_BLOCK }, () => this.#traffic.next());
    this.#kept.set(height, this.#block(height, transactions));
    this.#kept.delete(height - KEPT_BLOCKS);
  }

  #block(height: number, transactions: readonly MadeTransaction[]): BlockText {
    const place = { height, hash: hashOf(height), parentHash: height === 0 ? "00".repeat(32) : hashOf(height - 1) };
    return blockText(place, transactions, this.#traffic.dice);
  }
}

function hashOf(height: number): string {
  return sha256Hex(Buffer.from(`block ${height}`));
}
