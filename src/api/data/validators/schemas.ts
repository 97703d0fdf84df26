/** Validators in the four variants that the official SDKs distinguish by `validationStatus`. */
import Type from "typebox";
import { namedObject } from "../named-object.ts";
import { unixSeconds } from "../paging.ts";

export const stakingTypeSchema = Type.Union([Type.Literal("fixed"), Type.Literal("autoRenewed")]);

export const amountText = (description: string) => Type.String({ pattern: "^[0-9]+$", description: `${description} In base units.` });

export const feeText = Type.String({
  description: "Percent with 16 decimals: the validator's share of its delegators' rewards.",
});

export const blsCredentialsSchema = namedObject("BlsCredentials", { publicKey: Type.String(), proofOfPossession: Type.String() });

const common = {
  txHash: Type.String({ description: "The staking transaction." }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  amountStaked: amountText("The validator's own stake; for an auto-renewed one, including what it restaked."),
  delegationFee: Type.Optional(feeText),
  startTimestamp: unixSeconds("Start that the validator chose; for an auto-renewed one, of its cycle."),
  endTimestamp: unixSeconds("End that the validator chose; for an auto-renewed one, of its cycle."),
  blsCredentials: Type.Optional(blsCredentialsSchema),
  stakingType: stakingTypeSchema,
};

const rewardsSchema = namedObject("Rewards", {
  validationRewardAmount: amountText("Reward for its own stake."),
  delegationRewardAmount: amountText("Its part of its delegators' rewards."),
  rewardAddresses: Type.Optional(Type.Array(Type.String())),
  rewardTxHash: Type.Optional(Type.String({ description: "The transaction that ended the period, with or without a reward." })),
});

const delegations = {
  delegatorCount: Type.Integer({ description: "For active validators the current delegators, for completed ones all that they had." }),
  amountDelegated: Type.Optional(amountText("By those delegators.")),
};

const percent = (description: string) => Type.Number({ description });

const active = namedObject("ActiveValidatorDetails", {
  ...common,
  ...delegations,
  validationStatus: Type.Literal("active"),
  stakePercentage: percent("Its own stake as a percentage of the subnet's active stake, including delegations."),
  uptimePerformance: percent("0 unless this is a devnet: Firn takes no part in the network, so it measures no uptimes."),
  delegationCapacity: Type.Optional(amountText("Amount that can still be delegated to it. Absent if nobody can delegate to it.")),
  potentialRewards: rewardsSchema,
  validatorHealth: namedObject(
    "ValidatorHealthDetails",
    {
      reachabilityPercent: Type.Number(),
      benchedPChainRequestsPercent: Type.Number(),
      benchedXChainRequestsPercent: Type.Number(),
      benchedCChainRequestsPercent: Type.Number(),
    },
    { description: "Zeros: this node does not watch other nodes." },
  ),
  geolocation: Type.Null({ description: "Always null: this node does not know where others are." }),
});

const pending = namedObject("PendingValidatorDetails", { ...common, validationStatus: Type.Literal("pending") });

const completed = namedObject("CompletedValidatorDetails", {
  ...common,
  ...delegations,
  validationStatus: Type.Literal("completed"),
  rewards: rewardsSchema,
});

const removed = namedObject("RemovedValidatorDetails", {
  ...common,
  validationStatus: Type.Literal("removed"),
  removeTxHash: Type.String(),
  removeTimestamp: unixSeconds("When it was removed."),
});

export const validatorSchema = Type.Union([active, pending, completed, removed], { $id: "Validator" });
