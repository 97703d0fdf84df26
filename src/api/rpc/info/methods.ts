/** The methods of `/ext/info`. */
import type { Method } from "../method.ts";
import { acps } from "./acps.ts";
import { getBlockchainId, isBootstrapped } from "./chain-methods.ts";
import { getNetworkId, getNetworkName, getTxFee, upgrades } from "./network-methods.ts";
import { getNodeId, getNodeIp, getNodeVersion, getVms } from "./node-methods.ts";
import { peers } from "./peers.ts";
import { uptime } from "./uptime.ts";

/** The methods that public servers offer too: their answers do not depend on the node. */
export const publicInfoMethods: readonly Method[] = [
  acps,
  getBlockchainId,
  getNetworkId,
  getNetworkName,
  getNodeVersion,
  getTxFee,
  isBootstrapped,
  peers,
  upgrades,
  uptime,
];

export const infoMethods: readonly Method[] = [...publicInfoMethods, getNodeId, getNodeIp, getVms];
