/**
 * The first key column of lists of L1 validators. It says which ones the list covers: all, those of a subnet, of a node, or of a node in a
 * subnet.
 */
import { sha256Hex } from "../../../base/bytes/hash.ts";
import type { Id, NodeId, ShortId } from "../../../base/bytes/id.ts";

const SCOPE_HEX_DIGITS = 40;

/** Hashed texts of different kinds have different lengths, so they cannot collide. */
export function l1ValidatorScope({ subnetId = "", nodeId = "" }: { subnetId?: Id | undefined; nodeId?: NodeId | undefined }): ShortId {
  return sha256Hex(Buffer.from(subnetId + nodeId, "hex")).slice(0, SCOPE_HEX_DIGITS);
}

/** The scope of one validation. */
export function validationScope(validationId: Id): ShortId {
  return sha256Hex(Buffer.from(`${validationId}00`, "hex")).slice(0, SCOPE_HEX_DIGITS);
}

/** Every scope to which an L1 validator belongs. */
export function l1ValidatorScopes({ subnetId, nodeId }: { subnetId: Id; nodeId: NodeId }): ShortId[] {
  return [{}, { subnetId }, { nodeId }, { subnetId, nodeId }].map(l1ValidatorScope);
}
