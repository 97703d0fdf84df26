/** The parameters of the public networks, and the defaults of all others (networks 2, 3; chain-rules 1). */
import { parseId } from "../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../base/bytes/id.ts";
import {
  type DynamicFeeParameters,
  type Network,
  type StakingParameters,
  UPGRADE_NAMES,
  type UpgradeName,
  type Upgrades,
  type ValidatorFeeParameters,
} from "./network.ts";

export const MAINNET_ID = 1;
export const FUJI_ID = 5;

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
function networkHrp(networkId: number): string {
  return NETWORKS.get(networkId)?.hrp ?? "custom";
}

/** The genesis of the public networks: its ID, and the URL of its file in the reference node's repository (chain-formats 6.2). */
interface PublicGenesis {
  /** SHA-256 of the genesis bytes */
  readonly genesisId: Id;
  /** URL of the JSON file that the bytes are made from */
  readonly url: string;
}

/** The URL names a commit, so its content cannot change; it is also checked against the ID. */
const FILES = "https://raw.githubusercontent.com/ava-labs/avalanchego/1cf1fc3d1711a09fde7319d2b48609c8cba93680/genesis";

const PUBLIC: ReadonlyMap<number, PublicGenesis> = new Map([
  [MAINNET_ID, { genesisId: parseId("UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk"), url: `${FILES}/genesis_mainnet.json` }],
  [FUJI_ID, { genesisId: parseId("MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3"), url: `${FILES}/genesis_fuji.json` }],
]);

/** undefined if the network is not public. */
export function publicGenesis(networkId: number): PublicGenesis | undefined {
  return PUBLIC.get(networkId);
}

const NANO = 1_000_000_000n;
const AVAX = NANO;
const HOUR = 3600n;
const DAY = 24n * HOUR;
const YEAR = 365n * DAY;

export const LOCAL_ID = 12345;

/** 9999-12-01: not scheduled. */
export const UNSCHEDULED = 253_399_622_400n;
/** 2020-12-05 05:00 UTC: the activation time of upgrades that are active from the start. */
const FROM_THE_START = 1_607_144_400n;

const STAKING: StakingParameters = {
  minValidatorStake: 2_000n * AVAX,
  maxValidatorStake: 3_000_000n * AVAX,
  minDelegatorStake: 25n * AVAX,
  minDelegationFee: 20_000,
  minStakeDuration: DAY,
  maxStakeDuration: YEAR,
  heliconMinStakeDuration: HOUR,
  maxValidatorWeightFactor: 5n,
  uptimeRequirement: 800_000,
  maxConsumptionRate: 120_000n,
  minConsumptionRate: 100_000n,
  mintingPeriod: YEAR,
  supplyCap: 720_000_000n * AVAX,
};

const DYNAMIC_FEES: DynamicFeeParameters = {
  bandwidthWeight: 1n,
  dbReadWeight: 1000n,
  dbWriteWeight: 1000n,
  computeWeight: 4n,
  maxGasCapacity: 1_000_000n,
  maxGasPerSecond: 100_000n,
  targetGasPerSecond: 50_000n,
  minGasPrice: 1n,
  // doubles every 30 s at maximum usage
  excessConversionConstant: 2_164_043n,
};

/** Fees of L1 validators. Only the conversion constant differs between networks. */
const VALIDATOR_FEES: ValidatorFeeParameters = {
  capacity: 20_000n,
  target: 10_000n,
  minPrice: 1n,
  // doubles per minute
  excessConversionConstant: 865_617n,
};

const LOCAL_UPGRADES: Upgrades = {
  times: {
    apricotPhase1: FROM_THE_START,
    apricotPhase2: FROM_THE_START,
    apricotPhase3: FROM_THE_START,
    apricotPhase4: FROM_THE_START,
    apricotPhase5: FROM_THE_START,
    apricotPhasePre6: FROM_THE_START,
    apricotPhase6: FROM_THE_START,
    apricotPhasePost6: FROM_THE_START,
    banff: FROM_THE_START,
    cortina: FROM_THE_START,
    durango: FROM_THE_START,
    etna: FROM_THE_START,
    fortuna: FROM_THE_START,
    granite: FROM_THE_START,
    helicon: FROM_THE_START,
  },
  apricotPhase4MinPChainHeight: 0n,
  cortinaXChainStopVertexId: EMPTY_ID,
  graniteEpochDuration: 30n * NANO,
};

