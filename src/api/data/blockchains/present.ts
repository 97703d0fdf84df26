/** Presents blockchains in answers. */

import Type, { type Static } from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import type { BlockchainInfo } from "../../../index/primary/network/network-tables.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { namedObject } from "../named-object.ts";

export const blockchainSchema = namedObject("Blockchain", {
  createBlockTimestamp: Type.Integer({ description: "Unix seconds; for blockchains of the genesis, its time" }),
  createBlockNumber: Type.String({ description: "height on the P-chain; -1 for blockchains of the genesis" }),
  blockchainId: Type.String(),
  vmId: Type.String({ description: "ID of the VM; `platformvm` for the P-chain, and `avm` for the X-chain except within a subnet" }),
  subnetId: Type.String(),
  blockchainName: Type.String(),
  evmChainId: Type.Integer({ description: "`config.chainId` of a JSON genesis; 0 if there is none" }),
});
export type BlockchainAnswer = Static<typeof blockchainSchema>;

interface BlockchainForm {
  /** in a subnet's answer, the X-chain's VM is shown by its ID */
  readonly isInSubnet?: boolean;
}

export function presentBlockchain(
  chainId: Id,
  { height, timestamp, subnetId, name, vmId, evmChainId }: BlockchainInfo,
  network: Pick<NetworkInstance, "xChainId">,
  { isInSubnet = false }: BlockchainForm = {},
): BlockchainAnswer {
  return {
    createBlockTimestamp: Number(timestamp),
    createBlockNumber: creationHeight(height),
    blockchainId: formatId(chainId),
    vmId: chainId === PLATFORM_CHAIN_ID ? "platformvm" : chainId === network.xChainId && !isInSubnet ? "avm" : formatId(vmId),
    subnetId: formatId(subnetId),
    // Names are stored as bytes, which need not be UTF-8.
    blockchainName: utf8(name),
    evmChainId: Number(evmChainId),
  };
}

/** A chain that genesis created is in no block, which the API shows as -1. */
export function creationHeight(height: bigint): string {
  return height === 0n ? "-1" : `${height}`;
}
