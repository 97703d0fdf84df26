import { formatId } from "../../../primitives/cb58.ts";
import type { DataContext } from "../../context.ts";
import type { EvmChain } from "../evm-chain.ts";
import { formatAddress, networkToken } from "../present-token.ts";
import { hasInternals } from "./internals.ts";
import type { EvmChainAnswer } from "./schemas.ts";

/** Costs a row. */
export async function presentChain(evmChain: EvmChain, context: Pick<DataContext, "reader" | "isAvailable">): Promise<EvmChainAnswer> {
  const { evmChainId, settings, multicall } = evmChain;
  const { blockchainId, subnetId, vmId, explorerUrl, publicWsUrl, logoUri } = settings;
  const isComplete = await hasInternals({ reader: context.reader, evmChain });
  return {
    chainId: `${evmChainId}`,
    status: context.isAvailable(evmChain) ? "OK" : "UNAVAILABLE",
    chainName: settings.name,
    description: settings.description,
    ...(blockchainId !== undefined && { platformChainId: formatId(blockchainId) }),
    ...(subnetId !== undefined && { subnetId: formatId(subnetId) }),
    ...(vmId !== undefined && { vmId: formatId(vmId) }),
    vmName: "EVM",
    ...(explorerUrl !== undefined && { explorerUrl }),
    rpcUrl: settings.publicRpcUrl,
    ...(publicWsUrl !== undefined && { wsUrl: publicWsUrl }),
    isTestnet: settings.isTestnet,
    ...(multicall !== undefined && { utilityAddresses: { multicall: formatAddress(multicall) } }),
    networkToken: networkToken(evmChain),
    ...(logoUri !== undefined && { chainLogoUri: logoUri }),
    private: settings.isPrivate,
    enabledFeatures: ["nftIndexing"],
    ...(!isComplete && { internalTransactions: "unavailable" as const }),
  };
}
