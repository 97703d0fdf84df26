/** Adds a chain to the browser's wallet (EIP-3085). */

interface Wallet {
  request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

function wallet(): Wallet | undefined {
  return (globalThis as { ethereum?: Wallet }).ethereum;
}

export function hasWallet(): boolean {
  return wallet() !== undefined;
}

export interface WalletChain {
  readonly evmChainId: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly rpcUrl: string;
}

/** Returns what came of it, as a sentence. */
export async function addToWallet({ evmChainId, name, symbol, decimals, rpcUrl }: WalletChain): Promise<string> {
  const chain = {
    chainId: `0x${BigInt(evmChainId).toString(16)}`,
    chainName: name,
    nativeCurrency: { name: symbol, symbol, decimals },
    rpcUrls: [rpcUrl],
  };
  try {
    await wallet()!.request({ method: "wallet_addEthereumChain", params: [chain] });
    return `The wallet has ${name}.`;
  } catch (error) {
    return `The wallet did not take ${name}: ${(error as Error).message}`;
  }
}
