/**
 * What an EVM chain says about itself, for settings that the operator left out: its ID, whether it is Avalanche's (whose blocks are final),
 * and, if the URL is that of an Avalanche node, what that node's P-chain says about it. Only the ID is required. Everything else is asked
 * once and left out if nobody answers.
 */

import { formatId, parseId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { platformChains } from "../../chains/platform/tables.ts";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { StoreReader } from "../../store/store.ts";

export interface ChainFacts {
  readonly evmChainId: bigint;
  /** whether blocks have header fields that only Avalanche's chains have */
  readonly isAvalanche: boolean;
  readonly blockchainId?: Id | undefined;
  readonly subnetId?: Id | undefined;
  readonly vmId?: Id | undefined;
  /** name on the P-chain */
  readonly blockchainName?: string | undefined;
  /** ID of the Avalanche network */
  readonly networkId?: number | undefined;
}

/** Rejects with an UpstreamError if no upstream answers. */
export async function evmChainIdOf(rpc: UpstreamRpc, signal?: AbortSignal): Promise<bigint> {
  const answer = await rpc.request("eth_chainId", [], { signal, isInteractive: true });
  if (typeof answer === "string" && /^0x[0-9a-fA-F]{1,16}$/.test(answer) && BigInt(answer) > 0n) return BigInt(answer);
  throw new FirnError(
    "evm-chain-id",
    `eth_chainId answers ${JSON.stringify(answer)?.slice(0, 80)}; a chain's ID is hex of up to 8 bytes, not zero`,
  );
}

interface FactSources {
  readonly rpc: UpstreamRpc;
  readonly urls: readonly string[];
  /** a store that may hold the chain's P-chain */
  readonly reader: StoreReader;
  readonly signal?: AbortSignal | undefined;
}

export async function chainFacts({ rpc, urls, reader, signal }: FactSources): Promise<ChainFacts> {
  const evmChainId = await evmChainIdOf(rpc, signal);
  const [isAvalanche, node] = await Promise.all([hasAvalancheBlocks(rpc, signal), nodeFacts(urls, signal)]);
  const row = node.blockchainId === undefined ? undefined : await reader.get(platformChains, { chainId: node.blockchainId });
  const known = row && { subnetId: row.subnetId, vmId: row.vmId, blockchainName: row.name };
  return { evmChainId, isAvalanche, ...node, ...known };
}

/**
 * `blockGasCost` exists since Apricot Phase 4 and in every block of subnet-evm; `extDataHash` in every block of the C-chain. A devnet shows
 * them, too, beside an Ethereum header's `withdrawalsRoot`; its blocks are not final, since it can go back to a snapshot.
 */
async function hasAvalancheBlocks(rpc: UpstreamRpc, signal: AbortSignal | undefined): Promise<boolean> {
  const block = await rpc.request("eth_getBlockByNumber", ["latest", false], { signal, isInteractive: true }).catch(() => undefined);
  if (typeof block !== "object" || block === null || "withdrawalsRoot" in block) return false;
  return "blockGasCost" in block || "extDataHash" in block;
}

type NodeFacts = Omit<ChainFacts, "evmChainId" | "isAvalanche">;
const NO_FACTS: NodeFacts = {};

/** Uses the first URL in the form of an Avalanche node's: `…/ext/bc/<alias or blockchain ID>/rpc`. */
async function nodeFacts(urls: readonly string[], signal: AbortSignal | undefined): Promise<NodeFacts> {
  for (const url of urls) {
    const match = /^(https?:\/\/[^@?#]*)\/ext\/bc\/([^/]+)\/rpc$/.exec(url.split(/[?#]/, 1)[0]!);
    if (match === null) continue;
    const node = new NodeApis(match[1]!, signal);
    const [networkId, blockchainId] = await Promise.all([node.networkId(), node.blockchainId(match[2]!)]);
    return { networkId, blockchainId, ...(blockchainId !== undefined && (await node.creationOf(blockchainId))) };
  }
  return NO_FACTS;
}

const NODE_TIMEOUT_MS = 3000;

/** The APIs that every Avalanche node has; undefined if this one does not answer. */
class NodeApis {
  readonly #base: string;
  readonly #signal: AbortSignal | undefined;

  constructor(base: string, signal: AbortSignal | undefined) {
    this.#base = base;
    this.#signal = signal;
  }

  async networkId(): Promise<number | undefined> {
    const answer = await this.#call("/ext/info", "info.getNetworkID", {});
    const networkId = Number(answer?.networkID);
    return Number.isSafeInteger(networkId) ? networkId : undefined;
  }

  async blockchainId(name: string): Promise<Id | undefined> {
    return idOf(name) ?? idOf((await this.#call("/ext/info", "info.getBlockchainID", { alias: name }))?.blockchainID);
  }

  async creationOf(blockchainId: Id): Promise<NodeFacts> {
    const answer = await this.#call("/ext/bc/P", "platform.getTx", { txID: formatId(blockchainId), encoding: "json" });
    const { subnetID, vmID, chainName } = memberOf(memberOf(answer, "tx"), "unsignedTx") ?? {};
    return { subnetId: idOf(subnetID), vmId: idOf(vmID), blockchainName: typeof chainName === "string" ? chainName : undefined };
  }

  async #call(path: string, method: string, params: object): Promise<Members | undefined> {
    const timeout = AbortSignal.timeout(NODE_TIMEOUT_MS);
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: this.#signal === undefined ? timeout : AbortSignal.any([timeout, this.#signal]),
      });
      return memberOf(JSON.parse(await boundedText(response)), "result");
    } catch {
      return undefined;
    }
  }
}

/** a CreateChainTx may hold a genesis of up to 1 MiB */
const MOST_BYTES = 2 ** 22;

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // throwing ends the connection
    if (bytes > MOST_BYTES) throw new FirnError("evm-chain-facts", `the node's answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

type Members = Readonly<Record<string, unknown>>;

function memberOf(value: unknown, name: string): Members | undefined {
  const member = typeof value === "object" && value !== null ? (value as Members)[name] : undefined;
  return typeof member === "object" && member !== null ? (member as Members) : undefined;
}

function idOf(text: unknown): Id | undefined {
  try {
    return typeof text === "string" ? parseId(text) : undefined;
  } catch {
    return undefined;
  }
}
