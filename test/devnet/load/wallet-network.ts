/** What wallets need to know about a running network, as its API returns it. */
import { call } from "../json-rpc.ts";
import type { WalletNetwork } from "./plain-wallet.ts";

export async function networkOf(url: string): Promise<WalletNetwork> {
  const ask = async (path: string, method: string, params: unknown) => (await call(url, { path, method, params })).result;
  const idOf = async (alias: string) =>
    ((await ask("/ext/info", "info.getBlockchainID", { alias })) as { blockchainID: string }).blockchainID;
  return {
    networkId: Number(((await ask("/ext/info", "info.getNetworkID", {})) as { networkID: string }).networkID),
    hrp: "local",
    evmChainId: Number(await ask("/ext/bc/C/rpc", "eth_chainId", [])),
    blockchainIds: { P: await idOf("P"), X: await idOf("X"), C: await idOf("C") },
    avaxAssetId: ((await ask("/ext/bc/X", "avm.getAssetDescription", { assetID: "AVAX" })) as { assetID: string }).assetID,
  };
}
