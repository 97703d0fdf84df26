/** Blockchains as answers show them. */
import Type, { type Static } from "typebox";
import type { BlockchainInfo } from "../../index/primary/network-tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { formatId } from "../../primitives/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../primitives/id.ts";
import { utf8 } from "../utf8.ts";

export const blockchainSchema = Type.Object({
  createBlockTimestamp: Type.Integer({ description: "Unix seconds; of the genesis: its time" }),
  createBlockNumber: Type.String({ description: "height on the P-chain; -1 for blockchains of the genesis" }),
  blockchainId: Type.String(),
  vmId: Type.String({ description: "`platformvm` of the P-chain; `avm` of the X-chain, except within a subnet" }),
  subnetId: Type.String(),
  blockchainName: Type.String(),
  evmChainId: Type.Integer({ description: "`config.chainId` of a genesis that is JSON; 0 without" }),
});
export type BlockchainAnswer = Static<typeof blockchainSchema>;

export interface BlockchainForm {
  /** inside a subnet the X-chain's VM is its ID */
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
    // names are held byte for byte
    blockchainName: utf8(name),
    evmChainId: Number(evmChainId),
  };
}

/** What was there before block 1 has no block. */
export function creationHeight(height: bigint): string {
  return height === 0n ? "-1" : `${height}`;
}
