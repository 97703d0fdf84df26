/** Tables, and lists that are read page by page. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Pages } from "../api/queries.ts";
import { ChainText, spelled } from "./chain-text.tsx";
import { csvOf, save } from "./csv.ts";
import { Empty, Failure, Loading } from "./states.tsx";

export interface Column<I> {
  /** heading; unique in its table */
  readonly name: string;
  /** numbers stand at the right */
  readonly isNumber?: boolean;
  /** of all its amounts; anybody can have chosen it */
  readonly unit?: string;
  cell(item: I): ComponentChildren;
  /** makes the column sortable: what it is sorted by */
  readonly sortBy?: (item: I) => bigint | number | string;
}

interface TableProps<I> {
  /** what the rows are, for people who do not see the heading above */
  readonly label: string;
  readonly columns: readonly Column<I>[];
  readonly items: readonly I[];
  keyOf(item: I): string;
  readonly head?: (column: Column<I>) => ComponentChildren;
  readonly sort?: { readonly by: string; readonly isDescending: boolean } | undefined;
}

/** On a narrow screen each row is a card; what is still too wide scrolls sideways, also by keyboard. */
export function Table<I>({ label, columns, items, keyOf, head = Heading, sort }: TableProps<I>) {
  const order = (name: string) => (sort?.by === name ? (sort.isDescending ? "descending" : "ascending") : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.isNumber ? "number" : undefined} aria-sort={order(column.name)}>
                {head(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ name, unit, isNumber, cell }) => (
                <td key={name} class={isNumber ? "number" : undefined} data-name={unit === undefined ? name : `${name} ${shortUnit(unit)}`}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const LONGEST_UNIT = 24;

function shortUnit(unit: string): string {
  return spelled(unit.slice(0, LONGEST_UNIT));
}

function Heading({ name, unit }: { readonly name: string; readonly unit?: string }) {
  return (
    <>
      {name}
      {unit !== undefined && (
        <span class="unit">
          {" "}
          <ChainText text={unit} longest={LONGEST_UNIT} />
        </span>
      )}
    </>
  );
}

interface PagedProps<I> {
  readonly of: Pages<I>;
  /** a sentence that is shown if there is nothing */
  readonly empty: string;
  children(items: readonly I[]): ComponentChildren;
}

/** What is read page by page, as far as its reader asks for more. */
export function Paged<I>({ of, empty, children }: PagedProps<I>) {
  if (of.items === undefined) return of.error ? <Failure error={of.error} onRetry={() => of.refetch()} /> : <Loading />;
  if (of.items.length === 0 && !of.hasNextPage) return <Empty>{empty}</Empty>;
  return (
    <>
      {children(of.items)}
      {of.error && <Failure error={of.error} onRetry={() => of.fetchNextPage()} />}
      {of.hasNextPage && (
        <p class="more">
          <button type="button" disabled={of.isFetchingNextPage} onClick={() => of.fetchNextPage()}>
            {of.isFetchingNextPage ? "Loading …" : "Show more"}
          </button>
        </p>
      )}
    </>
  );
}

interface ListProps<I> extends Pick<TableProps<I>, "label" | "columns" | "keyOf" | "head" | "sort">, Omit<PagedProps<I>, "children"> {}

/** A table that is read page by page, and saved as far as it was read. */
export function List<I>({ of, empty, ...table }: ListProps<I>) {
  const place = useRef<HTMLDivElement>(null);
  const saveAll = () => {
    const found = place.current?.querySelector("table");
    if (found) save(`${table.label.toLowerCase().replaceAll(" ", "-")}.csv`, csvOf(found));
  };
  return (
    <Paged of={of} empty={empty}>
      {(items) => (
        <div ref={place}>
          <Table {...table} items={items} />
          <p class="save">
            <button type="button" class="plain" onClick={saveAll}>
              Save {items.length === 1 ? "this row" : `these ${items.length} rows`} as CSV
            </button>
          </p>
        </div>
      )}
    </Paged>
  );
}
