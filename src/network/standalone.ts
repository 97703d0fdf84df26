/**
 * Stands in for a network where a store holds only EVM chains: mainnet or Fuji, with its name and the IDs of its chains but without a
 * genesis, since nothing is executed.
 */
import { parseId } from "../base/bytes/cb58.ts";
import { EMPTY_ID } from "../base/bytes/id.ts";
import type { NetworkInstance } from "./network.ts";
import { fuji, mainnet } from "./presets.ts";

/** Blockchain IDs of the public networks' X- and C-chains, which official clients contain. */
export const PUBLIC_CHAIN_IDS = {
  mainnet: {
    x: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    c: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
    avax: "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
  },
  fuji: {
    x: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    c: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
    avax: "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK",
  },
} as const;

export function standaloneNetwork({ isTestnet }: { isTestnet: boolean }): NetworkInstance {
  const ids = PUBLIC_CHAIN_IDS[isTestnet ? "fuji" : "mainnet"];
  return {
    ...(isTestnet ? fuji : mainnet),
    genesisBytes: new Uint8Array(),
    genesisId: EMPTY_ID,
    xChainId: parseId(ids.x),
    cChainId: parseId(ids.c),
    avaxAssetId: parseId(ids.avax),
  };
}

/** No genesis has the empty ID as its hash. */
export function isStandalone({ genesisId }: Pick<NetworkInstance, "genesisId">): boolean {
  return genesisId === EMPTY_ID;
}
