import { storeSource } from "../index/tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { parseNetworkFile } from "../network/network-file.ts";
import { FirnError } from "../primitives/errors.ts";
import type { StoreReader } from "../store/store.ts";
import { networkInstance } from "./network-instance.ts";

export interface StoreNetwork {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
}

/** The network that a store was made from. */
export async function storeNetwork(reader: StoreReader, directory: string): Promise<StoreNetwork> {
  const source = await reader.get(storeSource, { slot: 0 });
  if (source === undefined) {
    throw new FirnError(
      "store-empty",
      `the store in ${directory} holds no network yet; import one with: firn import <recording> --data-dir ${directory}`,
    );
  }
  const network = parseNetworkFile(JSON.parse(Buffer.from(source.network).toString()));
  return { network: networkInstance(network, source.genesis), networkFile: source.network };
}
