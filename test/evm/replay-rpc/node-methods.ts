/** The methods of a replayed node. Recorded answers are returned unchanged. */

import { type Execution, notAccepted } from "../../sources/upstream/execution.ts";
import { NodeError } from "./node-error.ts";
import { noncesOf } from "./nonces.ts";
import type { RecordedState } from "./recorded-state.ts";
import type { Block, Json, Log, RecordedBlock, Recording } from "./recording.ts";
import type { ReplayOptions } from "./replay-rpc.ts";
import type { ServedChain } from "./served-chain.ts";
import { traceBlockForm } from "./trace-block-form.ts";

export type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

export function methodsOf(
  chain: ServedChain,
  state: RecordedState,
  recording: Recording,
  { execution, ...features }: ReplayOptions["features"] & { readonly execution?: Execution | undefined } = {},
): Methods {
  const heights = new Heights(chain, recording, execution);
  let nonces: { of: readonly RecordedBlock[]; at: ReturnType<typeof noncesOf> } | undefined;
  const nonceAt = (address: string, height: number) => {
    if (nonces?.of !== chain.blocks) nonces = { of: chain.blocks, at: noncesOf(chain.blocks, recording.accounts) };
    return nonces.at(address, height);
  };
  const probed = (method: string) => () => recording.network.probes[method]?.[0]?.response.result;
  const methods: Record<string, (params: readonly unknown[]) => unknown> = {
    web3_clientVersion: probed("web3_clientVersion"),
    eth_chainId: probed("eth_chainId"),
    net_version: probed("net_version"),
    eth_syncing: () => false,
    eth_blockNumber: () => quantity(heights.height("latest")),
    eth_getBlockByNumber: ([tag, isWhole]) => blockForm(heights.block("eth_getBlockByNumber", tag), isWhole),
    eth_getBlockByHash: ([hash, isWhole]) => blockForm(chain.blockByHash(text(hash)), isWhole),
    eth_getTransactionByHash: ([hash]) => {
      const found = chain.transaction(text(hash));
      return found?.block.block.transactions[found.index] ?? null;
    },
    eth_getTransactionReceipt: ([hash]) => {
      const found = chain.transaction(text(hash));
      return found !== undefined && heights.hasReceipt(found) ? found.block.receipts[found.index] : null;
    },
    eth_getLogs: ([filter]) => logsOf(heights, chain, filter as LogFilter),
    eth_getBalance: async ([address, tag]) => state.balance(text(address), await heights.stateHeight(tag)),
    eth_getTransactionCount: async ([address, tag]) =>
      quantity(nonceAt(text(address), await heights.stateHeight(tag, { ofAnyBlock: true }))),
    eth_getCode: async ([address, tag]) => state.code(text(address), await heights.stateHeight(tag, { ofAnyBlock: true })),
    eth_call: async ([call, tag]) => {
      const { to, data, input } = call as { to: unknown; data?: unknown; input?: unknown };
      return state.call(text(to), text(input ?? data ?? "0x"), await heights.stateHeight(tag));
    },
  };
  if (features.blockReceipts !== false) {
    methods.eth_getBlockReceipts = async ([tag]) => {
      const isHash = typeof tag === "string" && tag.length === 66;
      return (await heights.executed(isHash ? chain.blockByHash(tag) : heights.blockOrNull(tag)))?.receipts ?? null;
    };
  }
  if (features.callTracer !== false) {
    methods.debug_traceBlockByNumber = async ([tag, options]) => {
      const found = await heights.executed(heights.block("debug_traceBlockByNumber", tag));
      if (found === undefined && execution !== undefined) throw new NodeError(-32000, notAccepted(heights.height(tag)));
      const isPruned = found !== undefined && found.height + (features.tracedBlocks ?? Number.POSITIVE_INFINITY) <= chain.head;
      if (isPruned) throw new NodeError(-32000, "required historical state unavailable (reexec=128)");
      return tracesOf(found, options);
    };
    methods.debug_traceTransaction = ([hash, options]) => {
      const found = chain.transaction(text(hash));
      if (found === undefined) throw new NodeError(-32000, "transaction not found");
      return (tracesOf(found.block, options) as { result: unknown }[])[found.index]!.result;
    };
    methods.debug_traceBlockByHash = ([hash, options]) => {
      const found = chain.blockByHash(text(hash));
      if (found === undefined) throw new NodeError(-32000, `block ${hash} not found`);
      return tracesOf(found, options);
    };
  }
  if (features.traceBlock === true) {
    methods.trace_block = ([tag]) => {
      const found = heights.blockOrNull(tag);
      return found === undefined ? null : traceBlockForm(found);
    };
  }
  const { withheld } = features;
  const method = withheld && methods[withheld.method];
  if (withheld !== undefined && method !== undefined)
    methods[withheld.method] = (params) => (heights.height(params[0]) === withheld.height ? null : method(params));
  return methods;
}

