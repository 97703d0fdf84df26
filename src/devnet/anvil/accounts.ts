/** Applies atomic transactions to EVM accounts (chain-formats 9.3): imports credit accounts; exports debit them and use up their nonces. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Id, ShortId } from "../../base/bytes/id.ts";
import type { AtomicTx } from "../../chains/atomic/tx.ts";
import { fromHex, toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** aAVAX per nAVAX */
export const NAVAX = 1_000_000_000n;

export interface Account {
  /** aAVAX */
  readonly balance: bigint;
  readonly nonce: bigint;
}

export type Accounts = Map<ShortId, Account>;

/** The accounts that a transaction changes. */
export function touchedBy({ unsigned }: AtomicTx): ShortId[] {
  const entries = unsigned.kind === "ImportTx" ? unsigned.outputs : unsigned.inputs;
  return entries.map(({ address }) => address);
}

export async function readAccounts(rpc: JsonRpcClient, addresses: Iterable<ShortId>): Promise<Accounts> {
  const read = [...new Set(addresses)].map(async (address): Promise<[ShortId, Account]> => {
    const [balance, nonce] = await Promise.all([
      rpc.call("eth_getBalance", `0x${address}`, "latest"),
      rpc.call("eth_getTransactionCount", `0x${address}`, "latest"),
    ]);
    return [address, { balance: BigInt(balance as string), nonce: BigInt(nonce as string) }];
  });
  return new Map(await Promise.all(read));
}

/** Applies a verified transaction. Only AVAX moves: since Banff no other asset can. */
export function applyTo(accounts: Accounts, { unsigned }: AtomicTx, avaxAssetId: Id): void {
  const add = (address: ShortId, assetId: Id, nAvax: bigint) => {
    if (assetId !== avaxAssetId) return;
    const account = accounts.get(address)!;
    accounts.set(address, { ...account, balance: account.balance + nAvax * NAVAX });
  };
  if (unsigned.kind === "ImportTx") {
    for (const { address, assetId, amount } of unsigned.outputs) add(address, assetId, amount);
    return;
  }
  for (const { address, assetId, amount } of unsigned.inputs) add(address, assetId, -amount);
  for (const [address, nonce] of new Map(unsigned.inputs.map((input) => [input.address, input.nonce]))) {
    accounts.set(address, { ...accounts.get(address)!, nonce: nonce + 1n });
  }
}

/** The sum of all balances in aAVAX. Reads the whole state. */
export async function sumOfBalances(rpc: JsonRpcClient): Promise<bigint> {
  const dump = fromHex((await rpc.call("anvil_dumpState")) as string);
  const text = (await promisify(gunzip)(dump)).toString("utf8");
  const { accounts } = JSON.parse(text) as { accounts: Record<string, { balance: string }> };
  return Object.values(accounts).reduce((sum, { balance }) => sum + BigInt(balance), 0n);
}

/** Writes these accounts into the child's latest state. */
export async function writeAccounts(rpc: JsonRpcClient, before: Accounts, after: Accounts): Promise<void> {
  for (const [address, { balance, nonce }] of after) {
    const old = before.get(address)!;
    if (balance !== old.balance) await rpc.call("anvil_setBalance", `0x${address}`, toHex(balance));
    if (nonce !== old.nonce) await rpc.call("anvil_setNonce", `0x${address}`, toHex(nonce));
  }
}
