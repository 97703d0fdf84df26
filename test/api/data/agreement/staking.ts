/**
 * Compares `getCurrentValidators`, `getValidatorsAt`, `getAllValidatorsAt` and `getTotalStake` with the Data API's active validators and
 * delegators.
 *
 * Uptime and `connected` depend on the recorded process: the Data API gives 0. Validator sets are compared at the checkpoint's own height
 * only, because the Data API knows only the current ones; every checkpoint is current once.
 */
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { l1Form, listL1Validators, recordedL1Form } from "./l1-validators.ts";
import { bare, chainPath, type Moment, networkPath } from "./moment.ts";
import type { Json } from "./recorded.ts";
import { listStakers } from "./stakers.ts";

const PRIMARY_NETWORK = formatId(PRIMARY_NETWORK_ID);

export async function compareValidators(moment: Moment): Promise<void> {
  const active = (await listStakers(moment)).filter(({ status }) => status === "active");
  const l1 = await listL1Validators(moment);
  const validators = active.filter(({ isDelegator }) => !isDelegator).map(({ item }) => item);
  const delegators = active.filter(({ isDelegator }) => isDelegator).map(({ item }) => item);
  for (const { params, result } of moment.answers.of("platform.getCurrentValidators")) {
    const asked = subnetAndNodes(params);
    if (asked === undefined) continue;
    const { subnetId, nodeIds } = asked;
    const isAsked = (item: Json) => item.subnetId === subnetId && (nodeIds === undefined || nodeIds.has(item.nodeId));
    const question = JSON.stringify(params);
    const compare = (what: string, actual: Json[], expected: Json[]) =>
      moment.tally.compareSets(
        "platform.getCurrentValidators",
        `${what} of ${question}`,
        actual.map((item) => JSON.stringify(item)),
        expected.map((item) => JSON.stringify(item)),
      );
    const stakers: Json[] = result.validators.filter(({ validationID }: Json) => validationID === undefined);
    compare(
      "validators",
      validators.filter(isAsked).map(validatorForm),
      stakers.map((staker) => recordedForm(staker, subnetId)),
    );
    if (subnetId === PRIMARY_NETWORK && stakers.length > 0) {
      const capacities = validators.filter(isAsked).map(({ txHash, delegationCapacity }) => [txHash, delegationCapacity]);
      compare(
        "capacities",
        capacities,
        stakers.map((staker) => [staker.txID, `${capacityOf(moment, staker)}`]),
      );
    }
    const recordedL1: Json[] = result.validators.filter(({ validationID }: Json) => validationID !== undefined);
    compare(
      "L1 validators",
      l1.filter(isAsked).map(l1Form),
      recordedL1.map((validator) => recordedL1Form({ subnetID: subnetId, ...validator })),
    );
    for (const validator of stakers) {
      if (validator.delegators === undefined) continue;
      const promised: Json[] = validator.delegators.map((delegator: Json) => recordedDelegator(delegator, validator));
      const mine: Json[] = [];
      for (const item of delegators.filter(({ nodeId }) => nodeId === validator.nodeID)) {
        const isPromised = promised.some(({ txHash }) => txHash === item.txHash);
        // the item does not say of which subnet it is; its transaction does
        if (isPromised || (await subnetOf(moment, item.txHash)) === subnetId) mine.push(item);
      }
      compare(`delegators of ${validator.txID}`, mine.map(delegatorForm), promised);
    }
  }
}

async function subnetOf(moment: Moment, txHash: string): Promise<string> {
  const { subnetId }: Json = await moment.client.get(`${chainPath(moment, "P")}/transactions/${txHash}`);
  return subnetId;
}

/** Undefined: the node took a parameter that was spelled otherwise, or wrong. */
function subnetAndNodes(params: Json): { subnetId: string; nodeIds: ReadonlySet<string> | undefined } | undefined {
  const { subnetID = PRIMARY_NETWORK, nodeIDs = [] } = params ?? {};
  const names = Object.keys(params ?? {});
  if (!names.every((name) => name === "subnetID" || name === "nodeIDs") || typeof subnetID !== "string") return undefined;
  if (nodeIDs !== null && !Array.isArray(nodeIDs)) return undefined;
  return { subnetId: subnetID, nodeIds: nodeIDs === null || nodeIDs.length === 0 ? undefined : new Set(nodeIDs) };
}

