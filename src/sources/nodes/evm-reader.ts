/** Reads the C-chain's blocks from its RPC: header, transactions and extra data make the block's own bytes. Their container is not known. */
import type { CChainBlock } from "../../chains/atomic/block.ts";
import { hasPinnedExtraData } from "../../chains/atomic/extra-data-pins.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { cChainBlockOfRpc } from "../evm/parser/c-chain-block.ts";
import type { SharedReader } from "../upstream/shared-answers.ts";
import type { RpcOutcome, Upstreams } from "../upstream/upstream-rpc.ts";
import {
  BadAnswerError,
  type ChainReader,
  leading,
  ONE_LOOK,
  quantityOf,
  type Rank,
  type ReadBlock,
  type ReadRange,
  readAnswer,
  resultOf,
} from "./chain-reader.ts";
import { there } from "./height-reader.ts";

const PATH = "/ext/bc/C/rpc";
const NANOSECONDS = 1_000_000_000n;

export class EvmReader implements ChainReader {
  readonly #rpc: Upstreams;
  readonly #network: NetworkInstance;
  readonly #shared: SharedReader | undefined;

  /** @param shared what the chain's EVM is indexed from, too */
  constructor(rpc: Upstreams, network: NetworkInstance, shared?: SharedReader) {
    this.#rpc = rpc;
    this.#network = network;
    this.#shared = shared;
  }

  async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    const options = { rank, signal, ...ONE_LOOK };
    const [outcome] = await this.#rpc.requestAll([{ method: "eth_blockNumber", params: [], path: PATH }], options);
    const { result, upstream } = resultOf(outcome!);
    return readAnswer(upstream, "the answer of eth_blockNumber", () => quantityOf(result, "it"));
  }

  async read({ from, count, rank, signal, options }: ReadRange): Promise<readonly ReadBlock[]> {
    const heights = Array.from({ length: count }, (_, i) => from + BigInt(i));
    const ask = (some: readonly bigint[]) => this.#rpc.requestAll(some.map(callFor), { rank, signal, ...options });
    if (this.#shared === undefined || options !== undefined) {
      return leading(there(await ask(heights)), (outcome, i) => this.#block(outcome, from + BigInt(i)));
    }
    // each answer is made a block once: what cannot be one is neither given to the other reading nor taken from it
    const blocks = new Map<unknown, CChainBlock>();
    const isSound = (result: unknown, height: bigint) => {
      try {
        blocks.set(result, this.#parsed(result, height));
        return true;
      } catch {
        return false;
      }
    };
    const outcomes = await this.#shared.read({ heights, ask, isSound, signal });
    return leading(there(outcomes), (outcome, i) => this.#block(outcome, from + BigInt(i), blocks));
  }

  #block(outcome: RpcOutcome, height: bigint, known?: ReadonlyMap<unknown, CChainBlock>): ReadBlock {
    if ("error" in outcome) throw outcome.error;
    const { result, upstream } = outcome;
    const { id, parentId, timestamp, bytes } = readAnswer(
      upstream,
      `block ${height}`,
      () => known?.get(result) ?? this.#parsed(result, height, upstream),
    );
    const chainId = this.#network.cChainId;
    const acceptedAt = timestamp * NANOSECONDS;
    const origin = upstream === undefined ? {} : { origin: this.#rpc.states()[upstream]!.name };
    return {
      item: { kind: "block", chainId, height, id, container: bytes, acceptedAt, ...origin, isHeaderUnknown: true },
      head: { id, parentId, height, time: timestamp },
      upstream,
    };
  }

  #parsed(result: unknown, height: bigint, upstream?: number): CChainBlock {
    const block = cChainBlockOfRpc(result, this.#network.upgrades.times.apricotPhase5);
    if (block.height !== height) throw new BadAnswerError(upstream, `block ${block.height} came in the place of block ${height}`);
    if (!hasPinnedExtraData(this.#network, block)) {
      throw new BadAnswerError(upstream, `the blockExtraData of block ${height} is not what the network accepted the block with`);
    }
    return block;
  }
}

function callFor(height: bigint) {
  return { method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, true], path: PATH };
}
