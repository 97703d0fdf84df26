/**
 * How far each chain is, and what happened last; of a devnet first what one opens it for. It asks for the overview, the newest transactions of each
 * chain, the transactions of the last day by hour and, on a devnet, for its keys, elsewhere for the numbers of its validators.
 */
import type { ComponentChildren } from "preact";
import { useLags } from "../../api/freshness.ts";
import { useLiveness } from "../../api/liveness.ts";
import { type Overview, useOverview } from "../../api/overview.ts";
import { Avax, count } from "../../components/amount.tsx";
import { Answer } from "../../components/states.tsx";
import { duration, useNow, utc } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { monthlyCost } from "../staking/l1-fee.ts";
import { useNetworkDetails } from "../staking/network-facts.tsx";
import { percentOfRatio } from "../staking/ratio.ts";
import { useFeeState } from "../staking/requests.ts";
import { ChainCard } from "./chain-card.tsx";
import { DayOfTransactions } from "./day.tsx";
import { DevnetKeys } from "./devnet-keys.tsx";
import { Endpoints } from "./endpoints.tsx";
import { newsOf } from "./news.tsx";
import { Stream } from "./stream.tsx";

export function Home() {
  const overview = useOverview();
  return (
    <>
      <Title text="The network now" />
      <Answer of={overview}>{(news) => <Now of={news} />}</Answer>
    </>
  );
}

function Now({ of: overview }: { readonly of: Overview }) {
  const lags = useLags();
  const liveness = useLiveness();
  const { evmChains, evmChainCount, isDevnet } = overview;
  return (
    <div class="home">
      {isDevnet && <Development of={overview} />}
      <div class="cards small heights">
        {newsOf(overview).map((news) => (
          <ChainCard key={news.id} news={news} lag={lags.get(news.id)} liveness={liveness} />
        ))}
      </div>
      {evmChainCount > evmChains.length && (
        <p class="quiet">{count(evmChainCount - evmChains.length)} more EVM chains are not shown here; search for their IDs.</p>
      )}
      {!isDevnet && <Stats of={overview} />}
      <Stream of={overview} />
      {!isDevnet && <Endpoints of={overview} />}
    </div>
  );
}

/** What one opens a devnet for: where it is reached, its keys, and its clock. */
function Development({ of: overview }: { readonly of: Overview }) {
  return (
    <>
      <div class="cards wide">
        <Endpoints of={overview} />
        <DevnetKeys />
      </div>
      <p class="row clock">
        <Clock of={overview} />
        <span class="quiet">
          Transactions in 24 hours: <DayOfTransactions of={overview} />
        </span>
      </p>
    </>
  );
}

/** How much the network is used, and what secures it. */
function Stats({ of: overview }: { readonly of: Overview }) {
  const { chains, evmChains } = overview;
  const hasValidators = chains.some(({ alias }) => alias === "P");
  if (evmChains.length === 0 && !hasValidators) return null;
  return (
    <section class="card">
      <h2 class="sr-only">The network in numbers</h2>
      <dl class="stats">
        <Stat name="Transactions in 24 hours">
          <DayOfTransactions of={overview} />
        </Stat>
        {hasValidators && <ValidatorStats />}
      </dl>
    </section>
  );
}

function ValidatorStats() {
  const details = useNetworkDetails();
  const fees = useFeeState();
  return (
    <Answer of={details}>
      {({ validatorDetails: validators, delegatorDetails: delegators }) => (
        <>
          <Stat name="Validators">
            <a href={to.validators()}>{count(validators.validatorCount)}</a>
          </Stat>
          <Stat name="Staked">
            <Avax value={BigInt(validators.totalAmountStaked) + BigInt(delegators.totalAmountStaked)} />
          </Stat>
          <Stat name="Of the supply">{percentOfRatio(validators.stakingRatio)} %</Stat>
          {fees.data !== undefined && (
            <Stat name="An L1 validator pays">
              <a href={to.l1s()}>
                <Avax value={monthlyCost(BigInt(fees.data.price))} />
              </a>{" "}
              <span class="quiet">in 30 days</span>
            </Stat>
          )}
        </>
      )}
    </Answer>
  );
}

function Stat({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{children}</dd>
    </div>
  );
}

/** An offset by less than this is that of requests on their way. */
const LEAST_OFFSET_SECONDS = 5;

function Clock({ of: { clockOffset } }: { readonly of: Overview }) {
  const now = useNow();
  const ahead =
    Math.abs(clockOffset) < LEAST_OFFSET_SECONDS
      ? ""
      : `, ${duration(clockOffset)} ${clockOffset > 0 ? "ahead of" : "behind"} this machine's`;
  return (
    <span>
      The network's clock shows <strong>{utc(now)}</strong>
      {ahead}. <a href={to.devnet()}>Move it</a>
    </span>
  );
}
