/** The calls about transactions, of each chain, and what their answers say. */

import { formatId } from "../../base/bytes/cb58.ts";
import { encodeHexChecksummed } from "../../base/bytes/hex.ts";
import { PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome } from "../../sources/upstream/upstream-rpc.ts";
import type { PassedUptimes } from "../state/node-facts.ts";
import type { IssuedTx, LiveStatus } from "./live-node.ts";

type Chains = Pick<NetworkInstance, "cChainId" | "xChainId">;
type Named = Pick<IssuedTx, "chainId" | "txId">;

export function issueCall(tx: IssuedTx, chains: Chains): RpcCall {
  const { service, path } = apiOf(tx, chains);
  const params = { tx: encodeHexChecksummed(Buffer.from(tx.bytes, "hex")), encoding: "hex" };
  return { method: `${service}.issueTx`, params, path };
}

/** Nodes since 1.15.2 tell no status of an atomic transaction, only the transaction itself. */
export function statusCall(tx: Named, chains: Chains): RpcCall {
  const { service, path } = apiOf(tx, chains);
  const txID = formatId(tx.txId);
  if (service === "avax") return { method: "avax.getAtomicTx", params: { txID, encoding: "hex" }, path };
  return { method: `${service}.getTxStatus`, params: { txID }, path };
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

type NodeStatus = LiveStatus | { readonly kind: "unknown" };

/** of the C-chain's VM since Helicon, and of coreth */
const NO_ATOMIC_TX = /^(fetching tx: reading tx: not found$|could not find tx )/;

/** What a node's answer to `statusCall` says; undefined: nothing. */
export function statusIn(outcome: RpcOutcome): NodeStatus | undefined {
  if ("result" in outcome) return statusOf(outcome.result);
  const { nodeText = "" } = outcome.error as UpstreamError;
  return NO_ATOMIC_TX.test(nodeText) ? { kind: "unknown" } : undefined;
}

/**
 * undefined: this is no status. A transaction in a block that is not indexed here yet still counts as processing, and so does an atomic one
 * that the node has.
 */
export function statusOf(result: unknown): NodeStatus | undefined {
  const { status, reason, tx } = (result ?? {}) as { status?: unknown; reason?: unknown; tx?: unknown };
  if (typeof tx === "string") return { kind: "processing" };
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