/** Block tags, and what the recorded node said of heights above its head. */
class Heights {
  readonly #chain: ServedChain;
  readonly #recording: Recording;
  readonly #execution: Execution | undefined;

  constructor(chain: ServedChain, recording: Recording, execution: Execution | undefined) {
    this.#chain = chain;
    this.#recording = recording;
    this.#execution = execution;
  }

  height(tag: unknown): number {
    if (tag === "earliest") return 0;
    if (tag === "safe" || tag === "finalized") return this.#execution?.settled ?? this.#chain.head;
    if (tag === undefined || tag === "latest" || tag === "pending") return this.#execution?.executed ?? this.#chain.head;
    if (typeof tag === "object" && tag !== null) {
      const { blockHash, blockNumber } = tag as { blockHash?: string; blockNumber?: unknown };
      if (blockHash === undefined) return this.height(blockNumber);
      const found = this.#chain.blockByHash(blockHash);
      if (found === undefined) throw new NodeError(-32000, "header not found");
      return found.height;
    }
    if (typeof tag !== "string" || !/^0x(0|[1-9a-f][0-9a-f]*)$/.test(tag))
      throw new NodeError(-32602, "invalid argument 0: hex string without 0x prefix");
    return Number(tag);
  }

  blockOrNull(tag: unknown): RecordedBlock | undefined {
    return this.#chain.block(this.height(tag));
  }

  block(method: string, tag: unknown): RecordedBlock | undefined {
    const found = this.blockOrNull(tag);
    if (found !== undefined || this.#execution !== undefined) return found;
    const above = quantity(this.#recording.network.head + 1);
    const error = this.#recording.network.probes[method]?.find(({ params }) => params[0] === above)?.response.error;
    if (error !== undefined) throw new NodeError(Number(error.code), String(error.message), error.data);
    return undefined;
  }

  /** A block once it is executed: what it did is not told before. */
  async executed(found: RecordedBlock | undefined): Promise<RecordedBlock | undefined> {
    if (found !== undefined) await this.#execution?.until(found.height);
    return found;
  }

  /** A receipt is there as soon as its transaction is executed: those of the block that is being executed have begun to come. */
  hasReceipt({ block, index }: { readonly block: RecordedBlock; readonly index: number }): boolean {
    const executed = this.#execution?.executed ?? this.#chain.head;
    return block.height <= executed || (block.height === executed + 1 && index < block.receipts.length / 2);
  }

  /** @param ofAnyBlock also of made-up blocks */
  async stateHeight(tag: unknown, { ofAnyBlock = false } = {}): Promise<number> {
    const height = this.height(tag);
    const isThere = (await this.executed(this.#chain.block(height))) !== undefined;
    if (!isThere && this.#execution !== undefined) throw new NodeError(-32000, notAccepted(height));
    if (!isThere) throw new NodeError(-32000, "header not found");
    if (!ofAnyBlock && !this.#chain.isRecorded(height))
      throw new NodeError(-32000, `missing trie node: no state of the made-up block ${height}`);
    return height;
  }
}

function blockForm(found: RecordedBlock | undefined, isWhole: unknown): Block | Json | null {
  if (found === undefined) return null;
  return isWhole === true ? found.block : { ...found.block, transactions: found.block.transactions.map(({ hash }) => hash) };
}

function tracesOf(found: RecordedBlock | undefined, options: unknown): unknown {
  const tracer = (options as { tracer?: unknown } | undefined)?.tracer;
  if (tracer !== "callTracer") throw new NodeError(-32000, `tracer ${String(tracer)} is not replayed`);
  if (found === undefined) return null;
  if (found.traces === null) throw new NodeError(-32000, "genesis is not traceable");
  return found.traces;
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

function logsOf(heights: Heights, chain: ServedChain, filter: LogFilter): Log[] {
  const at = filter.blockHash === undefined ? undefined : heights.height({ blockHash: filter.blockHash });
  const blocks = chain.blocks.slice(at ?? heights.height(filter.fromBlock), (at ?? heights.height(filter.toBlock)) + 1);
  const addresses = filter.address === undefined ? undefined : [filter.address].flat().map((address) => address.toLowerCase());
  const isAsked = (log: Log) =>
    (addresses === undefined || addresses.includes(log.address)) &&
    (filter.topics ?? []).every((topic, i) => topic === null || [topic].flat().includes(log.topics[i]!));
  return blocks.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs.filter(isAsked)));
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new NodeError(-32602, "missing value for required argument 0");
  return value.toLowerCase();
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
