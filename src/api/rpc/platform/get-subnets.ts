import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { distinctInTurns, mapInTurns } from "../../../base/work/work.ts";
import { platformSubnets, type SubnetRow } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { id, listOf } from "../params.ts";
import { addressTexts } from "./owner-json.ts";
import { subnets } from "./snapshot.ts";
import { wrongKind } from "./subnet-errors.ts";

/** All subnets in order of creation, the primary network last; or the requested ones in the order of the request. */
export const getSubnets = method({
  name: "platform.getSubnets",
  summary: "All subnets, or the requested ones, with the keys that control them.",
  cost: "O(requested IDs + answer), in turns, bounded by the body's length",
  computeUnits: 20,
  params: { ids: listOf(id) },
  async handler({ ids }, context) {
    if (ids.length === 0) {
      const all = await mapInTurns(context.work, await subnets(context), (subnet) => subnetJson(context, subnet.subnetId, subnet));
      return { subnets: [...all, primaryNetworkJson()] };
    }
    const distinct = await distinctInTurns(context.work, ids);
    const rows = await context.reader.getMany(platformSubnets, await mapInTurns(context.work, distinct, (subnetId) => ({ subnetId })));
    const found = [];
    for (const [index, subnetId] of distinct.entries()) {
      const row = rows[index];
      if (subnetId === PRIMARY_NETWORK_ID) found.push(primaryNetworkJson());
      else if (row !== undefined) found.push(subnetJson(context, subnetId, row));
      else await refuseOtherKind(context, subnetId);
    }
    return { subnets: found.length === 0 ? null : found };
  },
});

function primaryNetworkJson() {
  return { id: formatId(PRIMARY_NETWORK_ID), controlKeys: [], threshold: "0" };
}

/** This answer omits the control keys of elastic subnets, but not those of L1s. */
function subnetJson(context: RpcContext, subnetId: Id, { owner, transformation }: SubnetRow) {
  const { addresses, threshold } = transformation === undefined ? owner : { addresses: [], threshold: 0 };
  return { id: formatId(subnetId), controlKeys: addressTexts(context, addresses), threshold: `${threshold}` };
}

/** Refuses the ID of another kind of transaction. An ID of no transaction is left out silently. */
async function refuseOtherKind(context: RpcContext, subnetId: Id): Promise<void> {
  const reason = await wrongKind(context, subnetId, "subnet");
  if (reason !== undefined) throw new RpcError(reason);
}
