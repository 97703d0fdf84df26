/** Parses whole node IDs in a comma-separated parameter. */
import type { NodeId } from "../../../base/bytes/id.ts";
import { badRequest } from "../errors.ts";
import { parseNodeIdParam, shown } from "../ids.ts";
import { splitCsv } from "../paging.ts";

export const MAX_NODE_IDS = 64;

export function parseNodeIds(list: string): NodeId[] {
  const texts = splitCsv(list);
  if (texts.length === 0) throw badRequest(`nodeIds must name at least one node, got ${shown(list)}`);
  if (texts.length > MAX_NODE_IDS) throw badRequest(`nodeIds must name at most ${MAX_NODE_IDS} nodes, got ${texts.length}`);
  return [...new Set(texts.map((text) => parseNodeIdParam("nodeIds", text)))];
}

/** Every pair of a node and an address; an absent list leaves its member out. */
export function nodesByAddresses(
  nodeIds: readonly NodeId[] | undefined,
  addresses: readonly string[] | undefined,
): { nodeId?: NodeId; address?: string }[] {
  const nodes = nodeIds === undefined ? [{}] : nodeIds.map((nodeId) => ({ nodeId }));
  const owners = addresses === undefined ? [{}] : addresses.map((address) => ({ address }));
  return nodes.flatMap((node) => owners.map((owner) => ({ ...node, ...owner })));
}
