/** The browser's wallet (EIP-1193). */

interface Wallet {
  request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

function wallet(): Wallet | undefined {
  return (globalThis as { ethereum?: Wallet }).ethereum;
}

export function hasWallet(): boolean {
  return wallet() !== undefined;
}

/** Rejects with the wallet's sentence. */
export function walletRequest(method: string, params: readonly unknown[]): Promise<unknown> {
  return wallet()!.request({ method, params });
}

export interface WalletChain {
  readonly evmChainId: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly rpcUrl: string;
}

/** Adds a chain to it (EIP-3085). Returns what came of it, as a sentence. */
export async function addToWallet({ evmChainId, name, symbol, decimals, rpcUrl }: WalletChain): Promise<string> {
  const chain = {
    chainId: `0x${BigInt(evmChainId).toString(16)}`,
    chainName: name,
    nativeCurrency: { name: symbol, symbol, decimals },
    rpcUrls: [rpcUrl],
  };
  try {
    await walletRequest("wallet_addEthereumChain", [chain]);
    return `The wallet has ${name}.`;
  } catch (error) {
    return `The wallet did not take ${name}: ${(error as Error).message}`;
  }
}
