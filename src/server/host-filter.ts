/** Which Host headers are served: protects a node on a private address from DNS rebinding (rpc-avm-info-health 1.5). */
import { isIP } from "node:net";

export type HostFilter = (host: string) => boolean;

export function hostFilter(allowedHosts: readonly string[]): HostFilter {
  if (allowedHosts.includes("*")) return () => true;
  const names = new Set(allowedHosts.map((host) => host.toLowerCase()));
  let lastAllowed: string | undefined;
  return (host) => {
    if (host === lastAllowed) return true;
    const name = withoutPort(host);
    const isAllowed = host === "" || (isIP(name) !== 0 && !name.includes("%")) || names.has(name.toLowerCase());
    if (isAllowed) lastAllowed = host;
    return isAllowed;
  };
}

/** Go's SplitHostPort; what it cannot split stays whole, so `[::1]` without a port is no address. */
function withoutPort(host: string): string {
  if (host.startsWith("[")) return /^\[([^\]]*)\]:[^:]*$/.exec(host)?.[1] ?? host;
  const colon = host.indexOf(":");
  return colon !== -1 && colon === host.lastIndexOf(":") ? host.slice(0, colon) : host;
}

/** What Go's HTTP server takes for a Host header at all. */
export function isWellFormedHost(host: string): boolean {
  return /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/.test(host);
}
