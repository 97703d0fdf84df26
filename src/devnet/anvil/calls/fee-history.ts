/**
 * `eth_feeHistory` as the chain's node answers it, from its blocks. The child makes up what it says of blocks that it was given, and knows no
 * node's words. Costs at most one read of each block that is asked for, 2,048; blocks that were asked for lately are kept.
 */
import { smaller } from "../../../base/bytes/amount.ts";
import { BoundedCache, CacheSpace } from "../../../base/collections/bounded-cache.ts";
import { EvmRequestError } from "../evm-error.ts";
import { toHex } from "../header.ts";

export interface FeeHistoryParts {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** several calls of one method */
  requestAll(method: string, params: readonly (readonly unknown[])[]): Promise<readonly unknown[]>;
  /** of a block that is made now, wei */
  baseFee(): Promise<bigint>;
  /** whether saevm answers, the C-chain's VM since Helicon; else coreth or Subnet-EVM, whose answers are the same */
  readonly isSaevm: boolean;
  /** the same of a block's time, Unix seconds */
  isSaevmAt(time: bigint): boolean;
}

interface FeeHistoryJson {
  readonly oldestBlock: string;
  readonly reward?: readonly (readonly string[])[];
  readonly baseFeePerGas?: readonly string[];
  readonly gasUsedRatio: readonly number[] | null;
}

/** A transaction with its members, as whole blocks have it. */
interface TransactionJson {
  readonly gas: string;
  readonly gasPrice: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

interface Block {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly baseFeePerGas?: string;
  readonly transactions: readonly (string | TransactionJson)[];
}

interface Tip {
  readonly gas: bigint;
  /** wei per gas above the base fee */
  readonly tip: bigint;
}

interface BlockFees {
  readonly parentHash: string;
  readonly baseFee: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** from the lowest; undefined if they were not asked for */
  readonly tips: readonly Tip[] | undefined;
  /** the gas of all tips */
  readonly weight: bigint;
}

interface Range {
  readonly last: Block;
  readonly count: number;
  readonly head: bigint;
}

const METHOD = "eth_feeHistory";
const SERVER_ERROR = -32_000;
const INVALID_PARAMS = -32_602;
/** the nodes' defaults */
const [MOST_BLOCKS, MOST_DEPTH, MOST_PERCENTILES] = [2048, 25_000n, 100];
const PAGE = 64;
const CACHE_BYTES = 8 << 20;
const NOTHING: FeeHistoryJson = { oldestBlock: "0x0", gasUsedRatio: null };

export class FeeHistory {
  /** by hash, so that a block that was taken back is never shown */
  readonly #blocks = new BoundedCache<BlockFees>(new CacheSpace(CACHE_BYTES), ({ tips }) => 300 + 100 * (tips?.length ?? 0));

  /** Throws an EvmRequestError with the node's words. @param params of the call */
  async answer(params: unknown, parts: FeeHistoryParts): Promise<FeeHistoryJson> {
    const [count, newest, given] = Array.isArray(params) ? (params as readonly unknown[]) : [];
    const blocks = countOf(count);
    if (newest === undefined) throw refusal("missing value for required argument 1", INVALID_PARAMS);
    const percentiles = percentilesOf(given);
    if (blocks === 0 && !parts.isSaevm) return NOTHING;
    const problem = parts.isSaevm ? problemOfSaevm(percentiles) : problemOfCoreth(percentiles);
    if (problem !== undefined) throw refusal(problem);
    const range = await rangeOf(Math.min(blocks, MOST_BLOCKS), newest, parts);
    return range.count === 0 ? NOTHING : this.#of(range, percentiles, parts);
  }

  async #of({ last, count, head }: Range, percentiles: readonly number[], parts: FeeHistoryParts): Promise<FeeHistoryJson> {
    const fees = await this.#upTo(last, count, percentiles.length > 0, parts);
    const baseFees = fees.map(({ baseFee }) => baseFee);
    if (parts.isSaevm) baseFees.push(BigInt(last.number) === head ? await parts.baseFee() : await baseFeeAfter(last, parts));
    return {
      oldestBlock: toHex(BigInt(last.number) - BigInt(count) + 1n),
      ...(percentiles.length > 0 && { reward: fees.map((block) => tipsAt(percentiles, block).map(toHex)) }),
      baseFeePerGas: baseFees.map(toHex),
      gasUsedRatio: fees.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    };
  }

