import Type from "typebox";
import { evmAddressTransactions } from "../../../../evm/index/tables.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { presentChain } from "./present-chain.ts";
import { evmChainSchema } from "./schemas.ts";

export const listAddressChains = addressChains({ path: "/address/{address}/chains", operationId: "listAddressChains" });

/** the same route under the path of older clients */
export const getAddressChains = addressChains({ path: "/chains/address/{address}", operationId: "getAddressChains" });

function addressChains(names: { readonly path: string; readonly operationId: string }) {
  return dataRoute({
    ...names,
    method: "GET",
    tag: "EVM: chains",
    summary: "EVM chains of this server on which an address took part in a transaction.",
    description: "As of the newest indexed block. Only chains that this server indexes are listed.",
    cost: "O(chains) rows",
    computeUnits: 20,
    evm: "all",
    params: Type.Object({ address: evmAddress("Whose chains") }),
    query: Type.Object({}),
    response: namedObject("ListAddressChainsResponse", {
      indexedChains: Type.Array(evmChainSchema),
      unindexedChains: Type.Array(Type.String(), { description: "EVM chain IDs: always empty." }),
    }),
    async handle({ params }, context) {
      const address = parseEvmAddress(params.address);
      const { reader, evmChains } = context;
      const rows = await Promise.all(
        evmChains.map(({ chain }) => reader.scan(evmAddressTransactions, { prefix: { chain, address }, limit: 1 })),
      );
      const found = evmChains.filter((_, i) => rows[i]!.length > 0);
      return { indexedChains: await Promise.all(found.map((chain) => presentChain(chain, context))), unindexedChains: [] };
    },
  });
}
