/** A store and the EVM chains that are followed into it. One without a primary network is made where there is none. */
import type { Logger } from "pino";
import { FUJI_ID, MAINNET_ID } from "../../network/presets.ts";
import { isStandalone } from "../../network/standalone.ts";
import { EMPTY_ID } from "../../primitives/id.ts";
import { type FolderStore, formatChange, openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import { FollowedChains, type FollowOptions } from "./followed-chains.ts";

export interface FollowedStoreOptions extends Omit<FollowOptions, "store"> {
  /** the data directory */
  readonly directory: string;
  readonly maxStoreBytes?: number | undefined;
  readonly log: Logger;
}

export interface FollowedStore {
  readonly store: FolderStore;
  readonly chains: FollowedChains;
  /** ends what is followed, and closes the store */
  close(): Promise<void>;
}

export async function openFollowedStore({ directory, maxStoreBytes, ...options }: FollowedStoreOptions): Promise<FollowedStore> {
  const store = await openStore({ directory, mode: "write", ...(maxStoreBytes !== undefined && { maxBytes: maxStoreBytes }) });
  try {
    if ((await store.get(storeFormat, { slot: 0 })) === undefined) await store.commit([standaloneFormat({ isTestnet: false })]);
    const chains = await FollowedChains.start({ ...options, store });
    await nameNetwork(store, chains);
    return {
      store,
      chains,
      async close() {
        await chains.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Paths of a store without a primary network say `mainnet`, unless all chains are of test networks. */
async function nameNetwork(store: Store, { running }: FollowedChains): Promise<void> {
  const format = await store.get(storeFormat, { slot: 0 });
  if (format === undefined || !isStandalone(format) || running.length === 0) return;
  const isTestnet = running.every((chain) => chain.running!.settings.isTestnet);
  await store.commit([standaloneFormat({ isTestnet })]);
}

function standaloneFormat({ isTestnet }: { isTestnet: boolean }) {
  return formatChange({ networkId: isTestnet ? FUJI_ID : MAINNET_ID, genesisId: EMPTY_ID });
}
