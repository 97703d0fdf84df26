/** Identifies an upstream's network, and fetches a local network's parameters. */
import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { Reader } from "../../base/codec/reader.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { openUpstreamRpc, type UpstreamIdentity } from "../upstream/open-upstream-rpc.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { RpcCall } from "../upstream/upstream-rpc.ts";
import { BadAnswerError, bytesOf, numberOf, objectOf, readAnswer, resultOf } from "./chain-reader.ts";

export interface NodeNetwork {
  readonly networkId: number;
  /** answer of `info.upgrades` */
  readonly upgrades: unknown;
  /** SHA-256 of the genesis bytes: the parent of the P-chain's block 0 */
  readonly genesisId: Id;
}

const INFO = "/ext/info";
const IDENTITY_CALLS: readonly RpcCall[] = [
  { method: "info.getNetworkID", params: {}, path: INFO },
  { method: "platform.getBlockByHeight", params: { height: "0", encoding: "hex" }, path: "/ext/bc/P" },
];
/** codec version, type */
const BEFORE_PARENT = 2 + 4;

/** Nodes of the network say so, by its number and its genesis. */
export function nodeIdentity({ networkId, genesisId }: Pick<NodeNetwork, "networkId" | "genesisId">): UpstreamIdentity {
  return {
    calls: IDENTITY_CALLS,
    read(results) {
      try {
        const found = identityOf(results);
        return sentenceOf(found);
      } catch (error) {
        if (error instanceof FirnError) return undefined;
        throw error;
      }
    },
    expected: sentenceOf({ networkId, genesisId }),
  };
}

/**
 * Asks a devnet for its genesis, which depends on when it was first started. Resolves to undefined if no upstream tells: a node does not.
 * The answer must be held against the genesis ID.
 */
export async function askNodeGenesis(urls: readonly string[], log: Logger, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const rpc = openUpstreamRpc({ urls: urls.map(nodeUrl), log, maxBatch: 1 });
  try {
    const [outcome] = await rpc.requestAll([{ method: "firn.getGenesis", params: {}, path: "/ext/firn" }], { signal });
    const { genesis } = objectOf(resultOf(outcome!).result, "the answer");
    return typeof genesis === "string" ? decodeHex(genesis, { checksum: false }) : undefined;
  } catch (error) {
    if (error instanceof FirnError && !signal.aborted) return undefined;
    throw error;
  } finally {
    await rpc.close();
  }
}

/** Asks the first upstream that answers. Rejects with a FirnError if none does. @param urls of nodes: `http://127.0.0.1:9650` */
export async function askNodeNetwork(urls: readonly string[], log: Logger, signal: AbortSignal): Promise<NodeNetwork> {
  const rpc = openUpstreamRpc({ urls: urls.map(nodeUrl), log, maxBatch: 1 });
  try {
    const outcomes = await rpc.requestAll([...IDENTITY_CALLS, { method: "info.upgrades", params: {}, path: INFO }], { signal });
    const answers = outcomes.map(resultOf);
    const { upstream } = answers[0]!;
    const found = readAnswer(upstream, "what the upstream says of its network", () => identityOf(answers.map(({ result }) => result)));
    return { ...found, upgrades: answers[2]!.result };
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof BadAnswerError) || signal.aborted) throw error;
    const wayOut = "look whether a node runs there, and give its URL without /ext, such as http://127.0.0.1:9650";
    throw new FirnError("upstream-network", `no upstream says which network it is of (${error.message}); ${wayOut}`, {}, { cause: error });
  } finally {
    await rpc.close();
  }
}

/** The base URL of a node. Throws a FirnError with a sentence if it cannot be one. */
export function nodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOfApi = url?.pathname.includes("/ext/") ?? false;
  if (url !== undefined && /^https?:$/.test(url.protocol) && !isOfApi) return text.replace(/\/+$/, "");
  const reason = isOfApi ? "is the URL of one API of a node" : "is not the URL of a node";
  throw new FirnError("upstream-urls", `${text} ${reason}; give what comes before /ext, such as http://127.0.0.1:9650`);
}

function identityOf([network, block]: readonly unknown[]): { networkId: number; genesisId: Id } {
  const networkId = Number(numberOf(objectOf(network, "the answer").networkID, "networkID"));
  const reader = new Reader(bytesOf(objectOf(block, "the answer").block, "block"));
  reader.slice(BEFORE_PARENT);
  return { networkId, genesisId: reader.hex(32) };
}

function sentenceOf({ networkId, genesisId }: { networkId: number; genesisId: Id }): string {
  return `network ${networkId} with genesis ${formatId(genesisId)}`;
}
