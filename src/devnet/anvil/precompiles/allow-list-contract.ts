/** Subnet-EVM's precompiles with an allow list as accounts of a genesis: their code, roles, and what the native minter pays from. */
import type { ShortId } from "../../../base/bytes/id.ts";
import type { Role, Roles } from "../../../chains/subnet-evm/allow-lists.ts";
import type { SubnetEvmGenesis } from "../../../chains/subnet-evm/genesis.ts";
import { ALLOW_LIST_CODE } from "./bytecode.ts";

export const NATIVE_MINTER_ADDRESS: ShortId = "0200000000000000000000000000000000000001";
export const TX_ALLOW_LIST_ADDRESS: ShortId = "0200000000000000000000000000000000000002";

/** What the native minter can mint in all: an EVM pays only what an account has. */
export const MINTER_RESERVE = 2n ** 200n;

/** as a slot has them; 0: none */
export const ROLES: Readonly<Record<Role, number>> = { enabled: 1, admin: 2, manager: 3 };

/** An account as a child's genesis has it. */
interface PrecompileAccount {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  /** slots and values, `0x` and 64 digits: an address has its role under itself, as in the precompile */
  readonly storage: Readonly<Record<string, string>>;
}

/** @param balance in the token's smallest unit */
export function allowListAccount(roles: Roles, balance = 0n): PrecompileAccount {
  return {
    balance: `0x${balance.toString(16)}`,
    nonce: "0x1",
    code: `0x${ALLOW_LIST_CODE}`,
    storage: Object.fromEntries([...roles].map(([address, role]) => [word(address), word(`${ROLES[role]}`)])),
  };
}

/** The accounts of a genesis, with those of the precompiles that it turns on, and with what it mints. They have what `alloc` gives them, too. */
export function withAllowLists(
  accounts: Readonly<Record<string, { readonly balance: string }>>,
  { nativeMinter, txAllowList }: Pick<SubnetEvmGenesis, "nativeMinter" | "txAllowList">,
): Record<string, object> {
  const all: Record<string, { readonly balance: string }> = { ...accounts };
  const balanceOf = (address: ShortId) => BigInt(all[`0x${address}`]?.balance ?? "0x0");
  for (const [address, amount] of nativeMinter?.initialMint ?? []) {
    all[`0x${address}`] = { ...all[`0x${address}`], balance: `0x${(balanceOf(address) + amount).toString(16)}` };
  }
  const place = (address: ShortId, roles: Roles | undefined, reserve: bigint) => {
    if (roles !== undefined) all[`0x${address}`] = allowListAccount(roles, balanceOf(address) + reserve);
  };
  place(NATIVE_MINTER_ADDRESS, nativeMinter?.roles, MINTER_RESERVE);
  place(TX_ALLOW_LIST_ADDRESS, txAllowList, 0n);
  return all;
}

/** Whether the value of a role's slot, `0x…`, lets an address send transactions or mint. */
export function isEnabled(value: string): boolean {
  const role = BigInt(value);
  return role >= 1n && role <= 3n;
}

export function word(hex: string): string {
  return `0x${hex.padStart(64, "0")}`;
}
