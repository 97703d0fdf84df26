/**
 * Reads a recording, or the beginning of one, into a history. Chains without blocks in it appear through their exports to shared memory.
 */

import { type Id, PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { type Codec, decodeVersioned } from "../../../../src/base/codec/codec.ts";
import { assetCodec } from "../../../../src/chains/asset/codec.ts";
import { parseCChainBlock } from "../../../../src/chains/atomic/block.ts";
import { exportedUtxo } from "../../../../src/chains/atomic/tx.ts";
import { parseBlock } from "../../../../src/chains/platform/block.ts";
import { parseGenesis } from "../../../../src/chains/platform/genesis/genesis.ts";
import { utxo as platformUtxo } from "../../../../src/chains/platform/output.ts";
import type { CreateChainTx } from "../../../../src/chains/platform/tx/create-chain.ts";
import { unwrapParsed } from "../../../../src/ingest/ingest-log.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { proposerOf } from "../../../../src/network/proposervm.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import type { BlockItem, SharedMemoryItem, SourceItem } from "../../../../src/sources/source.ts";
import { readLines } from "../../../conformance/json-lines.ts";
import { AssetHistory, addEvmBlock } from "./asset-history.ts";
import { type Chain, History, type NewUtxo, type Proposer } from "./history.ts";
import { PlatformHistory } from "./platform-history.ts";

export interface ReadOptions {
  /** last blocks to read, by chain name; by default all */
  readonly heights?: Readonly<Record<string, number>>;
  /** sees the history as it is after genesis and after each block */
  readonly visit?: (history: History) => void;
}

export async function readHistory(folder: string, { heights = {}, visit = () => {} }: ReadOptions = {}): Promise<History> {
  const until = new Map(Object.entries(heights).map(([chain, height]) => [chain, BigInt(height)]));
  const source = await openArchive({ path: folder, instance: networkInstance, until });
  const { network } = source;
  const xChain = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.xChainId)!.unsigned as CreateChainTx;
  const codecs = { P: platformUtxo, X: assetCodec(xChain.fxIds).utxo, C: exportedUtxo };
  const history = new History(network, codecs as unknown as Record<Chain, Codec<NewUtxo>>);
  const platform = new PlatformHistory(history);
  platform.genesis();
  const asset = new AssetHistory(history, xChain);
  asset.genesis(source);
  visit(history);
  const add = (item: SourceItem) => {
    if (item.kind === "vertex") return asset.addVertex(item.bytes, item.acceptedAt / 1_000_000_000n);
    if (item.kind === "shared-memory") return addShared(history, item);
    if (item.chainId === PLATFORM_CHAIN_ID) return platform.add(...opened(item, parseBlock));
    if (item.chainId === network.xChainId) return asset.addBlock(...opened(item, asset.codec.parseBlock));
    if (!history.blocks.some(({ chain }) => chain === "C")) addEvmGenesis(history, folder);
    addEvmBlock(history, ...opened(item, (bytes) => parseCChainBlock(bytes, network.upgrades.times.apricotPhase5)));
  };
  for await (const items of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of items) {
      add(item);
      visit(history);
    }
  }
  return history;
}

/** As the node answered it. */
function addEvmGenesis(history: History, folder: string): void {
  const [line] = readLines<{ readonly block: Readonly<Record<string, string>> }>(folder, "blocks/C.jsonl");
  const { hash, parentHash, timestamp, size } = line!.block;
  const ids = { blockId: hash!.slice(2), parentId: parentHash!.slice(2) };
  const facts = { time: BigInt(timestamp!), txIds: [], size: Number(size), kind: "Standard", proposer: undefined };
  history.blocks.push({ chain: "C", height: 0n, ...ids, ...facts });
}

function opened<B extends { readonly id: Id; readonly height: bigint }>(
  item: BlockItem,
  parse: (bytes: Uint8Array) => B,
): [B, Proposer | undefined] {
  const { block, unwrapped } = unwrapParsed(item, parse);
  const { containerId, head, header } = unwrapped;
  if (header === undefined || containerId === block.id) return [block, undefined];
  const { parentId, pChainHeight, timestamp: time } = header;
  return [block, { containerId, parentId, nodeId: proposerOf(head), pChainHeight, time }];
}

/** There is no block: height 0 and the P-chain's time when it came. */
function addShared(history: History, { chainId, operation }: SharedMemoryItem): void {
  if (operation.kind === "remove") throw new TypeError("no recording has an import of a chain whose blocks it lacks");
  const createdOn = history.chainOf(chainId);
  const utxo = decodeVersioned(history.utxoCodecs[createdOn], operation.bytes);
  history.addUtxo(utxo, { createdOn, consumedOn: history.chainOf(operation.peerId), height: 0n, time: history.time });
}
