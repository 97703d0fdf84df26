/** Node IDs as text: `NodeID-` followed by cb58 of 20 bytes (chain-formats 2.1). */

import { TextError } from "../errors/text-error.ts";
import { formatId, parseFixed } from "./cb58.ts";
import { ripemd160Sha256Hex } from "./hash.ts";
import type { NodeId } from "./id.ts";

const PREFIX = "NodeID-";

export function formatNodeId(nodeId: NodeId): string {
  return PREFIX + formatId(nodeId);
}

export function parseNodeId(text: string): NodeId {
  if (!text.startsWith(PREFIX)) throw new TextError("node-id-prefix", `ID: ${text} is missing the prefix: ${PREFIX}`);
  return parseFixed(text.slice(PREFIX.length), 20);
}

/** The node ID of a staking certificate: the hash of its DER bytes. */
export function nodeIdOfCertificate(der: Uint8Array): NodeId {
  return ripemd160Sha256Hex(der);
}
