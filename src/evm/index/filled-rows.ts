/** Adds the content of call traces to transactions that were indexed without them. */

import type { TableValue } from "../../base/table/table.ts";
import type { RowKey } from "../../base/table/view.ts";
import type { TransactionFacts, Transfer } from "../facts.ts";
import { type FilledLists, filledKeys, filledLists, writeFilledLists } from "./address-rows.ts";
import { type RowPlace, writeDeployments, writeMoreInternals } from "./block-rows.ts";
import type { BlockWriter } from "./block-writer.ts";
import { internalParts } from "./read-parts.ts";
import { evmTransactions, evmUntraced } from "./tables.ts";

/** A transaction as it was indexed. */
export interface IndexedTransaction {
  readonly row: TableValue<typeof evmTransactions>;
  readonly transfers: readonly Transfer[];
}

function listsOf(place: RowPlace, { internals }: TransactionFacts, { row, transfers }: IndexedTransaction): FilledLists {
  return filledLists(place, place.index, [row.from, row.to], transfers, internals);
}

/** Keys that `fillTransaction` reads. */
export function keysToFill(place: RowPlace, facts: TransactionFacts, indexed: IndexedTransaction): RowKey[] {
  return filledKeys(listsOf(place, facts, indexed));
}

export function fillTransaction(writer: BlockWriter, place: RowPlace, facts: TransactionFacts, indexed: IndexedTransaction): void {
  const [internalPart, ...more] = internalParts(facts.internals, indexed.row);
  writer.add(evmTransactions, place, { ...indexed.row, internals: facts.internals.length, internalPart: internalPart! });
  writeMoreInternals(writer, place, more);
  writeFilledLists(writer, listsOf(place, facts, indexed));
  writeDeployments(writer, place, facts);
  writer.remove(evmUntraced, place);
}
