/** One chain of a node, and one way of reading its blocks. Nothing that a reader returns is believed: `ChainStream` checks it. */

import type { Id } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { unknownFormatAdvice } from "../../network/unknown-format.ts";
import { AnswerError } from "../evm/parser/answer-object.ts";
import type { BlockItem } from "../source.ts";
import type { Aside, RequestOptions, RpcOutcome } from "../upstream/upstream-rpc.ts";
import type { BlockHead } from "./block-head.ts";

export type Rank = NonNullable<RequestOptions["rank"]>;

/** Asks this one alone. */
export function only(wanted: number): Rank {
  return (upstream) => (upstream === wanted ? 0 : undefined);
}

export interface ReadRange {
  readonly from: bigint;
  readonly count: number;
  /** which upstreams are asked first, by their places in the list of URLs */
  readonly rank: Rank;
  readonly signal: AbortSignal;
  /** how insistently; by default until the RPC gives up. Where it is given, what these upstreams say themselves is wanted */
  readonly options?: Pick<RequestOptions, "isInteractive" | "attempts" | "timeoutMs" | "evenRefused">;
}

/** Something small that is asked again soon anyway. */
export const ONE_LOOK = { isInteractive: true, attempts: 1, timeoutMs: 4_000 } as const;

export interface ReadBlock {
  readonly item: BlockItem;
  readonly head: BlockHead;
  /** absent: the block has no proposervm header, or it is not known */
  readonly container?: { readonly id: Id; readonly parentId: Id };
  /** who said so; undefined: a node that another reading of the chain asked */
  readonly upstream: number | undefined;
}

export interface ChainReader {
  /** Height of the last accepted block, as one upstream says; of the C-chain, of the last executed one. */
  height(rank: Rank, signal: AbortSignal): Promise<bigint>;
  /** Blocks from `from` on; fewer if the upstream has fewer, none if it has none yet. Throws a BadAnswerError. */
  read(range: ReadRange): Promise<readonly ReadBlock[]>;
}

/** An upstream's answer cannot be: it is named, so that it can be set aside. */
export class BadAnswerError extends FirnError {
  readonly upstream: number | undefined;
  /** An answer that cannot be is not believed, whoever gives it: it is only a matter of whom to ask first. */
  readonly aside: Aside = { firstMs: 500, longestMs: 2_000 };

  constructor(upstream: number | undefined, message: string, options?: ErrorOptions) {
    super("upstream-answer", message, {}, options);
    this.upstream = upstream;
  }
}

/** Its blocks are not those of the chain: it is on a fork, or lies. It is not asked for blocks as long as it says so. */
export class ForeignBlockError extends BadAnswerError {
  override readonly aside = { firstMs: 10_000, longestMs: 300_000 };
  readonly block: Pick<BlockHead, "id" | "height"> | undefined;

  constructor(upstream: number | undefined, message: string, block?: Pick<BlockHead, "id" | "height">) {
    super(upstream, message);
    this.block = block;
  }
}

/** The result of a call. Throws its error. */
export function resultOf(outcome: RpcOutcome): { result: unknown; upstream: number } {
  if ("error" in outcome) throw outcome.error;
  // only what nobody answered has no upstream
  return { result: outcome.result, upstream: outcome.upstream! };
}

/** What comes before an answer that cannot be is of use: that answer is met again when it is first. */
export function leading<T>(answers: readonly RpcOutcome[], read: (answer: RpcOutcome, index: number) => T): readonly T[] {
  const found: T[] = [];
  for (const [index, answer] of answers.entries()) {
    try {
      found.push(read(answer, index));
    } catch (error) {
      if (index === 0 || !(error instanceof BadAnswerError)) throw error;
      break;
    }
  }
  return found;
}

/** Reads an answer; what is wrong with it becomes a BadAnswerError of the upstream. */
export function readAnswer<T>(upstream: number | undefined, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadAnswerError) throw error;
    const isWrong =
      error instanceof CodecError || error instanceof AnswerError || error instanceof TypeError || error instanceof RangeError;
    if (!isWrong && !(error instanceof FirnError)) throw error;
    throw new BadAnswerError(upstream, `${what} cannot be: ${(error as Error).message}${unknownFormatAdvice(error)}`, { cause: error });
  }
}
