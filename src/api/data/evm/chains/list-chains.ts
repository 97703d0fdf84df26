import Type from "typebox";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import type { EvmChain } from "../evm-chain.ts";
import { isOfNetwork, networkQuery } from "../latest-of-all.ts";
import { presentChain } from "./present-chain.ts";
import { evmChainSchema } from "./schemas.ts";

export const listChains = dataRoute({
  method: "GET",
  path: "/chains",
  operationId: "supportedChains",
  tag: "EVM: chains",
  summary: "EVM chains of this server, in order of their IDs.",
  cost: "O(chains) rows",
  computeUnits: 1,
  evm: "all",
  query: Type.Object({
    ...networkQuery,
    feature: Type.Optional(
      Type.Union([Type.Literal("nftIndexing"), Type.Literal("webhooks"), Type.Literal("teleporter")], {
        description:
          "Lists only chains with this feature. All chains have `nftIndexing`, those with a blockchain ID `teleporter`, none `webhooks`.",
      }),
    ),
  }),
  response: namedObject("ListChainsResponse", { chains: Type.Array(evmChainSchema) }),
  async handle({ query: { network, feature = "nftIndexing" } }, context) {
    const hasFeature = ({ settings: { blockchainId } }: EvmChain) =>
      feature === "nftIndexing" || (feature === "teleporter" && blockchainId !== undefined);
    const chains = context.evmChains.filter((chain) => isOfNetwork(chain, network) && hasFeature(chain));
    return { chains: await Promise.all(chains.map((chain) => presentChain(chain, context))) };
  },
});
