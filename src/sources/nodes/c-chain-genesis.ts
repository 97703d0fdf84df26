/** Block 0 of the C-chain, which no node's index has: the parent of block 1. */

import type { Id } from "../../base/bytes/id.ts";
import { genesisBlocks } from "../../chains/atomic/genesis-block.ts";
import { parseGenesis } from "../../chains/platform/genesis.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { LOCAL_ID } from "../../network/presets.ts";
import { publicGenesis } from "../../network/public-genesis.ts";

/**
 * The IDs that it may have: of nodes and of devnets, whose EVMs differ. undefined for a network of one's own, whose genesis may have settings of
 * the EVM that are not known here.
 */
export function cChainGenesisIds(network: NetworkInstance): ReadonlySet<Id> | undefined {
  if (network.networkId !== LOCAL_ID && publicGenesis(network.networkId) === undefined) return undefined;
  const chain = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.cChainId);
  if (chain === undefined) return undefined;
  const making = genesisBlocks(chain.unsigned.genesisData, network);
  let made = making.next();
  while (made.done !== true) made = making.next();
  return made.value.length === 0 ? undefined : new Set(made.value.map(({ id }) => id));
}
