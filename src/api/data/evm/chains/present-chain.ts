import { formatId } from "../../../../base/bytes/cb58.ts";
import type { DataContext } from "../../context.ts";
import type { EvmChain } from "../evm-chain.ts";
import { formatAddress, networkToken } from "../present-token.ts";
import { hasInternals, lacksInternals } from "./internals.ts";
import type { EvmChainAnswer } from "./schemas.ts";

/** Costs two rows. */
export async function presentChain(evmChain: EvmChain, context: Pick<DataContext, "reader" | "isAvailable">): Promise<EvmChainAnswer> {
  const { evmChainId, settings, multicall } = evmChain;
  const { blockchainId, subnetId, vmId, explorerUrl, publicWsUrl, logoUri } = settings;
  const reading = { reader: context.reader, evmChain };
  const internals = !(await hasInternals(reading))
    ? ("unavailable" as const)
    : (await lacksInternals(reading))
      ? ("incomplete" as const)
      : undefined;
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
    enabledFeatures: blockchainId === undefined ? ["nftIndexing"] : ["nftIndexing", "teleporter"],
    ...(internals !== undefined && { internalTransactions: internals }),
  };
}