const validatorForm = (item: Json) => ({
  txHash: item.txHash,
  nodeId: item.nodeId,
  subnetId: item.subnetId,
  times: [item.startTimestamp, item.endTimestamp],
  amountStaked: item.amountStaked,
  delegationFee: item.delegationFee,
  blsCredentials: item.blsCredentials,
  delegatorCount: item.delegatorCount,
  amountDelegated: item.amountDelegated,
  reward: item.potentialRewards.validationRewardAmount,
  rewardAddresses: item.potentialRewards.rewardAddresses,
  stakingType: item.stakingType,
});

/** A permissioned validator has no terms. The fee of elastic subnets is left out by the reference. */
function recordedForm(staker: Json, subnetId: string) {
  const { signer, validationRewardOwner: owner, potentialReward = "0" } = staker;
  return {
    txHash: staker.txID,
    nodeId: staker.nodeID,
    subnetId,
    times: [Number(staker.startTime), Number(staker.endTime)],
    amountStaked: staker.weight,
    delegationFee:
      staker.delegationFee !== undefined && subnetId === PRIMARY_NETWORK ? `${staker.delegationFee}${"0".repeat(12)}` : undefined,
    blsCredentials: signer?.publicKey === undefined ? undefined : signer,
    delegatorCount: Number(staker.delegatorCount ?? 0),
    amountDelegated: staker.delegatorWeight ?? "0",
    reward: potentialReward,
    rewardAddresses: owner?.addresses.map(bare),
    stakingType: staker.nextPeriod === undefined ? "fixed" : "autoRenewed",
  };
}

const MOST_TIMES_STAKE = 5n;

/** Weight, delegators' included, is at most five times the stake and never above the network's limit (reference 8.5). */
function capacityOf({ network }: Moment, { weight, delegatorWeight }: Json): bigint {
  const most = network.staking.maxValidatorStake;
  const total = MOST_TIMES_STAKE * BigInt(weight);
  const left = (total < most ? total : most) - BigInt(weight) - BigInt(delegatorWeight);
  return left > 0n ? left : 0n;
}

const delegatorForm = (item: Json) => ({
  txHash: item.txHash,
  nodeId: item.nodeId,
  times: [item.startTimestamp, item.endTimestamp],
  amountDelegated: item.amountDelegated,
  rewardAddresses: item.rewardAddresses,
  delegationFee: item.delegationFee,
  rewards: [item.estimatedGrossReward, item.estimatedNetReward],
});

function recordedDelegator(delegator: Json, validator: Json) {
  const gross = BigInt(delegator.potentialReward);
  return {
    txHash: delegator.txID,
    nodeId: delegator.nodeID,
    times: [Number(delegator.startTime), Number(delegator.endTime)],
    amountDelegated: delegator.weight,
    rewardAddresses: delegator.rewardOwner.addresses.map(bare),
    delegationFee: `${validator.delegationFee}${"0".repeat(12)}`,
    rewards: [`${gross}`, `${netOf(gross, validator)}`],
  };
}

const WHOLE = 1_000_000n;

/** The delegator's part is rounded down (reference 8.5). */
export function netOf(gross: bigint, { delegationFee }: Json): bigint {
  const [whole, decimals] = delegationFee.split(".");
  const shares = BigInt(whole) * 10_000n + BigInt(decimals);
  return (gross * (WHOLE - shares)) / WHOLE;
}

export async function compareValidatorSets(moment: Moment): Promise<void> {
  const weights = await activeWeights(moment);
  const height = (await moment.client.get(`${networkPath(moment)}/l1Validators`)).blockHeight as string;
  for (const { params, result } of moment.answers.of("platform.getValidatorsAt")) {
    if (!isObjectOf(params, ["height", "subnetID"]) || `${params?.height}` !== height) continue;
    const ofSubnet = weights.get(params.subnetID ?? PRIMARY_NETWORK) ?? new Map<string, Weight>();
    const expected = Object.entries<Json>(result).map(([nodeId, { publicKey, weight }]) => `${nodeId} ${publicKey} ${weight}`);
    const actual = [...ofSubnet].map(([nodeId, { publicKey, weight }]) => `${nodeId} ${publicKey} ${weight}`);
    moment.tally.compareSets("platform.getValidatorsAt", JSON.stringify(params), actual, expected);
  }
  for (const { params, result } of moment.answers.of("platform.getAllValidatorsAt")) {
    if (!isObjectOf(params, ["height"]) || `${params?.height}` !== height) continue;
    const expected = Object.entries<Json>(result.validatorSets).flatMap(([subnetId, { validators, totalWeight }]) => [
      `${subnetId} ${totalWeight}`,
      ...validators.map(({ publicKey, weight, nodeIDs }: Json) => `${subnetId} ${publicKey} ${weight} ${[...nodeIDs].sort()}`),
    ]);
    moment.tally.compareSets("platform.getAllValidatorsAt", JSON.stringify(params), warpSets(weights), expected);
  }
}

