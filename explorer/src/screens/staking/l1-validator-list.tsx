/** Validators of L1s: who they are, how much they have left, and how long that lasts. Three requests, and one for each further page. */
import { useState } from "preact/hooks";
import { Avax, count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { paidUntil } from "./l1-fee.ts";
import { type FeeState, type L1Validator, LARGE_PAGE, useFeeState, useL1Validators, useSubnets } from "./requests.ts";
import { SubnetLink } from "./subnet-columns.tsx";

interface L1ValidatorListProps {
  readonly query: { readonly nodeId?: string; readonly subnetId?: string };
  /** a sentence that is shown if there is none */
  readonly empty: string;
}

export function L1ValidatorList({ query, empty }: L1ValidatorListProps) {
  const [hasInactive, setInactive] = useState(true);
  const validators = useL1Validators({ ...query, includeInactiveL1Validators: hasInactive });
  const { data: fees } = useFeeState();
  return (
    <>
      <p class="filters">
        <label>
          <input type="checkbox" checked={hasInactive} onChange={({ currentTarget }) => setInactive(currentTarget.checked)} />
          also those that are inactive, because their balance is used up or was withdrawn
        </label>
      </p>
      <List
        label="Validators of L1s"
        of={validators}
        keyOf={({ validationId }) => validationId}
        empty={empty}
        columns={[
          { name: "Validation", cell: ({ validationId }) => <Id value={validationId} href={to.l1Validator(validationId)} /> },
          { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} href={to.validator(nodeId)} /> },
          ...(query.subnetId === undefined ? [L1_BY_NAME] : []),
          { name: "Weight", isNumber: true, cell: ({ weight }) => count(weight) },
          { name: "Balance", isNumber: true, cell: ({ remainingBalance }) => <Avax value={`${remainingBalance}`} /> },
          {
            name: "Used up, at the present price",
            cell: ({ remainingBalance }) => <Lasts balance={BigInt(remainingBalance)} fees={fees} />,
          },
          { name: "Registered", cell: ({ creationTimestamp }) => <Time seconds={creationTimestamp} /> },
        ]}
      />
    </>
  );
}

const L1_BY_NAME: Column<L1Validator> = { name: "L1", cell: ({ subnetId }) => <NamedL1 subnetId={subnetId} /> };

/** By its name if it is one of the newest subnets, which one request has for the whole list. */
function NamedL1({ subnetId }: { readonly subnetId: string }) {
  const { items = [] } = useSubnets(LARGE_PAGE);
  return <SubnetLink of={items.find((subnet) => subnet.subnetId === subnetId) ?? { subnetId, blockchains: [] }} />;
}

/** @param balance nAVAX as of the newest block */
export function Lasts({ balance, fees }: { readonly balance: bigint; readonly fees: FeeState | undefined }) {
  if (balance === 0n) return <span class="badge bad">inactive</span>;
  if (fees === undefined) return null;
  const until = paidUntil(balance, BigInt(fees.price), Date.parse(fees.timestamp) / 1000);
  return until === undefined ? <>for ever</> : <Time seconds={until} />;
}
