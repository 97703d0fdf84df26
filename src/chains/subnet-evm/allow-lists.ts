/**
 * The precompiles with an allow list that a Subnet-EVM genesis turns on (graft/subnet-evm: precompile/allowlist/config.go,
 * precompile/contracts/nativeminter/config.go). Texts are the node's.
 */

import { formatEvmAddress } from "../../base/bytes/evm-address.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { JsonInput } from "../../base/json/json-input.ts";
import { quantity } from "./genesis-alloc.ts";
import { goStruct } from "./go-struct.ts";

export type Role = "enabled" | "admin" | "manager";
export type Roles = ReadonlyMap<ShortId, Role>;

export interface NativeMinter {
  readonly roles: Roles;
  /** amounts in the token's smallest unit */
  readonly initialMint: ReadonlyMap<ShortId, bigint>;
}

const LISTS: readonly (readonly [member: string, role: Role])[] = [
  ["enabledAddresses", "enabled"],
  ["adminAddresses", "admin"],
  ["managerAddresses", "manager"],
];
const MEMBERS = ["blockTimestamp", "disable", ...LISTS.map(([member]) => member)];
const MINT = "initialMint";
const ADDRESS = /^(?:0x)?([0-9a-f]{40})$/i;
/** in this order of roles, as the node names them */
const ORDER: readonly Role[] = ["admin", "enabled", "manager"];

/** @returns undefined if the genesis does not turn the precompile on. @param timestamp of genesis */
export function readAllowList(config: JsonInput | undefined, timestamp: bigint, more: readonly string[] = []): Roles | undefined {
  const given = config && goStruct(config, [...MEMBERS, ...more], { isClosed: true });
  if (given === undefined || !isOnAt(given, timestamp)) return undefined;
  const roles = new Map<ShortId, Role>();
  for (const [member, role] of LISTS) {
    for (const item of given.optionalMember(member)?.list() ?? []) {
      const address = addressOf(item);
      const before = roles.get(address);
      if (before !== undefined) throw new FirnError("l1-genesis", `genesis: ${clash(before, role)}: ${formatEvmAddress(address)}`);
      roles.set(address, role);
    }
  }
  return roles;
}

export function readNativeMinter(config: JsonInput | undefined, timestamp: bigint): NativeMinter | undefined {
  const roles = readAllowList(config, timestamp, [MINT]);
  if (roles === undefined) return undefined;
  const mint = goStruct(config!, [MINT]).optionalMember(MINT);
  const minted = Object.keys((mint?.value as object | undefined) ?? {}).map((name): [ShortId, bigint] => {
    const amount = mint!.member(name);
    const address = ADDRESS.exec(name)?.[1];
    if (address === undefined) throw amount.wrong("an address of 40 hex digits as its name");
    const value = quantity(amount);
    if (value === 0n) throw amount.wrong("an amount above 0");
    return [address.toLowerCase(), value];
  });
  return { roles, initialMint: new Map(minted) };
}

/** Whether a precompile of which the devnet has none is off, so that nothing is missing: never on, or switched off. */
export function isOff(config: JsonInput): boolean {
  const given = goStruct(config, MEMBERS);
  return given.optionalMember("blockTimestamp") === undefined || given.optionalMember("disable")?.value === true;
}

/** A precompile that comes after genesis would need an upgrade of the chain, which a devnet does not have. */
function isOnAt(given: JsonInput, timestamp: bigint): boolean {
  const from = given.optionalMember("blockTimestamp");
  if (from === undefined || given.optionalMember("disable")?.value === true) return false;
  if (from.integer() > timestamp) throw from.wrong(`a time up to genesis' (${timestamp}): a devnet turns precompiles on with genesis only`);
  return true;
}

function addressOf(item: JsonInput): ShortId {
  const address = typeof item.value === "string" ? ADDRESS.exec(item.value)?.[1] : undefined;
  if (address === undefined) throw item.wrong("an address of 40 hex digits");
  return address.toLowerCase();
}

function clash(before: Role, role: Role): string {
  if (before === role) return `duplicate address in ${role} list`;
  const [first, second] = ORDER.filter((one) => one === before || one === role);
  return `cannot set address as both ${first} and ${second}`;
}
