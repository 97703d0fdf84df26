/**
 * A recording as a list of actions for a driver: the blocks of P, X and C in the order of acceptance, each with its time and the requests
 * that issue its transactions. The bytes of P- and X-chain transactions come from `txs/`, those of the C-chain from its blocks.
 */

import { formatId } from "../../../src/base/bytes/cb58.ts";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { encodeHexChecksummed, encodeHexPlain } from "../../../src/base/bytes/hex.ts";
import { type Id, type NodeId, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { readRlp, rlpItems } from "../../../src/base/codec/rlp.ts";
import { assetCodec } from "../../../src/chains/asset/codec.ts";
import { parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { blockTxs, isOption, type PlatformBlock, parseBlock } from "../../../src/chains/platform/block.ts";
import type { SignedTx } from "../../../src/chains/platform/tx/registry.ts";
import { toNodeId } from "../../../src/chains/platform/warp/l1-messages.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { proposerOf, unwrapBlock } from "../../../src/network/proposervm.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import type { BlockItem } from "../../../src/sources/source.ts";
import { openRecording } from "../../conformance/asset/recording.ts";
import { readLines } from "../../conformance/json-lines.ts";
import { isPlatformBlock } from "../../conformance/real/items.ts";

export type ChainName = "P" | "X" | "C";

/** A request that issues a transaction, and what the answer must hold. */
export interface Issue {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  /** as the answer and steps.jsonl name it: cb58, of EVM transactions the hash */
  readonly txId: string;
  readonly kind: string;
}

export interface RecordedBlock {
  readonly chain: ChainName;
  readonly height: number;
  /** of the chain's own block */
  readonly id: Id;
  /** Unix seconds; an option's is its proposal's */
  readonly time: bigint;
  readonly issues: readonly Issue[];
  /** of a proposal: whose reward it is about, and what was decided */
  readonly reward?: Readonly<Reward>;
  /** aAVAX per gas, of C */
  readonly baseFee?: bigint;
}

export interface RecordedRun {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly blocks: readonly RecordedBlock[];
  /** whether the recorded node signed containers: no other can make these */
  readonly isSigned: boolean;
}

export async function readRun(folder: string): Promise<RecordedRun> {
  const { network, networkFile, items } = await openArchive({ path: folder, instance: networkInstance });
  const reader = new BlockReader(folder, network);
  const blocks: RecordedBlock[] = [];
  for await (const run of items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    // block 0 follows from the genesis
    for (const item of run) if (item.kind === "block" && item.height > 0n) blocks.push(reader.read(item));
  }
  return { network, networkFile, blocks, isSigned: reader.isSigned };
}

interface Reward {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  /** known once the option was read */
  isCommitted: boolean;
}

class BlockReader {
  readonly #network: NetworkInstance;
  readonly #bytes: { readonly P: ReadonlyMap<string, string>; readonly X: ReadonlyMap<string, string> };
  readonly #assetCodec: ReturnType<typeof assetCodec>;
  readonly #stakers = new Map<Id, Omit<Reward, "isCommitted">>();
  isSigned = false;
  #proposal: { readonly time: bigint; readonly reward?: Reward } | undefined;

  constructor(folder: string, network: NetworkInstance) {
    const bytesOf = (file: string) =>
      new Map([...readLines<{ id: string; hex: string }>(folder, file)].map(({ id, hex }) => [id, hex] as const));
    this.#network = network;
    this.#bytes = { P: bytesOf("txs/P.jsonl"), X: bytesOf("txs/X.jsonl") };
    this.#assetCodec = assetCodec(openRecording(folder).assetGenesis.fxIds);
  }

  read({ chainId, container }: BlockItem): RecordedBlock {
    const isPlatform = chainId === PLATFORM_CHAIN_ID;
    const { head, inner } = unwrapBlock(container, isPlatform ? isPlatformBlock : () => true);
    this.isSigned ||= proposerOf(head) !== undefined;
    if (isPlatform) return this.#platform(inner);
    return chainId === this.#network.xChainId ? this.#asset(inner) : this.#evm(inner);
  }

  #platform(bytes: Uint8Array): RecordedBlock {
    const block = parseBlock(bytes);
    const { id, height } = block;
    if (isOption(block)) {
      const { time, reward } = this.#proposal!;
      if (reward !== undefined) reward.isCommitted = isCommit(block);
      return { chain: "P", height: Number(height), id, time, issues: [] };
    }
    const txs = blockTxs(block);
    for (const tx of txs) this.#noteStaker(tx);
    const time = "time" in block ? block.time : 0n;
    const issues = txs
      .filter(({ unsigned }) => !isMadeByNodes(unsigned.kind))
      .map((tx) => this.#issue("P", "/ext/bc/P", "platform.issueTx", tx.id, tx.unsigned.kind));
    const staker = this.#rewarded(txs);
    const reward = staker && { ...staker, isCommitted: false };
    this.#proposal = { time, ...(reward && { reward }) };
    return { chain: "P", height: Number(height), id, time, issues, ...(reward && { reward }) };
  }

  #asset(bytes: Uint8Array): RecordedBlock {
    const { height, id, time, txs } = this.#assetCodec.parseBlock(bytes);
    const issues = txs.map((tx) => this.#issue("X", "/ext/bc/X", "avm.issueTx", tx.id, tx.unsigned.kind));
    return { chain: "X", height: Number(height), id, time, issues };
  }

  #evm(bytes: Uint8Array): RecordedBlock {
    const { height, id, timestamp, atomicTxs, baseFee } = parseCChainBlock(bytes, this.#network.upgrades.times.apricotPhase5);
    const atomic = atomicTxs.map((tx) => ({
      path: "/ext/bc/C/avax",
      method: "avax.issueTx",
      params: { tx: encodeHexChecksummed(tx.bytes), encoding: "hex" },
      txId: formatId(tx.id),
      kind: tx.unsigned.kind,
    }));
    const issues = [...evmTransactions(bytes), ...atomic];
    return { chain: "C", height: Number(height), id, time: timestamp, issues, ...(baseFee !== undefined && { baseFee }) };
  }

  #issue(chain: "P" | "X", path: string, method: string, id: Id, kind: string): Issue {
    const txId = formatId(id);
    const tx = this.#bytes[chain].get(txId);
    if (tx === undefined) throw new Error(`txs/${chain}.jsonl has no ${txId}`);
    return { path, method, params: { tx, encoding: "hex" }, txId, kind };
  }

  #noteStaker({ id, unsigned }: SignedTx): void {
    if (unsigned.kind === "AddAutoRenewedValidatorTx")
      this.#stakers.set(id, { subnetId: PRIMARY_NETWORK_ID, nodeId: toNodeId(unsigned.nodeId) });
    else if ("validator" in unsigned)
      this.#stakers.set(id, {
        subnetId: "subnetId" in unsigned ? unsigned.subnetId : PRIMARY_NETWORK_ID,
        nodeId: unsigned.validator.nodeId,
      });
  }

  #rewarded(txs: readonly SignedTx[]): Omit<Reward, "isCommitted"> | undefined {
    const unsigned = txs.at(-1)?.unsigned;
    if (unsigned === undefined || !isMadeByNodes(unsigned.kind) || !("txId" in unsigned)) return undefined;
    const staker = this.#stakers.get(unsigned.txId);
    if (staker === undefined) throw new Error(`${formatId(unsigned.txId)} made no staker`);
    return staker;
  }
}

function isMadeByNodes(kind: string): boolean {
  return kind === "RewardValidatorTx" || kind === "RewardAutoRenewedValidatorTx" || kind === "AdvanceTimeTx";
}

function isCommit({ kind }: PlatformBlock): boolean {
  return kind === "BanffCommitBlock" || kind === "ApricotCommitBlock";
}

/** Typed transactions are strings in the list, legacy ones lists of their own. */
function evmTransactions(block: Uint8Array): Issue[] {
  return rlpItems(rlpItems(readRlp(block))[1]!).map(({ kind, encoding, payload }) => {
    const raw = kind === "list" ? encoding : payload;
    const txId = encodeHexPlain(keccak256(raw));
    return { path: "/ext/bc/C/rpc", method: "eth_sendRawTransaction", params: [encodeHexPlain(raw)], txId, kind: "eth" };
  });
}
