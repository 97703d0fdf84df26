/** Decides which Host headers are served. This protects a node on a private address from DNS rebinding (rpc-avm-info-health 1.5). */
import { isIP } from "node:net";

export type HostFilter = (host: string) => boolean;

const SINGLE_LABEL = "single-label";

export function hostFilter(allowedHosts: readonly string[]): HostFilter {
  if (allowedHosts.includes("*")) return () => true;
  const isNamed = nameTest(allowedHosts.map((host) => host.toLowerCase()));
  let lastAllowed: string | undefined;
  return (host) => {
    if (host === lastAllowed) return true;
    const name = withoutPort(host);
    const isAllowed = host === "" || (isIP(name) !== 0 && !name.includes("%")) || isNamed(name.toLowerCase());
    if (isAllowed) lastAllowed = host;
    return isAllowed;
  };
}

/**
 * Each entry is a name, `*.` followed by a suffix, or `single-label` for all names without a dot, which the public DNS does not resolve.
 */
function nameTest(allowed: readonly string[]): HostFilter {
  const names = new Set(allowed);
  const endings = allowed.filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  const takesSingleLabels = names.has(SINGLE_LABEL);
  return (name) => names.has(name) || endings.some((ending) => name.endsWith(ending)) || (takesSingleLabels && /^[a-z0-9_-]+$/.test(name));
}

/** Go's SplitHostPort. What it cannot split stays whole, so `[::1]` without a port is not an address. */
function withoutPort(host: string): string {
  if (host.startsWith("[")) return /^\[([^\]]*)\]:[^:]*$/.exec(host)?.[1] ?? host;
  const colon = host.indexOf(":");
  return colon !== -1 && colon === host.lastIndexOf(":") ? host.slice(0, colon) : host;
}

/** Whether Go's HTTP server accepts this as a Host header. */
export function isWellFormedHost(host: string): boolean {
  return /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/.test(host);
}