function isObjectOf(params: Json, names: readonly string[]): boolean {
  return Object.keys(params ?? {}).every((name) => names.includes(name));
}

interface Weight {
  readonly publicKey: string | null;
  readonly weight: bigint;
}

/** By subnet and node: stake with that of delegators, or the weight of L1 validators; inactive ones of those have no key. */
async function activeWeights(moment: Moment): Promise<Map<string, Map<string, Weight>>> {
  const subnets = new Map<string, Map<string, Weight>>();
  const add = (subnetId: string, nodeId: string, publicKey: string | null, weight: bigint) => {
    const nodes = subnets.get(subnetId) ?? new Map<string, Weight>();
    subnets.set(subnetId, nodes.set(nodeId, { publicKey, weight: weight + (nodes.get(nodeId)?.weight ?? 0n) }));
  };
  const active = (await listStakers(moment)).filter(({ status, isDelegator }) => status === "active" && !isDelegator);
  const keys = new Map(
    active.filter(({ item }) => item.subnetId === PRIMARY_NETWORK).map(({ item }) => [item.nodeId, item.blsCredentials?.publicKey]),
  );
  for (const { item } of active) {
    add(item.subnetId, item.nodeId, keys.get(item.nodeId) ?? null, BigInt(item.amountStaked) + BigInt(item.amountDelegated));
  }
  for (const { subnetId, nodeId, weight, remainingBalance, blsCredentials } of await listL1Validators(moment)) {
    const isActive = remainingBalance > 0;
    add(subnetId, isActive ? nodeId : INACTIVE_NODE, isActive ? blsCredentials.publicKey : null, BigInt(weight));
  }
  return subnets;
}

/** Inactive L1 validators have no name in a set: their weights are one. */
const INACTIVE_NODE = "NodeID-111111111111111111116DBWJs";

function warpSets(subnets: ReadonlyMap<string, ReadonlyMap<string, Weight>>): string[] {
  return [...subnets].flatMap(([subnetId, nodes]) => {
    const total = [...nodes.values()].reduce((sum, { weight }) => sum + weight, 0n);
    const byKey = new Map<string, { weight: bigint; nodeIds: string[] }>();
    for (const [nodeId, { publicKey, weight }] of nodes) {
      if (publicKey === null) continue;
      const known = byKey.get(publicKey) ?? { weight: 0n, nodeIds: [] };
      byKey.set(publicKey, { weight: known.weight + weight, nodeIds: [...known.nodeIds, nodeId].sort() });
    }
    return [`${subnetId} ${total}`, ...[...byKey].map(([key, { weight, nodeIds }]) => `${subnetId} ${key} ${weight} ${nodeIds}`)];
  });
}

export async function compareTotalStake(moment: Moment): Promise<void> {
  const weights = await activeWeights(moment);
  const details: Json = await moment.client.get(networkPath(moment));
  for (const { params, result } of moment.answers.of("platform.getTotalStake")) {
    if (!isObjectOf(params, ["subnetID"])) continue;
    const subnetId = params?.subnetID ?? PRIMARY_NETWORK;
    const total = [...(weights.get(subnetId)?.values() ?? [])].reduce((sum, { weight }) => sum + weight, 0n);
    moment.tally.compare("platform.getTotalStake", `of ${subnetId}`, `${total}`, result.weight);
    if (subnetId !== PRIMARY_NETWORK) continue;
    const { validatorDetails, delegatorDetails } = details;
    const staked = BigInt(validatorDetails.totalAmountStaked) + BigInt(delegatorDetails.totalAmountStaked);
    moment.tally.compare("platform.getTotalStake", "of the network's details", `${staked}`, result.stake);
  }
}
