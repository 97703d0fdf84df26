/** Reads containers from a node's Index API: the container at index i holds the block of height i + 1. */

import type { Id } from "../../base/bytes/id.ts";
import type { UnwrappedBlock } from "../../network/execution.ts";
import { signatureFault } from "../../network/proposervm.ts";
import { parseAcceptedAt } from "../source.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { RequestOptions, Upstreams } from "../upstream/upstream-rpc.ts";
import {
  arrayOf,
  BadAnswerError,
  bytesOf,
  type ChainReader,
  idOf,
  numberOf,
  ONE_LOOK,
  objectOf,
  type Rank,
  type ReadBlock,
  type ReadHead,
  type ReadRange,
  readAnswer,
  resultOf,
  unwrapWithHead,
} from "./chain-reader.ts";

/** What a node accepts. */
const MOST_CONTAINERS = 1024;
const NOTHING_YET = /no containers have been accepted|start index \(\d+\) > last accepted index/;

export class IndexReader implements ChainReader {
  readonly #rpc: Upstreams;
  readonly #path: string;
  readonly #chainId: Id;
  readonly #readHead: ReadHead;

  /** @param name of the chain: "P" */
  constructor(rpc: Upstreams, name: string, chainId: Id, readHead: ReadHead) {
    this.#rpc = rpc;
    this.#path = `/ext/index/${name}/block`;
    this.#chainId = chainId;
    this.#readHead = readHead;
  }

  async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    const last = await this.#ask("index.getLastAccepted", {}, { rank, signal, ...ONE_LOOK });
    if (last === undefined) return 0n;
    return readAnswer(
      last.upstream,
      "the answer of index.getLastAccepted",
      () => numberOf(objectOf(last.result, "it").index, "index") + 1n,
    );
  }

  /** Whether the index of some upstream begins with the chain's first block: one that was switched on later does not. */
  async isComplete(rank: Rank, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#containers({ from: 1n, count: 1, rank, signal, options: ONE_LOOK });
      return true;
    } catch (error) {
      if (error instanceof BadAnswerError || (error instanceof UpstreamError && error.isFinal)) return false;
      throw error;
    }
  }

  read(range: ReadRange): Promise<readonly ReadBlock[]> {
    return this.#containers(range);
  }

  async #containers({ from, count, rank, signal, options }: ReadRange): Promise<readonly ReadBlock[]> {
    const params = { startIndex: Number(from - 1n), numToFetch: Math.min(count, MOST_CONTAINERS) };
    const answer = await this.#ask("index.getContainerRange", params, { rank, signal, ...options });
    if (answer === undefined) return [];
    const { result, upstream } = answer;
    const { name } = this.#rpc.states()[upstream]!;
    const blocks = readAnswer(upstream, `the answer of index.getContainerRange from ${from - 1n} on`, () =>
      arrayOf(objectOf(result, "it").containers, "containers")
        .slice(0, count)
        .map((container, i) => this.#block(container, from + BigInt(i), upstream, name)),
    );
    const faults = await Promise.all(blocks.map(({ unwrapped }) => signatureFault(this.#chainId, unwrapped)));
    const faulty = faults.findIndex((fault) => fault !== undefined);
    if (faulty !== -1) throw new BadAnswerError(upstream, `container ${from - 1n + BigInt(faulty)} cannot be: ${faults[faulty]}`);
    return blocks.map(({ read }) => read);
  }

  /** undefined: the index does not reach so far yet. */
  async #ask(method: string, params: object, options: RequestOptions) {
    const call = { method, params: { ...params, encoding: "hex" }, path: this.#path };
    const [outcome] = await this.#rpc.requestAll([call], options);
    if ("error" in outcome! && NOTHING_YET.test(outcome.error.message)) return undefined;
    return resultOf(outcome!);
  }

  #block(container: unknown, height: bigint, upstream: number, origin: string): { read: ReadBlock; unwrapped: UnwrappedBlock } {
    const members = objectOf(container, `container ${height - 1n}`);
    const index = numberOf(members.index, "index");
    if (index !== height - 1n) throw new BadAnswerError(upstream, `container ${index} came in the place of container ${height - 1n}`);
    const bytes = bytesOf(members.bytes, `bytes of container ${index}`);
    const id = idOf(members.id, `id of container ${index}`);
    const { unwrapped, head } = unwrapWithHead(bytes, this.#readHead);
    const { containerId, header } = unwrapped;
    if (id !== containerId && id !== head.id) throw new BadAnswerError(upstream, `container ${index} has another ID than its bytes`);
    if (head.height !== height) throw new BadAnswerError(upstream, `container ${index} holds block ${head.height}, not block ${height}`);
    const acceptedAt = parseAcceptedAt(members.timestamp);
    const chainId = this.#chainId;
    const item = { kind: "block", chainId, height, id, container: bytes, acceptedAt, origin, isSignatureVerified: true } as const;
    const ids = header && { id: containerId, parentId: header.parentId };
    return { read: { item, head, ...(ids && { container: ids }), upstream }, unwrapped };
  }
}