  /** From the oldest. */
  async #upTo(last: Block, count: number, withTips: boolean, parts: FeeHistoryParts): Promise<BlockFees[]> {
    const fees: BlockFees[] = [];
    let { hash } = last;
    while (fees.length < count) {
      const kept = this.#blocks.get(hash);
      if (kept !== undefined && (kept.tips !== undefined || !withTips)) {
        fees.push(kept);
        hash = kept.parentHash;
        continue;
      }
      const from = BigInt(last.number) - BigInt(fees.length);
      const heights = Array.from({ length: Math.min(PAGE, count - fees.length) }, (_, i) => from - BigInt(i));
      const page = await parts.requestAll(
        "eth_getBlockByNumber",
        heights.map((height) => [toHex(height), withTips]),
      );
      for (const block of page as readonly (Block | null)[]) {
        if (block === null || block.hash !== hash) throw refusal("the blocks were replaced meanwhile; ask again");
        const read = await feesOf(block, withTips, parts);
        this.#blocks.set(hash, read);
        fees.push(read);
        hash = read.parentHash;
      }
    }
    return fees.reverse();
  }
}

async function rangeOf(blocks: number, newest: unknown, parts: FeeHistoryParts): Promise<Range> {
  const isPending = newest === "pending";
  const [last, latest] = await Promise.all([
    parts.request("eth_getBlockByNumber", [isPending ? "latest" : newest, false]).catch(noneIfPastTip) as Promise<Block | null>,
    parts.request("eth_blockNumber", []) as Promise<string>,
  ]);
  const head = BigInt(latest);
  if (last === null) throw refusal(beyondHead(newest, head, parts.isSaevm));
  const height = BigInt(last.number);
  const deepest = parts.isSaevm ? MOST_DEPTH : MOST_DEPTH - 1n;
  if (head - height > deepest) {
    const saevm = `requested block is too far behind accepted head: block ${height} requested, accepted head is ${head} (max depth ${deepest})`;
    throw refusal(parts.isSaevm ? saevm : `request beyond historical limit: requested ${height}, head ${head}`);
  }
  // coreth has no pending block, and counts it
  const wanted = isPending && !parts.isSaevm ? blocks - 1 : blocks;
  const inReach = parts.isSaevm ? height + 1n : smaller(height + 1n, deepest - (head - height) + 1n);
  return { last, head, count: Number(smaller(BigInt(wanted), inReach)) };
}

/** The child's error about a number past the tip is the same as no block. */
function noneIfPastTip(error: unknown): null {
  if (error instanceof EvmRequestError && error.message.startsWith("BlockOutOfRangeError")) return null;
  throw error;
}

function beyondHead(newest: unknown, head: bigint, isSaevm: boolean): string {
  const height = BigInt(newest as string);
  return isSaevm ? `block not found: not accepted yet: block ${height}` : `request beyond head block: requested ${height}, head ${head}`;
}

async function baseFeeAfter({ number }: Block, { request }: FeeHistoryParts): Promise<bigint> {
  const next = (await request("eth_getBlockByNumber", [toHex(BigInt(number) + 1n), false])) as Block | null;
  return BigInt(next?.baseFeePerGas ?? 0);
}

async function feesOf(block: Block, withTips: boolean, { request, isSaevm, isSaevmAt }: FeeHistoryParts): Promise<BlockFees> {
  const { parentHash, hash } = block;
  const baseFee = BigInt(block.baseFeePerGas ?? 0);
  const gasUsed = BigInt(block.gasUsed);
  const header = { parentHash, baseFee, gasUsed, gasLimit: BigInt(block.gasLimit) };
  if (!withTips) return { ...header, tips: undefined, weight: gasUsed };
  const transactions = block.transactions as readonly TransactionJson[];
  // saevm weighs by the limits. One transaction alone has all the weight
  const weighsUsed = !isSaevm && transactions.length > 1;
  const receipts = weighsUsed ? ((await request("eth_getBlockReceipts", [hash])) as readonly { readonly gasUsed: string }[]) : [];
  const tips = transactions.map((transaction, i) => ({
    gas: BigInt(receipts[i]?.gasUsed ?? transaction.gas),
    tip: tipOf(transaction, baseFee),
  }));
  // since Helicon the network's headers have the sum of the limits as the gas used
  const weight = isSaevmAt(BigInt(block.timestamp)) ? tips.reduce((sum, { gas }) => sum + gas, 0n) : gasUsed;
  return { ...header, weight, tips: tips.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0)) };
}

