/**
 * The address by which a client without a key is counted: an IPv4 address, or the first 64 bits of an IPv6 address, since most providers
 * assign at least that many addresses to a single customer.
 */
import { isIPv4, isIPv6 } from "node:net";

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
