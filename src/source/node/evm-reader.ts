/** Reads the C-chain's blocks from its RPC: header, transactions and extra data make the block's own bytes. Their container is not known. */
import { cChainBlockOfRpc } from "../../c-chain/rpc-block/rpc-block.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { RpcOutcome, Upstreams } from "../../upstream/upstream-rpc.ts";
import {
  BadAnswerError,
  type ChainReader,
  leading,
  ONE_LOOK,
  type Rank,
  type ReadBlock,
  type ReadRange,
  readAnswer,
  resultOf,
} from "./chain-reader.ts";
import { there } from "./height-reader.ts";
import { quantityOf } from "./node-answers.ts";

const PATH = "/ext/bc/C/rpc";
const NANOSECONDS = 1_000_000_000n;

export class EvmReader implements ChainReader {
  readonly #rpc: Upstreams;
  readonly #network: NetworkInstance;

  constructor(rpc: Upstreams, network: NetworkInstance) {
    this.#rpc = rpc;
    this.#network = network;
  }

  async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    const options = { rank, signal, ...ONE_LOOK };
    const [outcome] = await this.#rpc.requestAll([{ method: "eth_blockNumber", params: [], path: PATH }], options);
    const { result, upstream } = resultOf(outcome!);
    return readAnswer(upstream, "the answer of eth_blockNumber", () => quantityOf(result, "it"));
  }

  async read({ from, count, rank, signal, options }: ReadRange): Promise<readonly ReadBlock[]> {
    const calls = Array.from({ length: count }, (_, i) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${(from + BigInt(i)).toString(16)}`, true],
      path: PATH,
    }));
    const outcomes = await this.#rpc.requestAll(calls, { rank, signal, ...options });
    return leading(there(outcomes), (outcome, i) => this.#block(outcome, from + BigInt(i)));
  }

  #block(outcome: RpcOutcome, height: bigint): ReadBlock {
    const { result, upstream } = resultOf(outcome);
    const origin = this.#rpc.states()[upstream]!.name;
    return readAnswer(upstream, `block ${height}`, () => {
      const block = cChainBlockOfRpc(result, this.#network.upgrades.times.apricotPhase5);
      const { id, parentId, timestamp, bytes } = block;
      if (block.height !== height) throw new BadAnswerError(upstream, `block ${block.height} came in the place of block ${height}`);
      const head = { id, parentId, height, time: timestamp };
      const acceptedAt = timestamp * NANOSECONDS;
      const chainId = this.#network.cChainId;
      const item = { kind: "block", chainId, height, id, container: bytes, acceptedAt, origin, isHeaderUnknown: true } as const;
      return { item, head, upstream };
    });
  }
}
