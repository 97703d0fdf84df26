/** What a store holds, a line for the primary network and one for each EVM chain. */
import { parseSettings } from "../evm/settings-json.ts";
import { evmChainSettings, evmChainStates, evmChains, evmUpstreams } from "../index/evm/tables.ts";
import { openChains } from "../ingest/chains.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import { isStandalone } from "../network/standalone.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import { heightsText } from "./progress.ts";

export async function statusLines(reader: StoreReader, directory: string): Promise<string[]> {
  const { network } = await storeNetwork(reader, directory);
  const lines: string[] = [];
  if (!isStandalone(network)) {
    const chains = await openChains(reader, { network, level: "replay", projections: [] });
    lines.push(`network ${network.networkId} (${network.name}): ${heightsText(chains)}`);
  }
  for await (const { key, value } of scanAll(reader, evmChains)) lines.push(await evmLine(reader, key.chain, value.evmChainId));
  return lines.length === 0 ? ["no chain yet: the nodes of those that are followed have not answered"] : lines;
}

/** `chain 43112 (My L1): 120034 of 4500000, from block 100000 on; no node answers` */
async function evmLine(reader: StoreReader, chain: number, evmChainId: bigint): Promise<string> {
  const [row, state, stored, upstream] = await Promise.all([
    reader.get(evmChains, { chain }),
    reader.get(evmChainStates, { chain }),
    reader.get(evmChainSettings, { chain }),
    reader.get(evmUpstreams, { chain }),
  ]);
  const name = stored === undefined ? "" : ` (${parseSettings(stored.settings).name})`;
  const height = state === undefined ? "no block yet" : `${state.height}`;
  const head = upstream !== undefined && upstream.headHeight > (state?.height ?? -1n) ? ` of ${upstream.headHeight}` : "";
  const start = row !== undefined && row.startHeight > 0n ? `, from block ${row.startHeight} on` : "";
  const problem = upstream === undefined || upstream.problem === "" ? "" : `; ${upstream.problem}`;
  return `chain ${evmChainId}${name}: ${height}${head}${start}${problem}`;
}
