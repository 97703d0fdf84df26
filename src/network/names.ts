/** Network names and address prefixes by network ID (chain-formats 2.4). */
const NETWORKS = new Map([
  [1, { name: "mainnet", hrp: "avax" }],
  [2, { name: "cascade", hrp: "cascade" }],
  [3, { name: "denali", hrp: "denali" }],
  [4, { name: "everest", hrp: "everest" }],
  [5, { name: "fuji", hrp: "fuji" }],
  [10, { name: "testing", hrp: "testing" }],
  [12345, { name: "local", hrp: "local" }],
]);

export function networkName(networkId: number): string {
  return NETWORKS.get(networkId)?.name ?? `network-${networkId}`;
}

/** The human-readable part of the network's addresses. */
export function networkHrp(networkId: number): string {
  return NETWORKS.get(networkId)?.hrp ?? "custom";
}
