/** Validators as the official SDKs take them: four variants, told apart by `validationStatus`. */
import Type from "typebox";
import { unixSeconds } from "../paging.ts";

export const stakingTypeSchema = Type.Union([Type.Literal("fixed"), Type.Literal("autoRenewed")]);

export const amountText = (description: string) => Type.String({ pattern: "^[0-9]+$", description: `${description} In base units.` });

export const feeText = Type.String({
  description: "Percent with 16 decimals: the part of its delegators' rewards that the validator takes.",
});

const common = {
  txHash: Type.String({ description: "The staking transaction." }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  amountStaked: amountText("The validator's own stake; of an auto-renewed one with what it restaked."),
  delegationFee: Type.Optional(feeText),
  startTimestamp: unixSeconds("As the validator chose it; of an auto-renewed one its cycle's."),
  endTimestamp: unixSeconds("As the validator chose it; of an auto-renewed one its cycle's."),
  blsCredentials: Type.Optional(Type.Object({ publicKey: Type.String(), proofOfPossession: Type.String() })),
  stakingType: stakingTypeSchema,
};

const rewardsSchema = Type.Object({
  validationRewardAmount: amountText("For its own stake."),
  delegationRewardAmount: amountText("Its part of its delegators' rewards."),
  rewardAddresses: Type.Optional(Type.Array(Type.String())),
  rewardTxHash: Type.Optional(Type.String({ description: "The transaction that ended the period, rewarding it or not." })),
});

const delegations = {
  delegatorCount: Type.Integer({ description: "Active: its current delegators. Completed: all that it had." }),
  amountDelegated: Type.Optional(amountText("By those delegators.")),
};

const percent = (description: string) => Type.Number({ description });

const active = Type.Object({
  ...common,
  ...delegations,
  validationStatus: Type.Literal("active"),
  stakePercentage: percent("Its own stake as percent of the subnet's active stake, that of delegators included."),
  uptimePerformance: percent("0 unless this is a devnet: a node that takes no part in the network measures no uptimes."),
  delegationCapacity: Type.Optional(amountText("What can still be delegated to it. Absent where nobody delegates.")),
  potentialRewards: rewardsSchema,
  validatorHealth: Type.Object(
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

const pending = Type.Object({ ...common, validationStatus: Type.Literal("pending") });

const completed = Type.Object({ ...common, ...delegations, validationStatus: Type.Literal("completed"), rewards: rewardsSchema });

const removed = Type.Object({
  ...common,
  validationStatus: Type.Literal("removed"),
  removeTxHash: Type.String(),
  removeTimestamp: unixSeconds("When it was removed."),
});

export const validatorSchema = Type.Union([active, pending, completed, removed]);
