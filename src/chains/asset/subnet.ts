/** Chains may exchange UTXOs only within one subnet (chain-rules 16.5). Reads the P-chain's rows. */

import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import type { View } from "../../base/table/view.ts";
import { RuleError } from "../../network/execution.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { platformChains, platformTxs } from "../platform/tables.ts";

export function verifySameSubnet(peerId: Id, selfId: Id, view: View, network: NetworkInstance): void {
  if (peerId === selfId) throw new RuleError("same-chain", "same chainID");
  const own = subnetOf(selfId, view, network);
  const peer = subnetOf(peerId, view, network);
  if (peer !== own) {
    throw new RuleError("other-subnet", `mismatched subnetIDs; expected "${formatId(own)}" got "${formatId(peer)}"`);
  }
}

function subnetOf(chainId: Id, view: View, network: NetworkInstance): Id {
  const primary = [PLATFORM_CHAIN_ID, network.xChainId, network.cChainId];
  if (primary.includes(chainId)) return PRIMARY_NETWORK_ID;
  const chain = view.get(platformChains, { chainId });
  if (chain !== undefined) return chain.subnetId;
  const text = `"${formatId(chainId)}"`;
  const isTx = view.get(platformTxs, { txId: chainId }) !== undefined;
  const reason = isTx ? `${text} is not a blockchain` : `problem retrieving blockchain ${text}: not found`;
  throw new RuleError("unknown-chain", `failed to get subnet of ${text}: ${reason}`);
}
