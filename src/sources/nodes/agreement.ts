/**
 * Compares upstreams with each other: before blocks are given, another upstream must have the same last one, which stands for all before it. Who
 * is alone with another block is set aside by name; where it cannot be told who is wrong, nothing is given.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { pause } from "../../base/work/pause.ts";
import { settledWithin } from "../upstream/insist.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import { BadAnswerError, type BlockHead, ForeignBlockError, type ReadBlock } from "./chain-reader.ts";

interface AgreementOptions {
  readonly rpc: Upstreams;
  /** the last height that an upstream told; undefined: it does not answer */
  readonly heightOf: (upstream: number) => bigint | undefined;
  /** the ID of an upstream's block; undefined: it does not have it yet. Rejects if it does not answer */
  readonly idAt: (upstream: number, height: bigint, signal: AbortSignal) => Promise<Id | undefined>;
}

/**
 * An upstream that is only just behind is waited for; one that is further behind says nothing of the newest blocks. One that was waited for in
 * vain is not waited for again until it says which block it has at that height.
 */
const WAITED_BLOCKS = 16n;
const WAITED_MS = 3_000;
/** the same for one that does not answer at all */
const SILENT_MS = 1_500;
const ASK_AGAIN_MS = 150;

export class Agreement {
  readonly #options: AgreementOptions;
  /** heights at which upstreams were waited for in vain */
  readonly #stuckAt = new Map<number, bigint>();
  /** those of them that are being asked */
  readonly #asked = new Set<number>();

  constructor(options: AgreementOptions) {
    this.#options = options;
  }

  /** Throws a BadAnswerError if another upstream has another block; that of the upstream that is wrong, if it can be told. */
  async require({ head: { id, height }, upstream }: ReadBlock, signal: AbortSignal): Promise<void> {
    const until = performance.now() + WAITED_MS;
    for (const stuck of this.#stuckAt.keys()) void this.#askAgain(stuck, signal);
    for (;;) {
      const others = this.#others(upstream, height);
      if (others.length === 0) return;
      const leftMs = Math.min(SILENT_MS, Math.max(0, until - performance.now()));
      const said = await Promise.all(
        others.map(async (other) => {
          const answer = await settledWithin(
            this.#idAt(other, height, signal).then((theirs) => ({ theirs })),
            leftMs,
            signal,
          );
          if (answer === undefined) this.#stuckAt.set(other, height);
          return answer?.theirs;
        }),
      );
      const against = others.filter((_, i) => said[i] !== undefined && said[i] !== id);
      const contradiction = against.length === 0 ? undefined : await this.#contradiction({ id, height }, against, signal);
      if (contradiction !== undefined) throw contradiction;
      if (said.includes(id) || signal.aborted || this.#others(upstream, height).length === 0) return;
      if (performance.now() >= until) {
        for (const other of others) this.#stuckAt.set(other, height);
        return;
      }
      await pause(ASK_AGAIN_MS, signal);
    }
  }

  #others(upstream: number | undefined, height: bigint): number[] {
    return this.#options.rpc.states().flatMap(({ state }, other) => {
      const known = this.#options.heightOf(other);
      if (other === upstream || state !== "used" || known === undefined || known + WAITED_BLOCKS < height) return [];
      return this.#stuckAt.has(other) ? [] : [other];
    });
  }

  async #askAgain(stuck: number, signal: AbortSignal): Promise<void> {
    if (this.#asked.has(stuck)) return;
    this.#asked.add(stuck);
    const id = await this.#idAt(stuck, this.#stuckAt.get(stuck)!, signal);
    if (id !== undefined) this.#stuckAt.delete(stuck);
    this.#asked.delete(stuck);
  }

  /** Asks again, so that one wrong answer is not taken for a fork. Returns undefined if all that were against the block now have it. */
  async #contradiction(
    { id: own, height }: Pick<BlockHead, "id" | "height">,
    against: readonly number[],
    signal: AbortSignal,
  ): Promise<BadAnswerError | undefined> {
    const names = this.#options.rpc.states().map(({ name }) => name);
    const ids = await Promise.all(names.map((_, upstream) => this.#idAt(upstream, height, signal)));
    if (against.every((upstream) => ids[upstream] === own)) return undefined;
    const votes = new Map<Id, number[]>();
    for (const [upstream, id] of ids.entries()) if (id !== undefined) votes.set(id, [...(votes.get(id) ?? []), upstream]);
    const [most, next] = [...votes].sort(([, a], [, b]) => b.length - a.length);
    const has = (upstream: number) => `${names[upstream]} has ${formatId(ids[upstream]!)}`;
    const text = [...votes.values()].map(([first]) => has(first!)).join(", ");
    const sentence = `upstreams have different blocks ${height}: ${text}`;
    if (next === undefined || next[1].length === most![1].length) return new BadAnswerError(undefined, sentence);
    const alone = [...votes].filter(([id]) => id !== most![0]).flatMap(([, upstreams]) => upstreams);
    return new ForeignBlockError(alone[0]!, sentence, { id: ids[alone[0]!]!, height });
  }

  async #idAt(upstream: number, height: bigint, signal: AbortSignal): Promise<Id | undefined> {
    return this.#options.idAt(upstream, height, signal).catch(() => undefined);
  }
}

// Every block must be the child of the one before; what is wrong names the upstream that gave it.

/** Where a chain is: its last block. */
export interface LastBlock {
  /** undefined: it is not known */
  readonly id: Id | undefined;
  /** those that it may be, where it is not known */
  readonly ids?: ReadonlySet<Id> | undefined;
  readonly height: bigint;
}

/** The problem of a block after this one; undefined: it is its child. */
export function faultAfter(block: ReadBlock, last: LastBlock, parent: ReadBlock | undefined): ForeignBlockError | undefined {
  return notChild(block, parent?.head ?? last) ?? (parent && notInChain(block, parent));
}

/** The problem of the first block of an answer that is not the child of the one before it. */
export function faultOfAnswer(blocks: readonly ReadBlock[]): ForeignBlockError | undefined {
  for (const [i, block] of blocks.entries()) {
    const parent = blocks[i - 1];
    const fault = parent !== undefined && parent.upstream === block.upstream ? faultAfter(block, parent.head, parent) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notChild(
  { head, upstream }: ReadBlock,
  { id, ids = new Set(id === undefined ? [] : [id]), height }: LastBlock,
): ForeignBlockError | undefined {
  if (ids.size === 0 || ids.has(head.parentId)) return undefined;
  const text = `its block ${head.height} has the parent ${formatId(head.parentId)}; block ${height} is ${[...ids].map(formatId).join(" or ")}`;
  return new ForeignBlockError(upstream, text, head);
}

/** The containers are a chain as well, where both are known. */
function notInChain({ head, container, item, upstream }: ReadBlock, parent: ReadBlock): ForeignBlockError | undefined {
  if (parent.container === undefined || item.isHeaderUnknown === true || container?.parentId === parent.container.id) return undefined;
  const named = container === undefined ? "has none" : `has the parent ${formatId(container.parentId)}`;
  const text = `the proposervm container of its block ${head.height} ${named}; that of block ${parent.head.height} is ${formatId(parent.container.id)}`;
  return new ForeignBlockError(upstream, text);
}
