/** Methods of the reference node that a follower asks, answered from a recording up to a height. Error texts are the node's. */

import { formatId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { encodeHexChecksummed, encodeHexPlain } from "../../../src/base/bytes/hex.ts";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { withHashes } from "./c-chain-answer.ts";
import { type Execution, notAccepted } from "./execution.ts";
import { CHAINS, type ChainName, type ReplayedBlock, type ReplayedNetwork } from "./replayed-network.ts";

/** heights of the last accepted blocks */
export type Heights = Readonly<Record<ChainName, bigint>>;

export interface Served {
  readonly network: ReplayedNetwork;
  readonly heights: Heights;
  /** of C; undefined: what is accepted is executed and settled at once, as before Helicon */
  readonly execution?: Execution | undefined;
}

/** A refusal in the node's words. */
export class NodeRefusal extends Error {
  readonly code: number;

  constructor(message: string, code = -32_000) {
    super(message);
    this.code = code;
  }
}

type Params = Readonly<Record<string, unknown>>;
/** Answers JSON. */
type Method = (served: Served, params: Params) => string;
type EvmMethod = (served: Served, params: readonly unknown[]) => unknown;

const MOST_CONTAINERS = 1024;
const json = (value: unknown): string => JSON.stringify(value);

const info: Record<string, Method> = {
  "info.getNetworkID": ({ network }) => json({ networkID: `${network.network.networkId}` }),
  "info.upgrades": ({ network }) => json(network.upgrades),
  "info.getNodeVersion": () =>
    json({
      ...{ version: "avalanchego/1.14.2", databaseVersion: "v1.4.5", rpcProtocolVersion: "45", gitCommit: "" },
      vmVersions: { avm: "avalanchego/1.14.2", evm: "v1.14.2", platform: "avalanchego/1.14.2" },
    }),
  "info.getBlockchainID": ({ network }, { alias = "" }) => {
    const chain = chainOf(network, alias);
    if (chain === undefined) throw new NodeRefusal(`there is no ID with alias: ${alias}`);
    return json({ blockchainID: network.chainIds[chain] });
  },
  "info.isBootstrapped": ({ network }, { chain = "" }) => {
    if (chain === "") throw new NodeRefusal("argument 'chain' not given");
    if (chainOf(network, chain) === undefined) throw new NodeRefusal(`there is no chain with alias/ID '${chain}'`);
    return json({ isBootstrapped: true });
  },
};

const ALIASES: Readonly<Record<ChainName, string>> = { P: "platform", X: "avm", C: "evm" };

function chainOf({ chainIds }: ReplayedNetwork, alias: unknown): ChainName | undefined {
  return CHAINS.find((chain) => [chain, ALIASES[chain], chainIds[chain]].some((name) => name === alias));
}

function linearMethods(chain: "P" | "X", service: string): Record<string, Method> {
  return {
    [`${service}.getHeight`]: ({ heights }) => json({ height: `${heights[chain]}` }),
    [`${service}.getBlockByHeight`]: (served, { height = 0, encoding = "hex" }) => {
      const block = blockAt(served, chain, number(height));
      if (block === undefined) throw new NodeRefusal(`couldn't get block at height ${number(height)}: not found`);
      return `{"block":${encoding === "json" ? block.json : json(hexOf(block.bytes, encoding))},"encoding":${json(encoding)}}`;
    },
    [`${service}.getBlock`]: (served, { blockID = formatId(EMPTY_ID), encoding = "hex" }) => {
      const block = accepted(served, chain).find(({ bytes }) => formatId(sha256Hex(bytes)) === blockID);
      if (block === undefined) throw new NodeRefusal(`couldn't get block with id ${blockID}: not found`);
      return `{"block":${encoding === "json" ? block.json : json(hexOf(block.bytes, encoding))},"encoding":${json(encoding)}}`;
    },
  };
}

/** Written as a number or as a text. */
function number(value: unknown): bigint {
  return BigInt(value as string | number);
}

function hexOf(bytes: Uint8Array, encoding: unknown): string {
  if (encoding !== "hex" && encoding !== "hexnc") throw new NodeRefusal("unsupported encoding in method");
  return encoding === "hex" ? encodeHexChecksummed(bytes) : encodeHexPlain(bytes);
}

function blockAt({ network, heights }: Served, chain: ChainName, height: bigint): ReplayedBlock | undefined {
  return height > heights[chain] ? undefined : network.chains[chain][Number(height)];
}

function accepted({ network, heights }: Served, chain: ChainName): ReplayedBlock[] {
  return network.chains[chain].slice(0, Number(heights[chain]) + 1);
}

interface Indexed {
  readonly id: string;
  readonly bytes: Buffer;
  readonly acceptedAt: string;
}

/** What an index holds: how many containers, and the one at a place. */
interface ContainerIndex {
  readonly count: (served: Served) => number;
  readonly at: (served: Served, index: number) => Indexed;
}

/** Index i holds the container of height i + 1; a block without one is indexed as it is. */
function blockIndex(chain: ChainName): ContainerIndex {
  return {
    count: ({ heights }) => Number(heights[chain]),
    at({ network }, index) {
      const { container, bytes, acceptedAt, evm } = network.chains[chain][index + 1]!;
      const hash = evm === undefined ? sha256Hex(bytes) : String(evm.block.hash).slice(2);
      return container ?? { id: formatId(hash), bytes, acceptedAt };
    },
  };
}

/** Does not grow, whatever the heights: the DAG was over before the first block. */
const vertexIndex: ContainerIndex = {
  count: ({ network }) => network.vertices.length,
  at: ({ network }, index) => ({ ...network.vertices[index]!, acceptedAt: "2026-01-02T03:04:05.678Z" }),
};

/** Of a network whose X-chain began with blocks. */
const emptyIndex: ContainerIndex = {
  count: () => 0,
  at: () => {
    throw new RangeError("an empty index has no container");
  },
};

function indexMethods({ count, at }: ContainerIndex): Record<string, Method> {
  const shown = (served: Served, index: number, encoding: unknown) => {
    const { id, bytes, acceptedAt } = at(served, index);
    return { id, bytes: hexOf(bytes, encoding), timestamp: acceptedAt, encoding, index: `${index}` };
  };
  return {
    "index.getLastAccepted": (served, { encoding = "hex" }) => {
      if (count(served) === 0) throw new NodeRefusal("no containers have been accepted");
      return json(shown(served, count(served) - 1, encoding));
    },
    "index.getContainerByIndex": (served, { index = 0, encoding = "hex" }) => {
      if (number(index) >= count(served)) throw new NodeRefusal(`no container at index ${number(index)}`);
      return json(shown(served, Number(index), encoding));
    },
    "index.getContainerRange": (served, { startIndex = 0, numToFetch = 0, encoding = "hex" }) => {
      const [start, wanted, end] = [number(startIndex), number(numToFetch), count(served)];
      if (wanted < 1 || wanted > MOST_CONTAINERS) throw new NodeRefusal(`numToFetch must be in [1,${MOST_CONTAINERS}] but is ${wanted}`);
      if (end === 0) throw new NodeRefusal("no containers have been accepted");
      if (start >= end) throw new NodeRefusal(`start index (${start}) > last accepted index (${end - 1})`);
      const indexes = Array.from({ length: Math.min(Number(wanted), end - Number(start)) }, (_, offset) => Number(start) + offset);
      return json({ containers: indexes.map((index) => shown(served, index, encoding)) });
    },
  };
}

/** A path's methods, as the node has them. */
export const METHODS: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
  "/ext/info": info,
  "/ext/bc/P": linearMethods("P", "platform"),
  "/ext/bc/X": linearMethods("X", "avm"),
  "/ext/index/P/block": indexMethods(blockIndex("P")),
  "/ext/index/X/block": indexMethods(blockIndex("X")),
  "/ext/index/C/block": indexMethods(blockIndex("C")),
  "/ext/index/X/tx": indexMethods(emptyIndex),
  "/ext/index/X/vtx": indexMethods(vertexIndex),
};

