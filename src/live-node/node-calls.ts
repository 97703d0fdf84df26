/** The calls about transactions, of each chain, and what their answers say. */
import type { NetworkInstance } from "../network/network.ts";
import type { PassedUptimes } from "../node/node-facts.ts";
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

export const UPTIMES_CALL: RpcCall = { method: "platform.getCurrentValidators", params: {}, path: "/ext/bc/P" };

const UPTIME = /^\d{1,3}\.\d{4}$/;

/** What an answer to it says of each node; undefined: this is no such answer. */
export function uptimesOf(result: unknown): PassedUptimes["validators"] | undefined {
  const { validators } = (result ?? {}) as { validators?: unknown };
  if (!Array.isArray(validators)) return undefined;
  const found: Record<string, PassedUptimes["validators"][string]> = {};
  for (const validator of validators as unknown[]) {
    const { nodeID, uptime, connected } = (validator ?? {}) as Record<string, unknown>;
    const isMeasured = typeof nodeID === "string" && typeof uptime === "string" && typeof connected === "boolean";
    if (!isMeasured || !nodeID.startsWith("NodeID-") || !UPTIME.test(uptime)) return undefined;
    found[nodeID] = { uptime, connected };
  }
  return found;
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
