/** Adds the IDs derived from its genesis to a network's parameters. */

import { sha256Hex } from "../base/bytes/hash.ts";
import { type Id, nameId } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { assetCodec } from "../chains/asset/codec.ts";
import { parseGenesis } from "../chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../chains/platform/genesis/genesis-config.ts";
import type { CreateChainTx } from "../chains/platform/tx/create-chain.ts";
import { parseGenesisFile } from "../network/genesis-file.ts";
import type { Network, NetworkInstance } from "../network/network.ts";

const ASSET_VM_ID = nameId("avm");
const EVM_ID = nameId("evm");

/** @param genesis its bytes, or the text of the genesis file that they are made from */
export function networkInstance(network: Network, genesis: Uint8Array | string): NetworkInstance {
  const genesisBytes = typeof genesis === "string" ? buildGenesis(parseGenesisFile(genesis)) : genesis;
  const chains = parseGenesis(genesisBytes).chains;
  const chainOf = (vmId: Id, name: string): { id: Id; tx: CreateChainTx } => {
    for (const { id, unsigned } of chains) {
      if (unsigned.kind === "CreateChainTx" && unsigned.vmId === vmId) return { id, tx: unsigned };
    }
    throw new FirnError("genesis-chain", `the genesis of network ${network.networkId} creates no ${name}-chain`, { name });
  };
  const x = chainOf(ASSET_VM_ID, "X");
  return {
    ...network,
    genesisBytes,
    genesisId: sha256Hex(genesisBytes),
    xChainId: x.id,
    cChainId: chainOf(EVM_ID, "C").id,
    avaxAssetId: firstAsset(x.tx),
  };
}

/** AVAX is the first asset of the X-chain's genesis. */
function firstAsset({ fxIds, genesisData }: CreateChainTx): Id {
  const codec = assetCodec(fxIds);
  const [first] = codec.parseGenesis(genesisData);
  if (first === undefined) throw new FirnError("genesis-asset", "the genesis of the X-chain creates no asset");
  const { alias: _, ...fields } = first;
  return codec.makeTx({ kind: "CreateAssetTx", ...fields }, []).id;
}

export function isAssetChain({ vmId }: { readonly vmId: Id }): boolean {
  return vmId === ASSET_VM_ID;
}
