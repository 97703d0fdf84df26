/** Subnet-EVM's precompiles with an allow list as accounts of a genesis: their code, roles, and what the native minter pays from. */
import type { ShortId } from "../../../primitives/id.ts";
import { ALLOW_LIST_CODE } from "./bytecode.ts";

export const NATIVE_MINTER_ADDRESS: ShortId = "0200000000000000000000000000000000000001";
export const TX_ALLOW_LIST_ADDRESS: ShortId = "0200000000000000000000000000000000000002";

/** What the native minter can mint in all: an EVM pays only what an account has. */
export const MINTER_RESERVE = 2n ** 200n;

export const ROLES = { enabled: 1, admin: 2, manager: 3 } as const;
export type Role = (typeof ROLES)[keyof typeof ROLES];

/** An account as a child's genesis has it. */
export interface PrecompileAccount {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  /** slots and values, `0x` and 64 digits: an address has its role under itself, as in the precompile */
  readonly storage: Readonly<Record<string, string>>;
}

/** @param balance in the token's smallest unit */
export function allowListAccount(roles: ReadonlyMap<ShortId, Role>, balance = 0n): PrecompileAccount {
  return {
    balance: `0x${balance.toString(16)}`,
    nonce: "0x1",
    code: `0x${ALLOW_LIST_CODE}`,
    storage: Object.fromEntries([...roles].map(([address, role]) => [word(address), word(role.toString(16))])),
  };
}

/** Whether the value of a role's slot, `0x…`, lets an address send transactions or mint. */
export function isEnabled(value: string): boolean {
  const role = BigInt(value);
  return role >= 1n && role <= 3n;
}

export function word(hex: string): string {
  return `0x${hex.padStart(64, "0")}`;
}
