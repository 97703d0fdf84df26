/**
 * A network's parameters for the chains. They come from `presets.ts` (mainnet, fuji, local) or from a validated `network.json`. Amounts in
 * nAVAX, times in Unix seconds, durations in seconds, rates and shares in millionths.
 */
import type { Id } from "../base/bytes/id.ts";

export const UPGRADE_NAMES = [
  "apricotPhase1",
  "apricotPhase2",
  "apricotPhase3",
  "apricotPhase4",
  "apricotPhase5",
  "apricotPhasePre6",
  "apricotPhase6",
  "apricotPhasePost6",
  "banff",
  "cortina",
  "durango",
  "etna",
  "fortuna",
  "granite",
  "helicon",
] as const;
export type UpgradeName = (typeof UPGRADE_NAMES)[number];

export interface Upgrades {
  /** Activation times in Unix seconds; an upgrade is active at t if t >= time. */
  readonly times: Readonly<Record<UpgradeName, bigint>>;
  readonly apricotPhase4MinPChainHeight: bigint;
  /** Last vertex of the X-chain's DAG; the empty ID if it is derived from an empty DAG (chain-rules 15.3). */
  readonly cortinaXChainStopVertexId: Id;
  /** nanoseconds, in the API as well as in the rules */
  readonly graniteEpochDuration: bigint;
}

export interface StakingParameters {
  readonly minValidatorStake: bigint;
  readonly maxValidatorStake: bigint;
  readonly minDelegatorStake: bigint;
  /** in millionths */
  readonly minDelegationFee: number;
  readonly minStakeDuration: bigint;
  readonly maxStakeDuration: bigint;
  readonly heliconMinStakeDuration: bigint;
  readonly maxValidatorWeightFactor: bigint;
  /** in millionths */
  readonly uptimeRequirement: number;
  readonly maxConsumptionRate: bigint;
  readonly minConsumptionRate: bigint;
  readonly mintingPeriod: bigint;
  readonly supplyCap: bigint;
}

export interface DynamicFeeParameters {
  readonly bandwidthWeight: bigint;
  readonly dbReadWeight: bigint;
  readonly dbWriteWeight: bigint;
  readonly computeWeight: bigint;
  readonly maxGasCapacity: bigint;
  readonly maxGasPerSecond: bigint;
  readonly targetGasPerSecond: bigint;
  readonly minGasPrice: bigint;
  readonly excessConversionConstant: bigint;
}

export interface ValidatorFeeParameters {
  /** largest number of active L1 validators */
  readonly capacity: bigint;
  readonly target: bigint;
  /** nAVAX per validator and second */
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
}

export interface Network {
  readonly networkId: number;
  /** "mainnet", "fuji", "local" or "network-<id>" */
  readonly name: string;
  readonly hrp: string;
  readonly upgrades: Upgrades;
  readonly staking: StakingParameters;
  readonly dynamicFees: DynamicFeeParameters;
  readonly validatorFees: ValidatorFeeParameters;
  /** X-chain fees, nAVAX */
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
}

/** A network with the IDs that are derived from its genesis. */
export interface NetworkInstance extends Network {
  /** P-chain genesis bytes (the X and C genesis are in its CreateChainTxs) */
  readonly genesisBytes: Uint8Array;
  /** sha256 of the genesis bytes: the parent of P block 0 */
  readonly genesisId: Id;
  readonly xChainId: Id;
  readonly cChainId: Id;
  readonly avaxAssetId: Id;
}

export function isActive(network: Network, upgrade: UpgradeName, at: bigint): boolean {
  return at >= network.upgrades.times[upgrade];
}