function tipOf({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TransactionJson, baseFee: bigint): bigint {
  const most = BigInt(maxFeePerGas ?? gasPrice) - baseFee;
  return maxPriorityFeePerGas === undefined ? most : smaller(BigInt(maxPriorityFeePerGas), most);
}

/** The tip that each part of the block's gas paid at most. @param percentiles rising */
function tipsAt(percentiles: readonly number[], { tips = [], weight }: BlockFees): bigint[] {
  if (tips.length === 0) return percentiles.map(() => 0n);
  let at = 0;
  let sum = tips[0]!.gas;
  return percentiles.map((percentile) => {
    // the nodes calculate with float64, too
    const threshold = BigInt(Math.trunc((Number(weight) * percentile) / 100));
    while (sum < threshold && at < tips.length - 1) {
      at++;
      sum += tips[at]!.gas;
    }
    return tips[at]!.tip;
  });
}

function problemOfCoreth(percentiles: readonly number[]): string | undefined {
  const text = "invalid reward percentile";
  if (percentiles.length > MOST_PERCENTILES) return `${text}: over the query limit ${MOST_PERCENTILES}`;
  return firstProblem(percentiles, {
    outside: (value) => `${text}: ${value.toFixed(6)}`,
    falling: (value, i, before) => `${text}: #${i - 1}:${before.toFixed(6)} >= #${i}:${value.toFixed(6)}`,
  });
}

function problemOfSaevm(percentiles: readonly number[]): string | undefined {
  const text = "percentile out of range or misordered";
  if (percentiles.length > MOST_PERCENTILES) return `${text}: requested ${percentiles.length} percentiles, max ${MOST_PERCENTILES}`;
  return firstProblem(percentiles, {
    outside: (value, i) => `${text}: value ${value.toFixed(6)} at index ${i}`,
    falling: (value, i, before) => `${text}: index ${i} (${value.toFixed(6)}) must be greater than index ${i - 1} (${before.toFixed(6)})`,
  });
}

interface Words {
  outside(value: number, i: number): string;
  falling(value: number, i: number, before: number): string;
}

function firstProblem(percentiles: readonly number[], words: Words): string | undefined {
  for (const [i, value] of percentiles.entries()) {
    const before = percentiles[i - 1];
    if (value < 0 || value > 100) return words.outside(value, i);
    if (before !== undefined && value <= before) return words.falling(value, i, before);
  }
  return undefined;
}

/** Hex, or decimal, as a string or a number. */
function countOf(value: unknown): number {
  if (value === undefined) throw refusal("missing value for required argument 0", INVALID_PARAMS);
  const text = String(value);
  const isCount = (typeof value === "string" || typeof value === "number") && /^(?:0x[0-9a-f]{1,16}|[0-9]{1,20})$/i.test(text);
  if (!isCount || BigInt(text) >= 2n ** 64n)
    throw refusal(`invalid argument 0: invalid hex or decimal integer ${JSON.stringify(text)}`, INVALID_PARAMS);
  return Number(BigInt(text));
}

function percentilesOf(value: unknown): readonly number[] {
  if (value === undefined || value === null) return [];
  const wrong = Array.isArray(value) ? value.find((each) => typeof each !== "number") : value;
  if (!Array.isArray(value) || wrong !== undefined) {
    const into = Array.isArray(value) ? "float64" : "[]float64";
    throw refusal(`invalid argument 2: json: cannot unmarshal ${kindOf(wrong)} into Go value of type ${into}`, INVALID_PARAMS);
  }
  return value as number[];
}

/** Go's name for the kind of a JSON value. */
function kindOf(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

function refusal(message: string, code = SERVER_ERROR): EvmRequestError {
  return new EvmRequestError(METHOD, { code, message });
}
