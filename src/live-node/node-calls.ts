/** The calls about transactions, of each chain, and what their answers say. */
import type { NetworkInstance } from "../network/network.ts";
import { formatId } from "../primitives/cb58.ts";
import { encodeHexChecksummed } from "../primitives/hex.ts";
import { PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import type { RpcCall } from "../upstream/upstream-rpc.ts";
import type { IssuedTx, LiveStatus } from "./live-node.ts";

type Chains = Pick<NetworkInstance, "cChainId" | "xChainId">;
type Named = Pick<IssuedTx, "chainId" | "txId">;

export function issueCall(tx: IssuedTx, chains: Chains): RpcCall {
  const { service, path } = apiOf(tx, chains);
  const params = { tx: encodeHexChecksummed(Buffer.from(tx.bytes, "hex")), encoding: "hex" };
  return { method: `${service}.issueTx`, params, path };
}

export function statusCall(tx: Named, chains: Chains): RpcCall {
  const { service, path } = apiOf(tx, chains);
  return { method: service === "avax" ? "avax.getAtomicTxStatus" : `${service}.getTxStatus`, params: { txID: formatId(tx.txId) }, path };
}

/** A text of a node that is passed on is cut here. */
export const LONGEST_TEXT = 4096;

export type NodeStatus = LiveStatus | { readonly kind: "unknown" };

/** undefined: this is no status. A transaction in a block that is not indexed here yet still counts as processing. */
export function statusOf(result: unknown): NodeStatus | undefined {
  const { status, reason } = (result ?? {}) as { status?: unknown; reason?: unknown };
  switch (status) {
    case "Processing":
    case "Accepted":
    case "Committed":
    case "Aborted":
      return { kind: "processing" };
    case "Dropped":
      return { kind: "dropped", reason: typeof reason === "string" ? reason.slice(0, LONGEST_TEXT) : "" };
    case "Rejected":
      return { kind: "rejected" };
    case "Unknown":
      return { kind: "unknown" };
    default:
      return undefined;
  }
}

function apiOf({ chainId }: Named, { cChainId, xChainId }: Chains): { service: string; path: string } {
  if (chainId === PLATFORM_CHAIN_ID) return { service: "platform", path: "/ext/bc/P" };
  if (chainId === cChainId) return { service: "avax", path: "/ext/bc/C/avax" };
  return { service: "avm", path: `/ext/bc/${chainId === xChainId ? "X" : formatId(chainId)}` };
}
