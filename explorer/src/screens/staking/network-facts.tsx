/** The numbers of validators and delegators of the primary network, and the supply of AVAX. Two requests. */
import { answerOf, data } from "../../api/client.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { Avax, count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Answer } from "../../components/states.tsx";
import { decimalText, percentOfRatio } from "./ratio.ts";

export function useNetworkDetails() {
  return useAnswer(
    ["getNetworkDetails"],
    async () => answerOf(data.GET("/v1/networks/{network}", { params: { path: { network: await networkInPaths() } } })),
    { follows: "P" },
  );
}

export function NetworkFacts() {
  const details = useNetworkDetails();
  const supply = useAnswer(["getAvaxSupply"], () => answerOf(data.GET("/v1/avax/supply")), { follows: "P" });
  return (
    <div class="cards">
      <section class="card">
        <h2>Primary network</h2>
        <Answer of={details}>
          {({ validatorDetails: validators, delegatorDetails: delegators }) => (
            <Facts>
              <Fact name="Validators">{count(validators.validatorCount)}</Fact>
              <Fact name="Their own stake">
                <Avax value={validators.totalAmountStaked} />
              </Fact>
              <Fact name="Delegators">{count(delegators.delegatorCount)}</Fact>
              <Fact name="Delegated">
                <Avax value={delegators.totalAmountStaked} />
              </Fact>
              <Fact name="Staked of the supply">{percentOfRatio(validators.stakingRatio)} %</Fact>
              <Fact name="Promised rewards">
                <Avax value={validators.estimatedAnnualStakingReward} />
              </Fact>
            </Facts>
          )}
        </Answer>
      </section>
      <section class="card">
        <h2>Supply</h2>
        <Answer of={supply}>
          {(answer) => (
            <Facts>
              <Fact name="Total">{decimalText(answer.totalSupply)} AVAX</Fact>
              <Fact name="In locked outputs">{decimalText(answer.totalLocked)} AVAX</Fact>
              <Fact name="Paid as rewards">{decimalText(answer.totalRewards)} AVAX</Fact>
              <Fact name="Burned on P">{decimalText(answer.totalPBurned)} AVAX</Fact>
              <Fact name="of which L1 fees">{decimalText(answer.l1ValidatorFees)} AVAX</Fact>
              <Fact name="Burned on X">{decimalText(answer.totalXBurned)} AVAX</Fact>
              <Fact name="Burned on C by imports and exports">{decimalText(answer.totalCBurned)} AVAX</Fact>
            </Facts>
          )}
        </Answer>
      </section>
    </div>
  );
}
