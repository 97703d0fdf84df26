import { FirnError } from "../base/errors/errors.ts";
import { storeSource } from "../index/tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { formatNetworkFile, parseNetworkFile } from "../network/network-file.ts";
import { FUJI_ID, withSchedule } from "../network/presets.ts";
import { isStandalone, standaloneNetwork } from "../network/standalone.ts";
import type { StoreReader } from "../store/store.ts";
import { storeFormat } from "../store/tables.ts";
import { networkInstance } from "./network-instance.ts";

interface StoreNetwork {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
}

/**
 * The network that a store was made from. Upgrades that mainnet or Fuji had yet to schedule when the store was made have their time.
 * @param option of commands that names such a place
 */
export async function storeNetwork(reader: StoreReader, place: string, option = "--data-dir"): Promise<StoreNetwork> {
  const source = await reader.get(storeSource, { slot: 0 });
  if (source === undefined) {
    const format = await reader.get(storeFormat, { slot: 0 });
    if (format !== undefined && isStandalone(format)) {
      return { network: standaloneNetwork({ isTestnet: format.networkId === FUJI_ID }), networkFile: new Uint8Array() };
    }
    throw new FirnError(
      "store-empty",
      `the store in ${place} holds nothing yet; import a network with: firn import <recording> ${option} ${place}, or index an EVM chain with: firn follow --rpc <url> ${option} ${place}`,
    );
  }
  const stored = parseNetworkFile(JSON.parse(Buffer.from(source.network).toString()));
  const network = withSchedule(stored);
  const networkFile = network === stored ? source.network : Buffer.from(formatNetworkFile(network));
  return { network: networkInstance(network, source.genesis), networkFile };
}
