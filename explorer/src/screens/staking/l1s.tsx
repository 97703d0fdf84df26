/** L1s and their validators, and what these pay. Three requests; the list of L1s one for each 100 subnets. */
import { Avax, count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { List } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { monthlyCost } from "./l1-fee.ts";
import { L1ValidatorList } from "./l1-validator-list.tsx";
import { LARGE_PAGE, useFeeConfig, useFeeState, useSubnets } from "./requests.ts";
import { CHAINS, CREATED, L1, MANAGER } from "./subnet-columns.tsx";

const TABS = [
  { path: "", name: "L1s" },
  { path: "validators", name: "Validators" },
];

export function L1s({ params: { tab = "" } }: { readonly params: Params }) {
  return (
    <>
      <Title text="L1s" />
      <FeeFacts />
      <Tabs label="Of all L1s" base={to.l1s()} tabs={TABS} current={tab} />
      <section class="card">{tab === "validators" ? <L1ValidatorList query={{}} empty="No L1 has a validator." /> : <L1List />}</section>
    </>
  );
}

/** The price as of the newest block, and when it changes. */
export function FeeFacts() {
  const state = useFeeState();
  const { data: config } = useFeeConfig();
  return (
    <section class="card">
      <h2>What an active validator pays</h2>
      <Answer of={state}>
        {({ price, excess }) => (
          <Facts>
            <Fact name="Price">
              {count(price)} nAVAX a second: <Avax value={monthlyCost(BigInt(price))} /> in 30 days
            </Fact>
            <Fact name="Excess">{count(excess)}</Fact>
            {config !== undefined && (
              <Fact name="How it changes">
                The price rises while more than {count(config.target)} validators of all L1s are active, and falls, down to{" "}
                {count(config.minPrice)} nAVAX, while fewer are. At most {count(config.capacity)} can be active.
              </Fact>
            )}
          </Facts>
        )}
      </Answer>
      <p class="quiet">How long a balance lasts is computed as if the present price stayed.</p>
    </section>
  );
}

/** The API lists subnets; those that became L1s are chosen from what was read. */
function L1List() {
  const subnets = useSubnets(LARGE_PAGE);
  const read = subnets.items;
  const l1s = read?.filter(({ isL1 }) => isL1);
  return (
    <>
      {read !== undefined && l1s !== undefined && (
        <p role="status">
          {count(l1s.length)} of the {subnets.hasNextPage ? "newest " : ""}
          {count(read.length)} subnets {l1s.length === 1 ? "is an L1" : "are L1s"}.
        </p>
      )}
      <List
        label="L1s"
        of={{ ...subnets, items: l1s }}
        keyOf={({ subnetId }) => subnetId}
        empty="No subnet was converted to an L1."
        columns={[L1, CHAINS, MANAGER, CREATED]}
      />
    </>
  );
}
