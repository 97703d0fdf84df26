/** What a list of L1 validators is of, as the first key column: all of them, those of a subnet, of a node, of a node in a subnet. */
import { sha256Hex } from "../../primitives/hash.ts";
import type { Id, NodeId, ShortId } from "../../primitives/id.ts";

const SCOPE_HEX_DIGITS = 40;

/** The texts of different kinds have different lengths, so that they cannot be mistaken for each other. */
export function l1ValidatorScope({ subnetId = "", nodeId = "" }: { subnetId?: Id | undefined; nodeId?: NodeId | undefined }): ShortId {
  return sha256Hex(Buffer.from(subnetId + nodeId, "hex")).slice(0, SCOPE_HEX_DIGITS);
}

/** Every scope that an L1 validator belongs to. */
export function l1ValidatorScopes({ subnetId, nodeId }: { subnetId: Id; nodeId: NodeId }): ShortId[] {
  return [{}, { subnetId }, { nodeId }, { subnetId, nodeId }].map(l1ValidatorScope);
}
