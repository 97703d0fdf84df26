/** Finds the client of a request: the peer of its connection, or the address that the operator's proxies report in X-Forwarded-For. */

import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import proxyAddr from "@fastify/proxy-addr";

// The address by which a client without a key is counted: an IPv4 address, or the first 64 bits of an IPv6 address, since most providers
// assign at least that many addresses to a single customer.

/** Some proxies append the client's port to its address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;

/** Text that is not an address counts as one client; a closed connection has an empty address. */
export function clientOfAddress(text: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = ipv6 ?? ipv4 ?? text;
  if (isIPv4(address)) return address;
  const bare = address.split("%", 1)[0]!;
  if (!isIPv6(bare)) return "unknown";
  const groups = ipv6Groups(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return mappedIpv4(groups);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** `::ffff:192.0.2.1`: an IPv4 client's address on a dual-stack socket. */
function mappedIpv4(groups: readonly number[]): string {
  return [groups[6]! >> 8, groups[6]! & 0xff, groups[7]! >> 8, groups[7]! & 0xff].join(".");
}

/** The eight groups of an IPv6 address in any notation. */
function ipv6Groups(address: string): number[] {
  const [head, tail] = address.split("::").map(groupsOf);
  if (tail === undefined) return head!;
  return [...head!, ...new Array<number>(8 - head!.length - tail.length).fill(0), ...tail];
}

function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split(".").map(Number);
    return [(a! << 8) | b!, (c! << 8) | d!];
  });
}

export interface ClientOfRequest {
  /** Whether the connection is one of the operator's proxies, so that its requests may belong to different clients. */
  isProxy(address: string): boolean;
  /** Reads the header from its end, skipping proxies, up to the first address that is not one. */
  addressOf(address: string, forwardedFor: string | undefined): string;
  /** the name by which the client is counted */
  nameOf(address: string, forwardedFor: string | undefined): string;
}

/**
 * @param trustedProxies addresses and networks such as 10.0.0.0/8
 */
export function clientOfRequest(trustedProxies: readonly string[]): ClientOfRequest {
  const trusts = proxyAddr.compile([...trustedProxies]);
  const isProxy = (address: string) => trustedProxies.length > 0 && address !== "" && trusts(address, 0);
  const addressOf = (address: string, forwardedFor: string | undefined) => {
    if (forwardedFor === undefined || !isProxy(address)) return address;
    const request = { headers: { "x-forwarded-for": forwardedFor }, socket: { remoteAddress: address } };
    // the library uses only these fields of a request
    return proxyAddr(request as unknown as IncomingMessage, trusts);
  };
  return { isProxy, addressOf, nameOf: (address, forwardedFor) => clientOfAddress(addressOf(address, forwardedFor)) };
}
