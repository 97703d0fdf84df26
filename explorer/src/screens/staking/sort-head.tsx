/** Headings of columns by which the API sorts validators. */
import type { ValidatorQuery } from "./requests.ts";

export type SortName = NonNullable<ValidatorQuery["sortBy"]>;

export interface Order {
  readonly by: SortName;
  readonly isDescending: boolean;
}

/** The heading of the column that has the figure. */
export const SORTED_BY: Readonly<Record<SortName, string>> = {
  blockIndex: "Staked by",
  delegationCapacity: "Can be delegated",
  timeRemaining: "Ends",
  delegationFee: "Fee",
  uptimePerformance: "Uptime",
};

interface SortHeadProps {
  readonly name: string;
  readonly order: Order;
  onOrder(order: Order): void;
  isSortable(by: SortName): boolean;
}

/** A button, if the API sorts by what is in the column. A second press turns the order around. */
export function SortHead({ name, order, onOrder, isSortable }: SortHeadProps) {
  const by = (Object.keys(SORTED_BY) as SortName[]).find((sort) => SORTED_BY[sort] === name);
  if (by === undefined || !isSortable(by)) return <>{name}</>;
  const isCurrent = order.by === by;
  return (
    <button type="button" class="plain" onClick={() => onOrder({ by, isDescending: isCurrent ? !order.isDescending : true })}>
      {name}
      {isCurrent && <span aria-hidden="true">{order.isDescending ? " ↓" : " ↑"}</span>}
    </button>
  );
}
