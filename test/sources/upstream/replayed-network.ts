/** A recording as its node would serve it: blocks of P, X and C by height, with their containers. */

import { formatId } from "../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { genesisBlock } from "../../../src/chains/platform/genesis/genesis-state.ts";
import { formatTime } from "../../../src/network/go-time.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { cChainBlockOfRpc } from "../../../src/sources/evm/parser/c-chain-block.ts";
import { fromChecksummedHex, hasFile, readLines, recordedJson } from "../../conformance/asset/recording.ts";
import { bytesOf, readJson, readText } from "../../conformance/json-lines.ts";
import { recordedNetwork } from "../../conformance/platform/recorded-network.ts";
import { type BlockAnswer, cChainAnswer } from "./c-chain-answer.ts";

export const CHAINS = ["P", "X", "C"] as const;
export type ChainName = (typeof CHAINS)[number];

export interface ReplayedBlock {
  /** of the chain itself */
  readonly bytes: Buffer;
  /** undefined: of genesis, and in recordings without containers */
  readonly container: { readonly id: string; readonly bytes: Buffer; readonly acceptedAt: string } | undefined;
  /** as the node's Index API writes it */
  readonly acceptedAt: string;
  /** JSON of the node's encoding `json`, if it was recorded */
  readonly json: string | undefined;
  /** of C */
  readonly evm: EvmAnswers | undefined;
}

export interface EvmAnswers {
  /** of `eth_getBlockByNumber` with whole transactions */
  readonly block: BlockAnswer;
  readonly receipts: unknown;
  /** of `debug_traceBlockByNumber` with callTracer */
  readonly traces: unknown;
}

export interface ReplayedNetwork {
  readonly network: NetworkInstance;
  readonly evmChainId: number;
  /** as `info.upgrades` answers */
  readonly upgrades: object;
  readonly chainIds: Readonly<Record<ChainName, string>>;
  /** by height from genesis on */
  readonly chains: Readonly<Record<ChainName, readonly ReplayedBlock[]>>;
  /** of the X-chain before its blocks, in order of acceptance */
  readonly vertices: readonly ReplayedVertex[];
}

export interface ReplayedVertex {
  readonly id: string;
  readonly bytes: Buffer;
}

const ABSENT = { container: undefined, acceptedAt: "", json: undefined, evm: undefined };

interface Line {
  readonly height: number;
  readonly containerID?: string;
  readonly container?: string | null;
  readonly bytes?: string;
  readonly json?: unknown;
  readonly acceptedAt?: string | number;
  readonly block?: BlockAnswer;
  readonly receipts?: unknown;
  readonly traces?: unknown;
}

export function readReplayedNetwork(folder: string): ReplayedNetwork {
  const network = recordedNetwork(folder);
  const { cChainGenesis } = readJson<{ cChainGenesis: string }>(folder, "genesis.json");
  const blocksOf = (chain: ChainName): ReplayedBlock[] => {
    const blocks: ReplayedBlock[] = [];
    // a recording may leave genesis out; a node has that of P whatever it was started with
    if (chain === "P") blocks.push({ ...ABSENT, bytes: Buffer.from(genesisBlock(network).bytes) });
    for (const line of readLines(folder, `blocks/${chain}.jsonl`)) blocks[(JSON.parse(line) as Line).height] = replayedBlock(line);
    return blocks;
  };
  return {
    network,
    evmChainId: (JSON.parse(cChainGenesis) as { config: { chainId: number } }).config.chainId,
    upgrades: hasFile(folder, "upgrades.json") ? readJson(folder, "upgrades.json") : upgradesOf(folder),
    chainIds: { P: formatId(PLATFORM_CHAIN_ID), X: formatId(network.xChainId), C: formatId(network.cChainId) },
    chains: { P: blocksOf("P"), X: blocksOf("X"), C: blocksOf("C") },
    vertices: [...readLines(folder, "vertices.jsonl")].map((line) => {
      const { id, bytes } = JSON.parse(line) as { id: string; bytes: string };
      return { id, bytes: bytesOf(bytes) };
    }),
  };
}

function upgradesOf(folder: string): object {
  return (JSON.parse(readText(folder, "network.json")) as { upgrades: object }).upgrades;
}

function replayedBlock(text: string): ReplayedBlock {
  const line = JSON.parse(text) as Line;
  const container = typeof line.container === "string" ? containerBytes(line.container) : undefined;
  const wrapped = container && unwrapBlock(container, () => true);
  const bytes = wrapped === undefined ? bareBytes(line) : Buffer.from(wrapped.inner);
  const isWrapped = wrapped !== undefined && container !== undefined;
  const acceptedAt = typeof line.acceptedAt === "number" ? formatTime(BigInt(line.acceptedAt)) : String(line.acceptedAt);
  return {
    bytes,
    container: isWrapped ? { id: formatId(wrapped.containerId), bytes: container, acceptedAt } : undefined,
    acceptedAt,
    json: line.json === undefined || line.json === null ? undefined : recordedJson(text, "json"),
    evm: isEvm(bytes) ? evmAnswers(line, bytes) : undefined,
  };
}

function containerBytes(encoded: string): Buffer {
  return encoded.startsWith("0x") ? bytesOf(encoded) : Buffer.from(encoded, "base64");
}

function bareBytes({ block, bytes, container }: Line): Buffer {
  if (block !== undefined) return Buffer.from(cChainBlockOfRpc(block, 0n).bytes);
  // where there are containers, hex has a checksum
  return container === undefined ? bytesOf(bytes!) : fromChecksummedHex(bytes!);
}

/** RLP begins with a long list; all other blocks begin with a codec version of 0. */
function isEvm(bytes: Buffer): boolean {
  return bytes[0]! > 0xf7;
}

/** What was not recorded is made of the block. */
function evmAnswers({ block, receipts = [], traces = null }: Line, bytes: Buffer): EvmAnswers {
  return { block: block ?? cChainAnswer(parseCChainBlock(bytes, 0n)), receipts, traces };
}
