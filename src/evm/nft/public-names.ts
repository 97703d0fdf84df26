/**
 * Resolves public names by DNS alone. The system's resolver also reads the hosts file and appends search domains, which may lead to
 * internal addresses. It also cannot be interrupted: names whose servers never answer would block the threads that all of Firn shares.
 */
import { Resolver } from "node:dns/promises";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

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
