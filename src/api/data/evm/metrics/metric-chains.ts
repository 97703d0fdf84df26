/** Chains as the official SDKs list them beside metrics. */
import Type from "typebox";
import { formatId } from "../../../../base/bytes/cb58.ts";
import { exactInteger } from "../../exact-integer.ts";
import { namedObject } from "../../named-object.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import type { EvmChain } from "../evm-chain.ts";
import { isOfNetwork, networkQuery } from "../latest-of-all.ts";

const metricChain = namedObject("Chain", {
  evmChainId: exactInteger("EVM chain ID."),
  chainName: Type.String(),
  blockchainId: Type.String({ description: "Empty if the chain is not on a P-chain that this server knows." }),
  subnetId: Type.String({ description: "Empty if it is not known." }),
  network: Type.Union([Type.Literal("mainnet"), Type.Literal("testnet")]),
});

function present({ evmChainId, settings: { name, blockchainId, subnetId, isTestnet } }: EvmChain) {
  return {
    evmChainId,
    chainName: name,
    blockchainId: blockchainId === undefined ? "" : formatId(blockchainId),
    subnetId: subnetId === undefined ? "" : formatId(subnetId),
    network: isTestnet ? ("testnet" as const) : ("mainnet" as const),
  };
}

export const listMetricChains = dataRoute({
  method: "GET",
  path: "/chains",
  version: 2,
  operationId: "listMetricChains",
  tag: "EVM: metrics",
  summary: "EVM chains of this server, in order of their IDs, as clients of metrics ask for them.",
  cost: "O(1): reads no rows",
  computeUnits: 1,
  evm: "all",
  query: Type.Object({ ...networkQuery, ...pageQuery() }),
  response: pageOf({ chains: Type.Array(metricChain) }, "MetricsListChainsResponse"),
  async handle({ query: { network, pageSize } }, context) {
    const after = context.after === undefined ? -1n : BigInt(context.after.chain!);
    const chains = context.evmChains.filter((chain) => isOfNetwork(chain, network) && chain.evmChainId > after);
    const shown = chains.slice(0, pageSize);
    return {
      chains: shown.map(present),
      ...context.nextPage(chains.length > shown.length ? { chain: shown.at(-1)!.evmChainId } : undefined),
    };
  },
});

export const getMetricChain = dataRoute({
  method: "GET",
  path: "/chains/{chainId}",
  version: 2,
  operationId: "getMetricChain",
  tag: "EVM: metrics",
  summary: "One EVM chain of this server, as clients of metrics ask for it.",
  cost: "O(1): reads no rows",
  computeUnits: 1,
  evm: "chain",
  needs: [],
  query: Type.Object({}),
  response: metricChain,
  handle: async (_, { evmChain }) => present(evmChain),
});
