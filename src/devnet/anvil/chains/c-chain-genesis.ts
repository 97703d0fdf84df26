/** Reads the C-chain's genesis from which its EVM starts. */

import { nameId } from "../../../base/bytes/id.ts";
import { parseGenesis } from "../../../chains/platform/genesis/genesis.ts";
import type { NetworkInstance } from "../../../network/network.ts";

export interface CChainGenesis {
  readonly chainId: number;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** as the network's genesis contains it */
  readonly json: Readonly<Record<string, unknown>>;
  /** aAVAX in all accounts */
  readonly supply: bigint;
}

interface GenesisJson {
  readonly config: { readonly chainId: number };
  readonly timestamp?: string;
  readonly alloc?: Readonly<Record<string, { readonly balance?: string | number }>>;
}

export function cChainGenesis({ genesisBytes }: NetworkInstance): CChainGenesis {
  const evm = nameId("evm");
  const chain = parseGenesis(genesisBytes).chains.find(({ unsigned }) => unsigned.vmId === evm);
  if (chain === undefined) throw new TypeError("a network has a C-chain");
  const json = JSON.parse(Buffer.from(chain.unsigned.genesisData).toString("utf8")) as GenesisJson;
  return {
    chainId: json.config.chainId,
    timestamp: BigInt(json.timestamp ?? 0),
    json: { ...json },
    supply: Object.values(json.alloc ?? {}).reduce((sum, { balance = 0 }) => sum + BigInt(balance), 0n),
  };
}
