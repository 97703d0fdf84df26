import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { method } from "../method.ts";
import {
  developmentOf,
  NODE_ID_WANTED,
  nodeIdParam,
  PERCENT_WANTED,
  required,
  subnetIdParam,
  subnetOf,
  uptimeParam,
  uptimeText,
} from "./params.ts";

export const setUptime = method({
  name: "firn.setUptime",
  summary: "Sets a validator's uptime in percent. A validator below the network's requirement gets no reward when it ends.",
  cost: "no row",
  computeUnits: 10,
  changesState: true,
  params: { nodeID: nodeIdParam, uptime: uptimeParam, subnetID: subnetIdParam },
  async handler({ nodeID, uptime, subnetID }, context) {
    const nodeId = required(nodeID, "nodeID", NODE_ID_WANTED);
    const millionths = required(uptime, "uptime", PERCENT_WANTED);
    const subnetId = subnetOf(subnetID);
    await developmentOf(context).setUptime(nodeId, millionths, subnetId);
    return { nodeID: formatNodeId(nodeId), subnetID: formatId(subnetId), uptime: uptimeText(millionths) };
  },
});
