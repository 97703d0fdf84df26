/**
 * Decides which IP addresses are public: all that IANA's special-purpose registries do not reserve for private, local, documentation or
 * translation use. Of IPv6, only allocated addresses (2000::/3) that do not embed IPv4 addresses.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

const NOT_PUBLIC: readonly (readonly [network: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.31.196.0", 24, "ipv4"],
  ["192.52.193.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["192.175.48.0", 24, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  // multicast, reserved, broadcast
  ["224.0.0.0", 3, "ipv4"],
  // Teredo, ORCHID, benchmarks and other special uses
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  // 6to4
  ["2002::", 16, "ipv6"],
  ["2620:4f:8000::", 48, "ipv6"],
  ["3fff::", 20, "ipv6"],
];

const notPublic = new BlockList();
for (const [network, prefix, family] of NOT_PUBLIC) notPublic.addSubnet(network, prefix, family);
const allocated = new BlockList();
allocated.addSubnet("2000::", 3, "ipv6");

/** @param address from the resolver or a URL, without brackets; anything that is not an address is not public */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, "ipv4");
  return isIPv6(address) && !address.includes("%") && allocated.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** Whether the address is public and not one of this machine's, whose services may trust local connections. */
export function isOthersAddress(address: string, own: readonly string[] = ownAddresses()): boolean {
  if (!isPublicAddress(address)) return false;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const ours = new BlockList();
  for (const one of own.filter((known) => isIPv4(known) === isIPv4(address))) ours.addAddress(one, family);
  return !ours.check(address, family);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}
