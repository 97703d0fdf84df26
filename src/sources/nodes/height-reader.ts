/**
 * Reads blocks of P and X one by one, with `getBlockByHeight`: what every node has. These are the chain's own blocks without their containers,
 * so who proposed them, and when a node accepted them, is not known.
 */
import type { Id } from "../../base/bytes/id.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { RpcOutcome, Upstreams } from "../upstream/upstream-rpc.ts";
import {
  BadAnswerError,
  bytesOf,
  type ChainReader,
  leading,
  numberOf,
  ONE_LOOK,
  objectOf,
  type Rank,
  type ReadBlock,
  type ReadHead,
  type ReadRange,
  readAnswer,
  resultOf,
} from "./chain-reader.ts";

const NANOSECONDS = 1_000_000_000n;
/** nanoseconds; as long as a node counts a P-chain block as accepted recently */
const RECENT = 30n * NANOSECONDS;

interface HeightReaderOptions {
  readonly rpc: Upstreams;
  /** of the chain */
  readonly name: "P" | "X";
  readonly chainId: Id;
  readonly readHead: ReadHead;
  /** Unix milliseconds */
  readonly now: () => number;
}

export class HeightReader implements ChainReader {
  readonly #rpc: Upstreams;
  readonly #api: { readonly path: string; readonly name: string };
  readonly #chainId: Id;
  readonly #readHead: ReadHead;
  readonly #now: () => number;

  constructor({ rpc, name, chainId, readHead, now }: HeightReaderOptions) {
    this.#rpc = rpc;
    this.#api = { path: `/ext/bc/${name}`, name: name === "P" ? "platform" : "avm" };
    this.#chainId = chainId;
    this.#readHead = readHead;
    this.#now = now;
  }

  async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    const { path, name } = this.#api;
    const options = { rank, signal, ...ONE_LOOK };
    const [outcome] = await this.#rpc.requestAll([{ method: `${name}.getHeight`, params: {}, path }], options);
    const { result, upstream } = resultOf(outcome!);
    return readAnswer(upstream, `the answer of ${name}.getHeight`, () => numberOf(objectOf(result, "it").height, "height"));
  }

  async read({ from, count, rank, signal, options }: ReadRange): Promise<readonly ReadBlock[]> {
    const { path, name } = this.#api;
    const calls = Array.from({ length: count }, (_, i) => ({
      method: `${name}.getBlockByHeight`,
      params: { height: `${from + BigInt(i)}`, encoding: "hex" },
      path,
    }));
    const outcomes = await this.#rpc.requestAll(calls, { rank, signal, ...options });
    return leading(there(outcomes), (outcome, i) => this.#block(outcome, from + BigInt(i)));
  }

  #block(outcome: RpcOutcome, height: bigint): ReadBlock {
    const { result, upstream } = resultOf(outcome);
    const origin = this.#rpc.states()[upstream]!.name;
    return readAnswer(upstream, `block ${height}`, () => {
      const container = bytesOf(objectOf(result, "the answer").block, "block");
      const head = this.#readHead(container);
      if (head.height !== height) throw new BadAnswerError(upstream, `block ${head.height} came in the place of block ${height}`);
      const acceptedAt = acceptedTime((head.time ?? 0n) * NANOSECONDS, BigInt(this.#now()) * 1_000_000n);
      const { id } = head;
      const item = { kind: "block", chainId: this.#chainId, height, id, container, acceptedAt, origin, isHeaderUnknown: true } as const;
      return { item, head, upstream };
    });
  }
}

/**
 * When a block was accepted, as far as one can tell without its container: now, if its time is just past, else its time. A node takes its own
 * clock to tell which blocks it accepted recently, and a block's time may be seconds before.
 * @param time of the block, Unix nanoseconds
 * @param now Unix nanoseconds
 */
function acceptedTime(time: bigint, now: bigint): bigint {
  return now > time && now - time < RECENT ? now : time;
}

/** Outcomes up to the first block that no upstream has yet. */
export function there(outcomes: readonly RpcOutcome[]): readonly RpcOutcome[] {
  const end = outcomes.findIndex((outcome) => "error" in outcome || outcome.result === null);
  if (end === -1) return outcomes;
  const first = outcomes[end]!;
  const isMissing = !("error" in first) || (first.error instanceof UpstreamError && first.error.failure === "no-state");
  // what came before a failure is of use; the failure is met again when it is first
  if (end === 0 && !isMissing) throw (first as { readonly error: Error }).error;
  return outcomes.slice(0, end);
}
