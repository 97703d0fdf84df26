/** Deploys the contracts of `vault.json` on a devnet: a library, and two contracts that are linked with it and have different immutables. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const VAULT_BUILD = readFileSync(fileURLToPath(new URL("vault.json", import.meta.url)), "utf8");

interface DeployedVault {
  readonly from: string;
  readonly library: string;
  readonly first: string;
  readonly second: string;
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>;
}

/** @param origin of the devnet's server */
export async function deployVault(origin: string): Promise<DeployedVault> {
  const { contracts } = JSON.parse(VAULT_BUILD).output;
  const bytecode = (name: string): string => contracts[`contracts/${name}.sol`][name].evm.bytecode.object;
  async function rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
    const response = await fetch(`${origin}/ext/bc/C/rpc`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: T; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return result as T;
  }
  const [from] = (await rpc<string[]>("eth_accounts", [])) as [string];
  async function deploy(code: string): Promise<string> {
    const hash = await rpc<string>("eth_sendTransaction", [{ from, data: `0x${code}`, gas: "0x200000" }]);
    const { contractAddress } = await rpc<{ contractAddress: string }>("eth_getTransactionReceipt", [hash]);
    return contractAddress;
  }
  const library = await deploy(bytecode("Rounding"));
  const linked = bytecode("Vault").replace(/__[ -~]{38}/g, library.slice(2));
  const limit = (value: bigint) => value.toString(16).padStart(64, "0");
  const first = await deploy(`${linked}${limit(10n ** 18n)}`);
  const second = await deploy(`${linked}${limit(7n)}`);
  return { from, library, first, second, rpc };
}
