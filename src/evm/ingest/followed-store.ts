/** A store and the EVM chains that are followed into it. If there is no store, one without a primary network is created. */

import { EMPTY_ID } from "../../base/bytes/id.ts";
import { FUJI_ID, MAINNET_ID } from "../../network/presets.ts";
import { isStandalone } from "../../network/standalone.ts";
import { formatChange } from "../../store/format.ts";
import type { Store } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import { FollowedChains, type FollowOptions } from "./followed-chains.ts";

/** Follows chains into a store. One that is empty becomes a store without a primary network. */
export async function followIntoStore(store: Store, options: Omit<FollowOptions, "store">): Promise<FollowedChains> {
  if ((await store.get(storeFormat, { slot: 0 })) === undefined) await store.commit([standaloneFormat({ isTestnet: false })]);
  const chains = await FollowedChains.start({ ...options, store });
  await nameNetwork(store, chains);
  return chains;
}

/** In a store without a primary network, paths say `mainnet` unless all chains are of test networks. */
async function nameNetwork(store: Store, { running }: FollowedChains): Promise<void> {
  const format = await store.get(storeFormat, { slot: 0 });
  if (format === undefined || !isStandalone(format) || running.length === 0) return;
  const isTestnet = running.every((chain) => chain.running!.settings.isTestnet);
  await store.commit([standaloneFormat({ isTestnet })]);
}

function standaloneFormat({ isTestnet }: { isTestnet: boolean }) {
  return formatChange({ networkId: isTestnet ? FUJI_ID : MAINNET_ID, genesisId: EMPTY_ID });
}
