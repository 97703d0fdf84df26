/** One chain of a node, and one way of reading its blocks. Nothing that a reader returns is believed: `ChainStream` checks it. */

import { parseId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { Reader } from "../../base/codec/reader.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { parseCChainBlock } from "../../chains/atomic/block.ts";
import { parseBlock } from "../../chains/platform/block.ts";
import type { UnwrappedBlock } from "../../network/execution.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { unwrapBlock } from "../../network/proposervm.ts";
import { isUnknownFormat, unknownFormatAdvice } from "../../network/unknown-format.ts";
import { AnswerError } from "../evm/parser/answer-object.ts";
import type { BlockItem } from "../source.ts";
import type { Aside, RequestOptions, RpcOutcome } from "../upstream/upstream-rpc.ts";

/**
 * The head of a block: what a source checks before it gives the block on. It must be of its height and the child of the one before; execution
 * checks everything else. Only the beginning of P and X blocks is read, since they are parsed again when their turn comes.
 */
export interface BlockHead {
  /** ID of the chain's own block, without its container */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds; undefined for a P-chain block before Banff, which has no time */
  readonly time: bigint | undefined;
}

/** Throws a CodecError if the bytes do not begin like a block of the chain. */
export type ReadHead = (bytes: Uint8Array) => BlockHead;

/** Takes a block out of its container, and reads its head. Throws a CodecError if the bytes are neither a container of the chain nor a block. */
export function unwrapWithHead(bytes: Uint8Array, readHead: ReadHead): { readonly unwrapped: UnwrappedBlock; readonly head: BlockHead } {
  let head: BlockHead | undefined;
  let innerError: CodecError | undefined;
  const unwrapped = unwrapBlock(bytes, (inner) => {
    try {
      head = readHead(inner);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      innerError = error;
    }
    return head !== undefined;
  });
  // unknown block types cannot be told from the head
  if (head === undefined && isUnknownFormat(innerError)) throw innerError;
  return { unwrapped, head: head ?? readHead(unwrapped.inner) };
}

/** its decisions come before its parent */
const BANFF_PROPOSAL = 29;
const APRICOT_TYPES = new Set([0, 1, 2, 3, 4]);
const BANFF_TYPES = new Set([30, 31, 32]);
const ASSET_BLOCK = 20;

export function headReader(chainId: Id, network: NetworkInstance): ReadHead {
  if (chainId === PLATFORM_CHAIN_ID) return platformHead;
  if (chainId === network.xChainId) return assetHead;
  const batchesFrom = network.upgrades.times.apricotPhase5;
  return (bytes) => {
    const { id, parentId, height, timestamp } = parseCChainBlock(bytes, batchesFrom);
    return { id, parentId, height, time: timestamp };
  };
}

function platformHead(bytes: Uint8Array): BlockHead {
  const { reader, typeId } = opened(bytes);
  if (typeId === BANFF_PROPOSAL) {
    const block = parseBlock(bytes);
    return { ...block, time: "time" in block ? block.time : undefined };
  }
  if (!APRICOT_TYPES.has(typeId) && !BANFF_TYPES.has(typeId)) throw new CodecError("unknown-type", 2, { typeId });
  const time = BANFF_TYPES.has(typeId) ? reader.u64() : undefined;
  return { id: sha256Hex(bytes), parentId: reader.hex(32), height: reader.u64(), time };
}

function assetHead(bytes: Uint8Array): BlockHead {
  const { reader, typeId } = opened(bytes);
  if (typeId !== ASSET_BLOCK) throw new CodecError("unknown-type", 2, { typeId });
  return { id: sha256Hex(bytes), parentId: reader.hex(32), height: reader.u64(), time: reader.u64() };
}

function opened(bytes: Uint8Array): { reader: Reader; typeId: number } {
  const reader = new Reader(bytes);
  const version = reader.u16();
  if (version !== 0) throw new CodecError("version", 0, { read: version, expected: 0 });
  return { reader, typeId: reader.u32() };
}

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

/** The blocks before an impossible answer are of use: that answer is met again when it is first. */
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

/** Members of a node's answers, checked. Errors name the member and say what would be right. */
type Members = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown, what: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new AnswerError(`${what} is no object`);
}

export function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new AnswerError(`${what} is no list`);
}

/** A u64, as the node writes it: a text of digits. */
export function numberOf(value: unknown, what: string): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n) return BigInt(value);
  throw new AnswerError(`${what} is not a number in a text; it must be below 2^64`);
}

export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]{1,16}$/i.test(value)) return BigInt(value);
  throw new AnswerError(`${what} is not 0x and up to 16 digits of hex`);
}

/** Bytes with their checksum. */
export function bytesOf(value: unknown, what: string): Buffer {
  if (typeof value !== "string" || value === "") throw new AnswerError(`${what} is no text of hex`);
  return decodeHex(value, { checksum: true });
}

export function idOf(value: unknown, what: string): Id {
  if (typeof value !== "string") throw new AnswerError(`${what} is no text`);
  return parseId(value);
}
