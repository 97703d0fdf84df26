import Type from "typebox";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { platformSupplies } from "../../../chains/platform/tables.ts";
import { readStakingTotals } from "../../../index/primary/staking/validation-reader.ts";
import { namedObject } from "../named-object.ts";
import { dataRoute } from "../route.ts";
import { decimalText } from "./decimal.ts";

const amount = (description: string) => Type.String({ description: `nAVAX: ${description}` });
const RATIO_DIGITS = 20;

export const getNetworkDetails = dataRoute({
  method: "GET",
  path: "/networks/{network}",
  operationId: "getNetworkDetails",
  tag: "Primary network: network",
  summary: "The numbers of validators and delegators on the primary network, and their stake.",
  description: "Nodes learn versions from their peers. Firn has no peers, so all validators have the version `offline`.",
  cost: "two rows",
  computeUnits: 100,
  query: Type.Object({}),
  response: Type.Object({
    validatorDetails: namedObject("ValidatorsDetails", {
      validatorCount: Type.Integer(),
      totalAmountStaked: amount("own stake of active validators"),
      estimatedAnnualStakingReward: amount("what active stakers were promised for their periods"),
      stakingDistributionByVersion: Type.Array(
        namedObject("StakingDistribution", { version: Type.String(), amountStaked: amount("own stake"), validatorCount: Type.Integer() }),
      ),
      stakingRatio: Type.String({ description: "stake of validators and delegators ÷ current supply" }),
    }),
    delegatorDetails: namedObject("DelegatorsDetails", {
      delegatorCount: Type.Integer(),
      totalAmountStaked: amount("stake of active delegators"),
    }),
  }),
  async handle(_, { reader }) {
    const [totals, supplyRow] = await Promise.all([
      readStakingTotals(reader),
      reader.get(platformSupplies, { subnetId: PRIMARY_NETWORK_ID }),
    ]);
    const { validatorCount, validatorStake, delegatorCount, delegatorStake, potentialRewards } = totals;
    const offline = { version: "offline", amountStaked: `${validatorStake}`, validatorCount };
    return {
      validatorDetails: {
        validatorCount,
        totalAmountStaked: `${validatorStake}`,
        estimatedAnnualStakingReward: `${potentialRewards}`,
        stakingDistributionByVersion: validatorCount === 0 ? [] : [offline],
        stakingRatio: decimalText(validatorStake + delegatorStake, supplyRow!.supply, RATIO_DIGITS),
      },
      delegatorDetails: { delegatorCount, totalAmountStaked: `${delegatorStake}` },
    };
  },
});
