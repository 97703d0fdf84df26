/** Whether a blockchain of Subnet-EVM's VM runs, and why not. */

import { type Id, nameId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Network } from "../../network/network.ts";
import { parseSubnetEvmGenesis, type SubnetEvmGenesis } from "./genesis.ts";

const SUBNET_EVM_ID = nameId("subnetevm");
/** Anyone can put a name of any length into a genesis, and an error names it. */
const LONGEST_PROBLEM = 300;

type ReadGenesis = { readonly genesis: SubnetEvmGenesis } | { readonly problem: string };

export function isSubnetEvm({ vmId }: { readonly vmId: Id }): boolean {
  return vmId === SUBNET_EVM_ID;
}

/** @param isTaken whether another chain of the network has this EVM chain ID */
export function readGenesis(bytes: Uint8Array, network: Network, isTaken: (evmChainId: bigint) => boolean): ReadGenesis {
  try {
    const genesis = parseSubnetEvmGenesis(bytes, network);
    if (!isTaken(genesis.evmChainId)) return { genesis };
    return { problem: `genesis: config.chainId is ${genesis.evmChainId}, which another chain of this network has; use another one` };
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return { problem: error.message.slice(0, LONGEST_PROBLEM) };
  }
}
