import Type from "typebox";
import { encodeBech32 } from "../../../base/bytes/address.ts";
import { primaryChains } from "../../../index/primary/primary-chain.ts";
import { isKnownOn } from "../../../index/primary/utxos/owner-group-reader.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { namedObject } from "../named-object.ts";
import { publicChainId } from "../network-labels.ts";
import { csv } from "../paging.ts";
import { dataRoute } from "../route.ts";

const addressChains = namedObject("ChainAddressChainIdMap", { address: Type.String(), blockchainIds: Type.Array(Type.String()) });

export const getChainIdsForAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/addresses:listChainIds",
  operationId: "getChainIdsForAddresses",
  tag: "Primary network: UTXOs",
  summary: "The chains on which addresses were active; addresses that never were are left out.",
  description:
    "A chain is listed if the address ever owned a UTXO there, including UTXOs exported to or from it, or received what was imported from it. The " +
    "IDs are those that official clients know: Fuji's on every network but mainnet.",
  cost: "O(addresses) rows",
  computeUnits: 100,
  query: Type.Object({ addresses: csv(`At most ${MAX_ADDRESSES_GET} addresses.`) }),
  response: namedObject("ChainAddressChainIdMapListResponse", { addresses: Type.Array(addressChains) }),
  async handle({ query }, { reader, network, label }) {
    const addresses = parseAddresses(query.addresses, { network }, { max: MAX_ADDRESSES_GET });
    const found = await Promise.all(
      addresses.map(async (address) => {
        const isKnown = await Promise.all(primaryChains.map((chain) => isKnownOn(reader, chain, address)));
        const blockchainIds = primaryChains.filter((_, i) => isKnown[i]).map((chain) => publicChainId(chain, label));
        return { address: encodeBech32(network.hrp, address), blockchainIds };
      }),
    );
    return { addresses: found.filter(({ blockchainIds }) => blockchainIds.length > 0) };
  },
});
