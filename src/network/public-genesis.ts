/** The genesis of the public networks: its ID, and the URL of its file in the reference node's repository (chain-formats 6.2). */
import { parseId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { FUJI_ID, MAINNET_ID } from "./presets.ts";

export interface PublicGenesis {
  /** SHA-256 of the genesis bytes */
  readonly genesisId: Id;
  /** URL of the JSON file that the bytes are made from */
  readonly url: string;
}

/** The URL names a commit, so its content cannot change; it is also checked against the ID. */
const FILES = "https://raw.githubusercontent.com/ava-labs/avalanchego/1cf1fc3d1711a09fde7319d2b48609c8cba93680/genesis";

const PUBLIC: ReadonlyMap<number, PublicGenesis> = new Map([
  [MAINNET_ID, { genesisId: parseId("UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk"), url: `${FILES}/genesis_mainnet.json` }],
  [FUJI_ID, { genesisId: parseId("MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3"), url: `${FILES}/genesis_fuji.json` }],
]);

/** undefined if the network is not public. */
export function publicGenesis(networkId: number): PublicGenesis | undefined {
  return PUBLIC.get(networkId);
}
