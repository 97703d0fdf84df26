/** A chain's settings as a row stores them (`evm_chain_settings`): everything but the RPC URLs, which may hold secrets. */
import type { EvmChainSettings } from "./chain-settings.ts";

type StoredSettings = Omit<EvmChainSettings, "rpc">;

export function formatSettings({ rpc: _, ...settings }: StoredSettings & { readonly rpc?: readonly string[] }): string {
  return JSON.stringify({ ...settings, startBlock: settings.startBlock.toString() });
}

/** Parses only what `formatSettings` made. */
export function parseSettings(text: string): StoredSettings {
  const settings = JSON.parse(text) as StoredSettings & { readonly startBlock: string };
  const absent = { blockchainId: undefined, subnetId: undefined, vmId: undefined, multicall: undefined, messengers: undefined };
  const texts = { publicWsUrl: undefined, explorerUrl: undefined, logoUri: undefined };
  return { ...absent, ...texts, ...settings, startBlock: BigInt(settings.startBlock) };
}
