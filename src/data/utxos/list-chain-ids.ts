import Type from "typebox";
import { isKnownOn } from "../../index/primary/owner-group-reader.ts";
import { primaryChains } from "../../index/primary/primary-chain.ts";
import { encodeBech32 } from "../../primitives/address.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { publicChainId } from "../network-labels.ts";
import { csv } from "../paging.ts";
import { dataRoute } from "../route.ts";

const addressChains = Type.Object({ address: Type.String(), blockchainIds: Type.Array(Type.String()) });

/** On which chains addresses were active. Costs three rows an address. */
export const getChainIdsForAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/addresses:listChainIds",
  operationId: "getChainIdsForAddresses",
  tag: "Primary network: UTXOs",
  summary: "The chains on which addresses were active; addresses that never were are left out.",
  description:
    "A chain is listed for an address that ever owned a UTXO there, one exported to it or from it, or what an import from it brought. The IDs " +
    "are those that official clients know: on every network but mainnet, Fuji's.",
  cost: "O(addresses) rows",
  computeUnits: 100,
  query: Type.Object({ addresses: csv(`At most ${MAX_ADDRESSES_GET} addresses.`) }),
  response: Type.Object({ addresses: Type.Array(addressChains) }),
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
