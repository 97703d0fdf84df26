/** Columns of lists of validators. */
import { Amount, Avax, count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { PRIMARY_NETWORK_ID, type Validator } from "./requests.ts";
import { SORTED_BY } from "./sort-head.tsx";
import { shortPercent, weightOf } from "./stake.ts";

interface Shown {
  readonly status: Validator["validationStatus"];
  readonly isPrimary: boolean;
  /** only a devnet knows them */
  readonly hasUptimes: boolean;
}

type C = Column<Validator>;

export function validatorColumns({ status, isPrimary, hasUptimes }: Shown): readonly C[] {
  const isActive = status === "active";
  const hasDelegators = isActive || status === "completed";
  return [
    { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} href={to.validator(nodeId)} /> },
    ...(isPrimary ? [] : [SUBNET]),
    STAKE,
    ...(hasDelegators ? [DELEGATED, DELEGATORS] : []),
    ...(isActive ? [TOTAL, CAPACITY] : []),
    ...(isPrimary ? [FEE] : []),
    ...(hasUptimes ? [UPTIME] : []),
    STARTS,
    status === "removed" ? REMOVED : ENDS,
    ...(isActive ? [POTENTIAL] : status === "completed" ? [PAID] : []),
    { name: SORTED_BY.blockIndex, cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
  ];
}

export const SUBNET: C = {
  name: "Subnet",
  cell: ({ subnetId }) => (subnetId === PRIMARY_NETWORK_ID ? "primary network" : <Id value={subnetId} href={to.subnet(subnetId)} />),
};
/** The stake of an elastic subnet is in its own asset, that of a permissioned one is a weight. */
export function Stake({ value, subnetId }: { readonly value: string | bigint; readonly subnetId: string }) {
  return subnetId === PRIMARY_NETWORK_ID ? <Avax value={value} /> : <Amount value={value} />;
}
export const STAKE: C = {
  name: "Own stake",
  isNumber: true,
  cell: ({ amountStaked, subnetId }) => <Stake value={amountStaked} subnetId={subnetId} />,
};
export const DELEGATED: C = {
  name: "Delegated",
  isNumber: true,
  cell: (validator) =>
    "amountDelegated" in validator && validator.amountDelegated !== undefined ? (
      <Stake value={validator.amountDelegated} subnetId={validator.subnetId} />
    ) : null,
};
const DELEGATORS: C = {
  name: "Delegators",
  isNumber: true,
  cell: (validator) => ("delegatorCount" in validator ? count(validator.delegatorCount) : null),
};
const TOTAL: C = {
  name: "Together",
  isNumber: true,
  cell: (validator) => <Stake value={weightOf(validator)} subnetId={validator.subnetId} />,
};
const CAPACITY: C = {
  name: SORTED_BY.delegationCapacity,
  isNumber: true,
  cell: (validator) =>
    "delegationCapacity" in validator && validator.delegationCapacity !== undefined ? (
      <Stake value={validator.delegationCapacity} subnetId={validator.subnetId} />
    ) : null,
};
const FEE: C = {
  name: SORTED_BY.delegationFee,
  isNumber: true,
  cell: ({ delegationFee }) => (delegationFee === undefined ? null : `${shortPercent(delegationFee)} %`),
};
const UPTIME: C = {
  name: SORTED_BY.uptimePerformance,
  isNumber: true,
  cell: (validator) => ("uptimePerformance" in validator ? `${validator.uptimePerformance} %` : null),
};
export const STARTS: C = { name: "Starts", cell: ({ startTimestamp }) => <Time seconds={startTimestamp} /> };
export const ENDS: C = { name: SORTED_BY.timeRemaining, cell: ({ endTimestamp }) => <Time seconds={endTimestamp} /> };
const REMOVED: C = {
  name: "Removed",
  cell: (validator) => ("removeTimestamp" in validator ? <Time seconds={validator.removeTimestamp} /> : null),
};
const POTENTIAL: C = {
  name: "Potential reward",
  isNumber: true,
  cell: (validator) =>
    "potentialRewards" in validator ? (
      <Stake value={validator.potentialRewards.validationRewardAmount} subnetId={validator.subnetId} />
    ) : null,
};
const PAID: C = {
  name: "Reward paid",
  isNumber: true,
  cell: (validator) =>
    "rewards" in validator ? <Stake value={validator.rewards.validationRewardAmount} subnetId={validator.subnetId} /> : null,
};
