/** Formats whole Unix seconds as the node does, in UTC. */
export function rfc3339(seconds: bigint): string {
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -".000Z".length)}Z`;
}
