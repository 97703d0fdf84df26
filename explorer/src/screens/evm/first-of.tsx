/** A list that is there as a whole, and may be long: its first items, and more of them when asked. */
import { useState } from "preact/hooks";
import { count } from "../../components/amount.tsx";
import { type Column, Table } from "../../components/table.tsx";

const STEP = 50;

interface FirstOfProps<I> {
  readonly label: string;
  readonly columns: readonly Column<I>[];
  readonly items: readonly I[];
  keyOf(item: I): string;
}

export function FirstOf<I>({ items, ...table }: FirstOfProps<I>) {
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <Table {...table} items={items.slice(0, shown)} />
      {items.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show more
          </button>{" "}
          <span class="quiet">
            {count(shown)} of {count(items.length)}
          </span>
        </p>
      )}
    </>
  );
}
