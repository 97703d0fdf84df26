/** The network of a recording, from its `network.json` and `genesis-P.hex`. */

import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { parseNetworkFile } from "../../../src/network/network-file.ts";
import { bytesOf, readJson, readText } from "../json-lines.ts";

export function recordedNetwork(folder: string): NetworkInstance {
  const genesisBytes = bytesOf(readText(folder, "genesis-P.hex").trim());
  return networkInstance(parseNetworkFile(readJson(folder, "network.json")), genesisBytes);
}
