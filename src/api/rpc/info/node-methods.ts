/** The methods of info.* about this node (rpc-avm-info-health 5.1, 5.3, 5.4). */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { nameId } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { method } from "../method.ts";

/** The release of the reference node that Firn reproduces, and its plugin protocol (networks 1). */
export const RELEASE = "1.15.3";
export const RPC_PROTOCOL = "47";

export const getNodeVersion = method({
  name: "info.getNodeVersion",
  summary: "The release of the reference node whose answers Firn reproduces.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: () => ({
    version: `avalanchego/${RELEASE}`,
    databaseVersion: "v1.4.5",
    rpcProtocolVersion: RPC_PROTOCOL,
    gitCommit: "",
    vmVersions: { avm: `avalanchego/${RELEASE}`, evm: `v${RELEASE}`, platform: `avalanchego/${RELEASE}` },
  }),
});

export const getNodeId = method({
  name: "info.getNodeID",
  summary: "Node ID, BLS key and its proof of possession.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_, { node }) => ({
    nodeID: formatNodeId(node.nodeId),
    ...(node.blsPublicKey !== "" && { nodePOP: { publicKey: `0x${node.blsPublicKey}`, proofOfPossession: `0x${node.proofOfPossession}` } }),
  }),
});

export const getNodeIp = method({
  name: "info.getNodeIP",
  summary: "The address of the node.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_, context) => ({ ip: context.beyondState().facts.publicIp }),
});

/** The P-chain's VM has an alias. The IDs of the others encode their names. */
const VMS = byId({ avm: ["avm"], evm: ["evm"], platformvm: ["platform"] });
const FXS = byId({ nftfx: "nftfx", propertyfx: "propertyfx", secp256k1fx: "secp256k1fx" });

export const getVms = method({
  name: "info.getVMs",
  summary: "Virtual machines and their aliases.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: () => ({ vms: VMS, fxs: FXS }),
});

/** Returns the values by the IDs of their names, sorted by the IDs' text. */
function byId(values: Readonly<Record<string, string | string[]>>): JsonObject {
  const members = Object.entries(values).map(([name, value]) => [formatId(nameId(name)), value] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
