/** What a subnet that anybody can validate asks of its stakers: the terms of its transformation. */
import { rpc } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { duration } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { percentText } from "./stake.ts";

interface Terms {
  readonly assetID: string;
  /** amounts in the asset's smallest unit */
  readonly initialSupply: string | number;
  readonly maximumSupply: string | number;
  readonly minConsumptionRate: string | number;
  readonly maxConsumptionRate: string | number;
  readonly minValidatorStake: string | number;
  readonly maxValidatorStake: string | number;
  /** seconds */
  readonly minStakeDuration: number;
  readonly maxStakeDuration: number;
  /** millionths */
  readonly minDelegationFee: number;
  readonly minDelegatorStake: string | number;
  readonly maxValidatorWeightFactor: number;
  /** millionths */
  readonly uptimeRequirement: number;
}

const MILLION = 1_000_000n;

export function ElasticTerms({ txId }: { readonly txId: string }) {
  const tx = useAnswer(["getTx", txId], () =>
    rpc<{ tx: { unsignedTx: Terms } }>("bc/P", "platform.getTx", { txID: txId, encoding: "json" }),
  );
  return (
    <section class="card">
      <h2>Terms for stakers</h2>
      <Answer of={tx}>
        {({ tx: { unsignedTx: terms } }) => (
          <Facts>
            <Fact name="Set by">
              <Id value={txId} href={to.transaction("P", txId)} hasCopy />
            </Fact>
            <Fact name="Asset">
              <Id value={terms.assetID} href={to.asset(terms.assetID)} hasCopy />
            </Fact>
            <Fact name="Supply">
              {count(terms.initialSupply)} at first, {count(terms.maximumSupply)} at most
            </Fact>
            <Fact name="Stake of a validator">
              {count(terms.minValidatorStake)} to {count(terms.maxValidatorStake)}
            </Fact>
            <Fact name="Least delegation">{count(terms.minDelegatorStake)}</Fact>
            <Fact name="Weight with delegations">at most {terms.maxValidatorWeightFactor} times its own stake</Fact>
            <Fact name="Time">
              {duration(terms.minStakeDuration)} to {duration(terms.maxStakeDuration)}
            </Fact>
            <Fact name="Least fee for delegators">{percentText(BigInt(terms.minDelegationFee), MILLION)} %</Fact>
            <Fact name="Uptime for a reward">{percentText(BigInt(terms.uptimeRequirement), MILLION)} %</Fact>
            <Fact name="Consumption rate">
              {percentText(BigInt(terms.minConsumptionRate), MILLION)} % to {percentText(BigInt(terms.maxConsumptionRate), MILLION)} %
            </Fact>
          </Facts>
        )}
      </Answer>
    </section>
  );
}
