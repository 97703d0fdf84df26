/** Methods that Subnet-EVM has and a development EVM lacks: the configuration that the chain's genesis gives it. */

import type { JsonObject, JsonValue } from "../../base/json/go-encode.ts";
import type { L1ChainFacts } from "../../devnet/anvil/chains/evm-chain-spec.ts";
import { baseFee, type CorethMethod } from "./coreth-methods.ts";

/** Ethereum upgrades that are active from genesis on. */
const FIRST_UPGRADES = [
  ...["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul", "muirGlacier", "berlin"],
  "london",
];
/** 9999-12-01: an upgrade at this time is not scheduled, and the Ethereum upgrades that come with it are left out. */
const UNSCHEDULED = 253_399_622_400n;

export const subnetEvmMethods: ReadonlyMap<string, CorethMethod> = new Map<string, CorethMethod>([
  ["eth_baseFee", baseFee],
  ["eth_getChainConfig", ({ evm }) => chainConfig(evm.spec.l1!)],
  ["eth_feeConfig", ({ evm }) => ({ feeConfig: { ...evm.spec.l1!.genesis.feeConfig }, lastChangedAt: 0 })],
]);

/** Members are sorted by name, as the node writes them; upgrades come last. */
function chainConfig({ genesis: { evmChainId, feeConfig, times, config } }: L1ChainFacts): JsonObject {
  const given = Object.entries(config).filter(([name]) => name.endsWith("Config") && name !== "feeConfig");
  const members: [string, JsonValue][] = [
    ["chainId", evmChainId],
    ["feeConfig", { ...feeConfig }],
    ...FIRST_UPGRADES.map((name): [string, JsonValue] => [`${name}Block`, 0]),
    ["subnetEVMTimestamp", 0],
    ...Object.entries(times).map(([fork, time]): [string, JsonValue] => [`${fork}Timestamp`, time]),
    ...(given as [string, JsonValue][]),
  ];
  if (times.durango < UNSCHEDULED) members.push(["shanghaiTime", times.durango]);
  if (times.etna < UNSCHEDULED) members.push(["cancunTime", times.etna]);
  return { ...Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))), upgrades: {} };
}
