/** Validators of the primary network and of subnets: a list by state, and charts of the stake. One request for each page of the list. */
import { useState } from "preact/hooks";
import { useOverview } from "../../api/overview.ts";
import type { Params } from "../../components/screen.tsx";
import { List } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { NetworkFacts } from "./network-facts.tsx";
import { PRIMARY_NETWORK_ID, useValidators, type ValidatorQuery } from "./requests.ts";
import { type Order, SORTED_BY, SortHead, type SortName } from "./sort-head.tsx";
import { StakeCharts } from "./stake-charts.tsx";
import { validatorColumns } from "./validator-columns.tsx";

const TABS = [
  { path: "", name: "Active" },
  { path: "pending", name: "Pending" },
  { path: "completed", name: "Completed" },
  { path: "removed", name: "Removed" },
  { path: "stake", name: "Stake" },
] as const;
type Status = NonNullable<ValidatorQuery["validationStatus"]>;

export function Validators({ params: { tab = "" } }: { readonly params: Params }) {
  return (
    <>
      <Title text="Validators" />
      <NetworkFacts />
      <Tabs label="Validators by state" base={to.validators()} tabs={TABS} current={tab} />
      {tab === "stake" ? <StakeCharts /> : <ValidatorList key={tab} status={(tab || "active") as Status} />}
    </>
  );
}

const FUJI_ID = 5;

function ValidatorList({ status }: { readonly status: Status }) {
  const { data: overview } = useOverview();
  const [node, setNode] = useState("");
  const [isPrimary, setPrimary] = useState(status !== "removed");
  const [order, setOrder] = useState<Order>({ by: "blockIndex", isDescending: true });
  const hasUptimes = overview?.isDevnet === true && status === "active";
  const validators = useValidators({
    validationStatus: status,
    sortBy: order.by,
    sortOrder: order.isDescending ? "desc" : "asc",
    ...(isPrimary && { subnetId: PRIMARY_NETWORK_ID }),
    ...(node !== "" && { nodeIds: node }),
  });
  const columns = validatorColumns({ status, isPrimary, hasUptimes });
  // the API refuses to sort by fee where validators have none, and on Fuji
  const sortable = (name: SortName) => name !== "delegationFee" || (isPrimary && overview?.networkId !== FUJI_ID);
  return (
    <section class="card">
      <Filter
        onNode={setNode}
        isPrimary={isPrimary}
        onPrimary={(next) => {
          setPrimary(next);
          if (!next && order.by === "delegationFee") setOrder({ by: "blockIndex", isDescending: true });
        }}
      />
      <List
        label={`${status} validators`}
        of={validators}
        columns={columns}
        keyOf={({ txHash }) => txHash}
        empty={node === "" ? `There is no ${status} validator.` : `There is no ${status} validator whose node ID contains ${node}.`}
        head={({ name }) => <SortHead name={name} order={order} onOrder={setOrder} isSortable={sortable} />}
        sort={{ by: SORTED_BY[order.by], isDescending: order.isDescending }}
      />
    </section>
  );
}

interface FilterProps {
  onNode(part: string): void;
  readonly isPrimary: boolean;
  onPrimary(isPrimary: boolean): void;
}

function Filter({ onNode, isPrimary, onPrimary }: FilterProps) {
  const [text, setText] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    onNode(text.trim());
  };
  return (
    <form class="filters" onSubmit={send}>
      <label>
        Node ID contains
        <input
          type="search"
          value={text}
          maxLength={50}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            if (value === "") onNode("");
          }}
        />
      </label>
      <button type="submit">Filter</button>
      <label>
        Of
        <select value={isPrimary ? "primary" : "all"} onChange={({ currentTarget }) => onPrimary(currentTarget.value === "primary")}>
          <option value="primary">the primary network</option>
          <option value="all">all subnets</option>
        </select>
      </label>
    </form>
  );
}
