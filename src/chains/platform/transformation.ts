/** Reads the TransformSubnetTx that defines an elastic subnet's rules. */

import type { Id } from "../../base/bytes/id.ts";
import { RuleError } from "../../network/execution.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { anyOf } from "./tx/base.ts";
import { signed, storedTx } from "./tx/signed.ts";
import { type TransformSubnetTx, transformSubnet } from "./tx/transform-subnet.ts";

const codec = signed(anyOf([transformSubnet]));

/** Throws "not found" if the subnet is not elastic. */
export function transformation(state: PlatformState, subnetId: Id): TransformSubnetTx {
  const bytes = state.subnet(subnetId)?.transformation;
  if (bytes === undefined) throw new RuleError("not-found", "not found", { subnetId });
  return storedTx(codec, bytes).unsigned;
}
