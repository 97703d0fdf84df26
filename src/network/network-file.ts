/**
 * Parses `network.json` and `upgrades.json`, which contain a network's parameters. Amounts are nAVAX in quotes, durations look like
 * `1h0m0s`, rates are in millionths. Every member is required: a default that differs from the node's configuration would only show much
 * later, as a wrong state.
 */

import { formatId, parseId } from "../base/bytes/cb58.ts";
import { JsonInput } from "../base/json/json-input.ts";
import { formatTime, parseDurationSeconds, parseTime } from "./go-time.ts";
import {
  type DynamicFeeParameters,
  type Network,
  type StakingParameters,
  UPGRADE_NAMES,
  type UpgradeName,
  type Upgrades,
  type ValidatorFeeParameters,
} from "./network.ts";
import { networkName } from "./presets.ts";

const U32_MAX = 2n ** 32n - 1n;
const MILLION = 1_000_000;
/** Not configurable in the reference node. */
const MAX_VALIDATOR_WEIGHT_FACTOR = 5n;

/** @param json the parsed content of the file */
export function parseNetworkFile(json: unknown, fileName = "network.json"): Network {
  const file = new JsonInput(json, fileName);
  const networkId = Number(file.member("networkID").integer(U32_MAX));
  const parameters = file.member("parameters");
  return {
    networkId,
    name: networkName(networkId),
    hrp: readHrp(file.member("hrp")),
    upgrades: readUpgrades(file.member("upgrades")),
    staking: readStaking(parameters),
    dynamicFees: readDynamicFees(parameters.member("dynamicFees")),
    validatorFees: readValidatorFees(parameters.member("validatorFees")),
    txFee: parameters.member("txFee").decimal(),
    createAssetTxFee: parameters.member("createAssetTxFee").decimal(),
  };
}

/** The part of addresses before their 1 (BIP-173), in lower case, as addresses are written. */
const HRP = /^[!-@[-~]{1,83}$/;

function readHrp(member: JsonInput): string {
  const hrp = member.text();
  if (!HRP.test(hrp)) throw member.wrong("1 to 83 printable characters of ASCII, none of them upper case, such as avax");
  return hrp;
}

/** @param json the parsed content of the file */
export function parseUpgradesFile(json: unknown, fileName = "upgrades.json"): Upgrades {
  return readUpgrades(new JsonInput(json, fileName));
}

function readUpgrades(upgrades: JsonInput): Upgrades {
  const time = (name: UpgradeName) => upgrades.member(`${name}Time`).read(parseTime, "a time such as 2020-12-05T05:00:00Z");
  return {
    times: Object.fromEntries(UPGRADE_NAMES.map((name) => [name, time(name)])) as Record<UpgradeName, bigint>,
    apricotPhase4MinPChainHeight: upgrades.member("apricotPhase4MinPChainHeight").integer(),
    cortinaXChainStopVertexId: upgrades.member("cortinaXChainStopVertexID").read(parseId, "a vertex ID in cb58"),
    graniteEpochDuration: upgrades.member("graniteEpochDuration").integer(),
  };
}

function readStaking(parameters: JsonInput): StakingParameters {
  const amount = (name: string) => parameters.member(name).decimal();
  const duration = (name: string) => parameters.member(name).read(parseDurationSeconds, "a duration in whole seconds such as 1h0m0s");
  return {
    minValidatorStake: amount("minValidatorStake"),
    maxValidatorStake: amount("maxValidatorStake"),
    minDelegatorStake: amount("minDelegatorStake"),
    minDelegationFee: Number(parameters.member("minDelegationFee").decimal(BigInt(MILLION))),
    minStakeDuration: duration("minStakeDuration"),
    maxStakeDuration: duration("maxStakeDuration"),
    heliconMinStakeDuration: duration("heliconMinStakeDuration"),
    maxValidatorWeightFactor: MAX_VALIDATOR_WEIGHT_FACTOR,
    uptimeRequirement: readShare(parameters.member("uptimeRequirement")),
    maxConsumptionRate: amount("stakeMaxConsumptionRate"),
    minConsumptionRate: amount("stakeMinConsumptionRate"),
    mintingPeriod: duration("stakeMintingPeriod"),
    supplyCap: amount("stakeSupplyCap"),
  };
}

function readDynamicFees(fees: JsonInput): DynamicFeeParameters {
  const value = (name: string) => fees.member(name).decimal();
  return {
    bandwidthWeight: value("bandwidthWeight"),
    dbReadWeight: value("dbReadWeight"),
    dbWriteWeight: value("dbWriteWeight"),
    computeWeight: value("computeWeight"),
    maxGasCapacity: value("maxGasCapacity"),
    maxGasPerSecond: value("maxGasPerSecond"),
    targetGasPerSecond: value("targetGasPerSecond"),
    minGasPrice: value("minGasPrice"),
    excessConversionConstant: value("excessConversionConstant"),
  };
}

function readValidatorFees(fees: JsonInput): ValidatorFeeParameters {
  const value = (name: string) => fees.member(name).decimal();
  return {
    capacity: value("capacity"),
    target: value("target"),
    minPrice: value("minPrice"),
    excessConversionConstant: value("excessConversionConstant"),
  };
}

/** `0.8` → millionths. */
function readShare(share: JsonInput): number {
  const millionths = /^\d(\.\d{1,6})?$/.test(share.text()) ? Math.round(Number(share.text()) * MILLION) : Number.NaN;
  if (millionths <= MILLION) return millionths;
  throw share.wrong("a share from 0 to 1 in quotes, such as 0.8");
}

/** The text of a file that `parseNetworkFile` parses to this network. */
export function formatNetworkFile({ networkId, hrp, upgrades, staking, dynamicFees, validatorFees, ...fees }: Network): string {
  const times = UPGRADE_NAMES.map((name) => [`${name}Time`, formatTime(upgrades.times[name])]);
  const seconds = (value: bigint) => `${value}s`;
  const file = {
    networkID: networkId,
    hrp,
    upgrades: {
      ...Object.fromEntries(times),
      apricotPhase4MinPChainHeight: Number(upgrades.apricotPhase4MinPChainHeight),
      cortinaXChainStopVertexID: formatId(upgrades.cortinaXChainStopVertexId),
      graniteEpochDuration: Number(upgrades.graniteEpochDuration),
    },
    parameters: {
      txFee: fees.txFee,
      createAssetTxFee: fees.createAssetTxFee,
      minValidatorStake: staking.minValidatorStake,
      maxValidatorStake: staking.maxValidatorStake,
      minDelegatorStake: staking.minDelegatorStake,
      minDelegationFee: BigInt(staking.minDelegationFee),
      minStakeDuration: seconds(staking.minStakeDuration),
      maxStakeDuration: seconds(staking.maxStakeDuration),
      heliconMinStakeDuration: seconds(staking.heliconMinStakeDuration),
      uptimeRequirement: (staking.uptimeRequirement / MILLION).toFixed(6),
      stakeMaxConsumptionRate: staking.maxConsumptionRate,
      stakeMinConsumptionRate: staking.minConsumptionRate,
      stakeMintingPeriod: seconds(staking.mintingPeriod),
      stakeSupplyCap: staking.supplyCap,
      dynamicFees,
      validatorFees,
    },
  };
  return JSON.stringify(file, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value), 2);
}
