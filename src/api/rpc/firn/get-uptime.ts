import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { method } from "../method.ts";
import { developmentOf, NODE_ID_WANTED, nodeIdParam, required, subnetIdParam, subnetOf, uptimeText } from "./params.ts";

export const getUptime = method({
  name: "firn.getUptime",
  summary: "A validator's uptime in percent: 100 unless firn.setUptime has set it.",
  cost: "no row",
  computeUnits: 1,
  params: { nodeID: nodeIdParam, subnetID: subnetIdParam },
  handler({ nodeID, subnetID }, context) {
    const nodeId = required(nodeID, "nodeID", NODE_ID_WANTED);
    const subnetId = subnetOf(subnetID);
    const uptime = uptimeText(developmentOf(context).uptime(subnetId, nodeId));
    return { nodeID: formatNodeId(nodeId), subnetID: formatId(subnetId), uptime };
  },
});
