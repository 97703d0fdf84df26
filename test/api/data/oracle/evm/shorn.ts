/**
 * Removes from answers and expectations what the oracle does not determine: names of methods (which must fit their selector), metadata of
 * NFTs, atomic transactions, the rest of long names.
 */
import { keccak256, toBytes } from "viem";
import { LONGEST_TEXT } from "./contracts.ts";
import { nftName } from "./nfts.ts";

/** Calls that everybody makes: their names are known to any server. */
const KNOWN_CALLS = [
  "transfer(address,uint256)",
  "approve(address,uint256)",
  "transferFrom(address,address,uint256)",
  "safeTransferFrom(address,address,uint256)",
  "setApprovalForAll(address,bool)",
  "deposit()",
  "withdraw(uint256)",
];
const KNOWN = new Set(KNOWN_CALLS.map(selectorOf));

function selectorOf(signature: string): string {
  return keccak256(toBytes(signature)).slice(0, 10);
}

/** @param held NFTs that exist, by `nftName`: the URI of others depends on when it was asked for */
export function shearing(held: ReadonlySet<string>): (value: unknown) => unknown {
  const shorn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shorn);
    if (typeof value !== "object" || value === null) return value;
    const { address, tokenId } = value as Record<string, unknown>;
    const isGone = typeof tokenId === "string" && !held.has(nftName({ token: address as string, tokenId }));
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      // of a call, without the rest of a method: `requireNames` holds it against the call's input
      if (name === "methodName") return [];
      if (name === "method") return [[name, shornMethod(member as Record<string, string>)]];
      if (name === "metadata" || name === "atomicTransactions" || (name === "tokenUri" && isGone)) return [];
      if ((name === "name" || name === "symbol") && typeof member === "string") return [[name, member.slice(0, LONGEST_TEXT)]];
      return [[name, shorn(member)]];
    });
    return Object.fromEntries(members);
  };
  return shorn;
}

function shornMethod(method: Record<string, string>): object {
  const { callType, methodHash, methodName } = method;
  if (callType !== "CONTRACT_CALL") return method;
  if (methodName !== undefined && selectorOf(methodName) !== methodHash) throw new Error(`${methodName} is not called by ${methodHash}`);
  return { callType, methodHash };
}

/** Of answers alone: calls whose names must be there. */
export function requireNames(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const { callType, methodHash, methodName } = value as Record<string, string>;
  if (callType === "CONTRACT_CALL" && KNOWN.has(methodHash!) && methodName === undefined)
    throw new Error(`${methodHash} has no methodName`);
  for (const member of Object.values(value)) requireNames(member);
}
