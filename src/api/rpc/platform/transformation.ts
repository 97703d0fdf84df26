/** The TransformSubnetTx of a subnet, for the methods that return staking parameters. */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { platformSubnets } from "../../../chains/platform/tables.ts";
import { type SignedTx, signedTx } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";

type TransformSubnetTx = Extract<SignedTx["unsigned"], { kind: "TransformSubnetTx" }>;

export async function transformationOf({ reader }: RpcContext, subnetId: Id): Promise<TransformSubnetTx> {
  const subnet = await reader.get(platformSubnets, { subnetId });
  if (subnet?.transformation === undefined) {
    throw new RpcError(`failed fetching subnet transformation for ${formatId(subnetId)}: not found`);
  }
  return storedTx(signedTx, subnet.transformation).unsigned as TransformSubnetTx;
}
