/**
 * Connections to hosts that strangers name. A name is resolved once, its addresses are checked, and the connection can only go to them: between
 * the check and the use, nobody can make the name mean another host.
 */
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isOthersAddress } from "./public-address.ts";

// Resolves public names by DNS alone. The system's resolver also reads the hosts file and appends search domains, which may lead to
// internal addresses. It also cannot be interrupted: names whose servers never answer would block the threads that all of Firn shares.

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type Addresses = readonly ResolvedAddress[];

/** milliseconds of one attempt; the caller's signal ends the whole lookup */
const ATTEMPT_MS = 2000;
const ATTEMPTS = 3;

/**
 * Returns all addresses of a name, IPv4 first; empty if it has none.
 * @param servers `address:port` of name servers; by default the system's
 */
export async function resolvePublicName(hostname: string, signal: AbortSignal, servers?: readonly string[]): Promise<ResolvedAddress[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addressesOf = (answer: PromiseSettledResult<string[]>, family: number) =>
      answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
    return [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Replaced in tests. No setting changes it. */
export interface Internet {
  isAllowed(address: string): boolean;
  resolve(hostname: string, signal: AbortSignal): Promise<Addresses>;
}

export const internet: Internet = { isAllowed: isOthersAddress, resolve: resolvePublicName };

/**
 * The addresses of a URL's host, to which `lookupOf` pins a connection; empty if its name has none. Undefined: one of them is not allowed, since
 * a name that leads to both public and private addresses is suspicious.
 */
export async function allowedAddresses(url: URL, { isAllowed, resolve }: Internet, signal: AbortSignal): Promise<Addresses | undefined> {
  const hostname = hostOf(url);
  const family = isIP(hostname);
  const addresses = family === 0 ? await resolve(hostname, signal) : [{ address: hostname, family }];
  return addresses.every(({ address }) => isAllowed(address)) ? addresses : undefined;
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** For the options of a request: whatever the host's name, the connection goes to these addresses. */
export function lookupOf(pinned: Addresses): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...pinned]);
    else callback(null, pinned[0]!.address, pinned[0]!.family);
  };
}