export const EVM_METHODS: Readonly<Record<string, EvmMethod>> = {
  eth_chainId: ({ network }) => `0x${network.evmChainId.toString(16)}`,
  net_version: ({ network }) => `${network.network.networkId}`,
  web3_clientVersion: () => "v1.14.2",
  eth_syncing: () => false,
  eth_blockNumber: (served) => `0x${heightNamed(served, "latest").toString(16)}`,
  eth_getBlockByNumber: (served, [number, isWhole]) => {
    const block = evmAnswers(served, number)?.block ?? null;
    return block === null || isWhole ? block : withHashes(block);
  },
  eth_getBlockByHash: (served, [hash, isWhole]) => {
    const block = accepted(served, "C").find(({ evm }) => evm!.block.hash === hash)?.evm?.block ?? null;
    return block === null || isWhole ? block : withHashes(block);
  },
  eth_getBlockReceipts: async (served, [number]) => (await executed(served, number))?.receipts ?? null,
  // no state was recorded: no address has code
  eth_getCode: (served, [, number]) => withState(served, number),
  eth_call: (served, [, number]) => withState(served, number),
  debug_traceBlockByNumber: async (served, [number]) => {
    if (isPastTip(served, number)) throw new NodeRefusal(notAccepted(Number(number)));
    return (await executed(served, number))?.traces ?? null;
  },
};

/** Since Helicon `latest` is the last executed block, `safe` and `finalized` the last settled one; before, all are the last accepted one. */
function heightNamed({ heights, execution }: Served, number: unknown): bigint {
  const name = number === "earliest" ? "0x0" : String(number);
  if (name.startsWith("0x")) return BigInt(name);
  if (execution === undefined) return heights.C;
  return BigInt(name === "safe" || name === "finalized" ? execution.settled : execution.executed);
}

function isPastTip(served: Served, number: unknown): boolean {
  return served.execution !== undefined && heightNamed(served, number) > served.heights.C;
}

/** A block is there as soon as it is accepted. */
function evmAnswers(served: Served, number: unknown) {
  const height = heightNamed(served, number);
  if (height > served.heights.C && served.execution === undefined) throw new NodeRefusal("cannot query unfinalized data");
  return blockAt(served, "C", height)?.evm;
}

/** What a block did is told when it is executed. */
async function executed(served: Served, number: unknown) {
  const answers = evmAnswers(served, number);
  if (answers !== undefined) await served.execution?.until(Number(heightNamed(served, number)));
  return answers;
}

async function withState(served: Served, number: unknown): Promise<string> {
  if (isPastTip(served, number)) throw new NodeRefusal(notAccepted(Number(number)));
  await served.execution?.until(Number(heightNamed(served, number)));
  return "0x";
}
