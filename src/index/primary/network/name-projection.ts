/** Names of blockchains and of the X-chain's assets, for the search. A creation costs up to two rows; other transactions cost none. */

import { foldedName, nameKey } from "../../../base/bytes/folded-name.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utf8 } from "../../../base/bytes/utf8.ts";
import type { View } from "../../../base/table/view.ts";
import type { AssetFacts } from "../../../chains/asset/facts.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import { P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { NAME_OF_ASSET, NAME_OF_BLOCKCHAIN, primaryNames, SYMBOL_OF_ASSET } from "./network-tables.ts";
import { PLATFORM_CHAIN_NAME } from "./subnet-projection.ts";

export const nameProjection: Projection = {
  residentTables: [],

  async fetch() {},

  project(view, item) {
    if (item.chain === P_CHAIN) nameBlockchains(view, item.facts);
    if (item.chain === X_CHAIN) nameAssets(view, item.facts);
  },
};

function nameBlockchains(view: View, { events, height: order }: PlatformFacts): void {
  if (order === 0n) putName(view, PLATFORM_CHAIN_NAME, { kind: NAME_OF_BLOCKCHAIN, order, thing: PLATFORM_CHAIN_ID });
  for (const event of events) {
    if (event.kind === "chain-created") putName(view, event.name, { kind: NAME_OF_BLOCKCHAIN, order, thing: event.chainId });
  }
}

function nameAssets(view: View, { genesisTxs, txs }: AssetFacts): void {
  for (const { txId: thing, index: order, tx } of [...genesisTxs, ...txs]) {
    if (tx.unsigned.kind !== "CreateAssetTx") continue;
    putName(view, tx.unsigned.symbol, { kind: SYMBOL_OF_ASSET, order, thing });
    putName(view, tx.unsigned.name, { kind: NAME_OF_ASSET, order, thing });
  }
}

/** @param text bytes as latin1 */
function putName(view: View, text: string, of: { readonly kind: number; readonly order: bigint; readonly thing: Id }): void {
  const folded = foldedName(utf8(text));
  if (folded !== "") view.writeUnread(primaryNames, { name: nameKey(folded), ...of }, {});
}
