/** `feeConfig` of a Subnet-EVM genesis (graft/subnet-evm: commontype/fee_config.go). */
import type { JsonInput } from "../../base/json/json-input.ts";
import { goStruct } from "./go-struct.ts";

const NAMES = [
  ...["gasLimit", "targetBlockRate", "minBaseFee", "targetGas", "baseFeeChangeDenominator"],
  ...["minBlockGasCost", "maxBlockGasCost", "blockGasCostStep"],
] as const;
type Name = "gasLimit" | "targetBlockRate" | "minBaseFee" | "targetGas" | "baseFeeChangeDenominator" | CostName;
type CostName = "minBlockGasCost" | "maxBlockGasCost" | "blockGasCostStep";

/** Gas, seconds, and the native token's smallest unit per gas. */
export type FeeConfig = Readonly<Record<Name, bigint>>;

const DEFAULT_FEE_CONFIG: FeeConfig = {
  gasLimit: 8_000_000n,
  targetBlockRate: 2n,
  minBaseFee: 25_000_000_000n,
  targetGas: 15_000_000n,
  baseFeeChangeDenominator: 36n,
  minBlockGasCost: 0n,
  maxBlockGasCost: 1_000_000n,
  blockGasCostStep: 200_000n,
};
const U64 = 2n ** 64n - 1n;
const U256 = 2n ** 256n - 1n;
const MOST: Readonly<Partial<Record<Name, bigint>>> = { gasLimit: U64, targetBlockRate: U64, maxBlockGasCost: U64 };
const ABOVE_ZERO: ReadonlySet<string> = new Set(["gasLimit", "targetBlockRate", "targetGas", "baseFeeChangeDenominator"]);

/** @param given undefined, or without any member: the node's default */
export function readFeeConfig(given: JsonInput | undefined): FeeConfig {
  const fees = given && goStruct(given, NAMES, { isClosed: true });
  if (fees === undefined || NAMES.every((name) => fees.optionalMember(name) === undefined)) return DEFAULT_FEE_CONFIG;
  const members = (NAMES as readonly Name[]).map((name): [Name, bigint] => [name, readMember(fees, name)]);
  const config = Object.fromEntries(members) as Record<Name, bigint>;
  if (config.minBlockGasCost > config.maxBlockGasCost) {
    throw fees.member("minBlockGasCost").wrong(`at most maxBlockGasCost, which is ${config.maxBlockGasCost}`);
  }
  return config;
}

function readMember(given: JsonInput, name: Name): bigint {
  const member = given.member(name);
  const value = member.integer(MOST[name] ?? U256);
  if (value === 0n && ABOVE_ZERO.has(name)) throw member.wrong("an integer above 0");
  return value;
}