export const mainnet: Network = {
  networkId: MAINNET_ID,
  name: networkName(MAINNET_ID),
  hrp: networkHrp(MAINNET_ID),
  upgrades: {
    times: {
      apricotPhase1: 1_617_199_200n,
      apricotPhase2: 1_620_644_400n,
      apricotPhase3: 1_629_813_600n,
      apricotPhase4: 1_632_344_400n,
      apricotPhase5: 1_638_468_000n,
      apricotPhasePre6: 1_662_341_400n,
      apricotPhase6: 1_662_494_400n,
      apricotPhasePost6: 1_662_519_600n,
      banff: 1_666_108_800n,
      cortina: 1_682_434_800n,
      durango: 1_709_740_800n,
      etna: 1_734_368_400n,
      fortuna: 1_744_124_400n,
      granite: 1_763_568_000n,
      helicon: 1_790_089_200n,
    },
    apricotPhase4MinPChainHeight: 793_005n,
    cortinaXChainStopVertexId: parseId("jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga"),
    graniteEpochDuration: 300n * NANO,
  },
  staking: { ...STAKING, minStakeDuration: 14n * DAY, heliconMinStakeDuration: 2n * DAY },
  dynamicFees: DYNAMIC_FEES,
  // doubles per day
  validatorFees: { ...VALIDATOR_FEES, minPrice: 512n, excessConversionConstant: 1_246_488_515n },
  txFee: AVAX / 1000n,
  createAssetTxFee: AVAX / 100n,
};

export const fuji: Network = {
  networkId: FUJI_ID,
  name: networkName(FUJI_ID),
  hrp: networkHrp(FUJI_ID),
  upgrades: {
    times: {
      apricotPhase1: 1_616_767_200n,
      apricotPhase2: 1_620_223_200n,
      apricotPhase3: 1_629_140_400n,
      apricotPhase4: 1_631_826_000n,
      apricotPhase5: 1_637_766_000n,
      apricotPhasePre6: 1_662_494_400n,
      apricotPhase6: 1_662_494_400n,
      apricotPhasePost6: 1_662_530_400n,
      banff: 1_664_805_600n,
      cortina: 1_680_793_200n,
      durango: 1_707_840_000n,
      etna: 1_732_550_400n,
      fortuna: 1_741_878_000n,
      granite: 1_761_750_000n,
      helicon: 1_785_250_800n,
    },
    apricotPhase4MinPChainHeight: 47_437n,
    cortinaXChainStopVertexId: parseId("2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ"),
    graniteEpochDuration: 300n * NANO,
  },
  staking: { ...STAKING, minValidatorStake: AVAX, minDelegatorStake: AVAX, heliconMinStakeDuration: 12n * HOUR },
  dynamicFees: DYNAMIC_FEES,
  // doubles per hour
  validatorFees: { ...VALIDATOR_FEES, minPrice: 512n, excessConversionConstant: 51_937_021n },
  txFee: AVAX / 1000n,
  createAssetTxFee: AVAX / 100n,
};

/** A network whose upgrades that were not scheduled have the times of its preset. Another network than mainnet and Fuji stays as it is. */
export function withSchedule(network: Network): Network {
  const preset = [mainnet, fuji].find(({ networkId }) => networkId === network.networkId);
  if (preset === undefined) return network;
  const { times } = network.upgrades;
  const isLate = (name: UpgradeName) => times[name] === UNSCHEDULED && preset.upgrades.times[name] !== UNSCHEDULED;
  const late = UPGRADE_NAMES.filter(isLate).map((name) => [name, preset.upgrades.times[name]]);
  return late.length === 0 ? network : { ...network, upgrades: { ...network.upgrades, times: { ...times, ...Object.fromEntries(late) } } };
}

/** The local network's parameters, which are the defaults of every other network. */
export function localNetwork(networkId: number = LOCAL_ID): Network {
  return {
    networkId,
    name: networkName(networkId),
    hrp: networkHrp(networkId),
    upgrades: LOCAL_UPGRADES,
    staking: STAKING,
    dynamicFees: DYNAMIC_FEES,
    validatorFees: VALIDATOR_FEES,
    txFee: AVAX / 1000n,
    createAssetTxFee: AVAX / 1000n,
  };
}
