/** The rules of an elastic subnet: the TransformSubnetTx that made it one. */
import { RuleError } from "../network/execution.ts";
import { union } from "../primitives/codec/struct.ts";
import type { Id } from "../primitives/id.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { signed, storedTx } from "./tx/signed.ts";
import { type TransformSubnetTx, transformSubnet } from "./tx/transform-subnet.ts";
import { txTypeIds } from "./type-ids.ts";

const codec = signed(union({ [transformSubnet.typeId]: transformSubnet.codec }, txTypeIds));

/** Throws "not found" for a subnet that is not elastic. */
export function transformation(state: PlatformState, subnetId: Id): TransformSubnetTx {
  const bytes = state.subnet(subnetId)?.transformation;
  if (bytes === undefined) throw new RuleError("not-found", "not found", { subnetId });
  return storedTx(codec, bytes).unsigned;
}
