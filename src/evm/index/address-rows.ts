/** Rows of the lists by address: of the transactions of each block in which it took part. */
import type { TableKey } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { Internal, TransactionFacts, Transfer } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { partOf } from "./list-rows.ts";
import { NATIVE, ONLY_INTERNAL, type OwnPart, type Posting, ROLE_OF } from "./postings.ts";
import { evmAddressInternals, evmAddressTransactions } from "./tables.ts";

interface BlockPlace {
  readonly chain: number;
  readonly height: bigint;
}

/** The created contract if there is no receiver. */
export function receiverOf({ transaction: { to, created } }: Pick<TransactionFacts, "transaction">): Address {
  return to ?? created!;
}

/** What an address is in one transaction. */
interface Share {
  role: number;
  readonly parts: { part: number; kinds: number }[];
}

type Shares = Map<Address, Share>;

/** Parties of the transaction itself and of its transfers. */
function sharesOf(native: Iterable<Address>, transfers: readonly Transfer[]): Shares {
  const shares: Shares = new Map();
  for (const address of native) shareOf(shares, address).role = NATIVE;
  for (const [at, { kind, from, to }] of transfers.entries()) {
    for (const address of from === to ? [from] : [from, to]) {
      const share = shareOf(shares, address);
      share.role |= ROLE_OF[kind];
      addPart(share, partOf(at), ROLE_OF[kind]);
    }
  }
  return shares;
}

/** Parties of internal transactions. */
function internalShares(internals: readonly Internal[]): Shares {
  const shares: Shares = new Map();
  for (const [at, { from, to }] of internals.entries()) {
    for (const address of [from, to]) addPart(shareOf(shares, address), partOf(at), 0);
  }
  return shares;
}

function shareOf(shares: Shares, address: Address): Share {
  let share = shares.get(address);
  if (share === undefined) {
    share = { role: ONLY_INTERNAL, parts: [] };
    shares.set(address, share);
  }
  return share;
}

function addPart({ parts }: Share, part: number, kinds: number): void {
  const last = parts.at(-1);
  if (last?.part === part) last.kinds |= kinds;
  else parts.push({ part, kinds });
}

function postingOf(index: number, parts: readonly OwnPart[]): Posting {
  const isFirstOnly = parts.length === 0 || (parts.length === 1 && parts[0]!.part === 0);
  return isFirstOnly ? { index } : { index, parts };
}

/** Gathers the postings of a block by the rows that they belong to. */
class Gathered {
  readonly #rows = new Map<string, { readonly address: Address; readonly role: number; readonly transactions: Posting[] }>();

  add(address: Address, role: number, posting: Posting): void {
    const name = `${role}${address}`;
    const row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, { address, role, transactions: [posting] });
    else row.transactions.push(posting);
  }

  rows() {
    return this.#rows.values();
  }
}

export function writeAddressRows(writer: BlockWriter, { chain, height }: BlockPlace, transactions: readonly TransactionFacts[]): void {
  const taken = new Gathered();
  const internal = new Gathered();
  for (const facts of transactions) {
    const { index, from } = facts.transaction;
    const shares = sharesOf([from, receiverOf(facts)], facts.transfers);
    if (facts.internals.length > 0) {
      for (const [address, { role, parts }] of internalShares(facts.internals)) {
        internal.add(address, role, postingOf(index, parts));
        shareOf(shares, address);
      }
    }
    for (const [address, { role, parts }] of shares) taken.add(address, role, postingOf(index, parts));
  }
  for (const { address, role, transactions } of taken.rows()) {
    writer.add(evmAddressTransactions, { chain, address, role, height }, { transactions });
  }
  for (const { address, transactions } of internal.rows()) writer.add(evmAddressInternals, { chain, address, height }, { transactions });
}

type FillRow = { readonly key: TableKey<typeof evmAddressInternals>; readonly posting: Posting };

/** What a transaction adds to lists once its internal transactions are known. */
export interface FilledLists {
  readonly internals: readonly FillRow[];
  /** of addresses that have no other part in it */
  readonly transactions: readonly FillRow[];
}

/** @param native its sender and receiver @param transfers as they were indexed */
export function filledLists(
  { chain, height }: BlockPlace,
  index: number,
  native: Iterable<Address>,
  transfers: readonly Transfer[],
  internals: readonly Internal[],
): FilledLists {
  const known = sharesOf(native, transfers);
  const shares = [...internalShares(internals)];
  return {
    internals: shares.map(([address, { parts }]) => ({ key: { chain, address, height }, posting: postingOf(index, parts) })),
    transactions: shares.flatMap(([address]) => (known.has(address) ? [] : [{ key: { chain, address, height }, posting: { index } }])),
  };
}

const onlyInternal = ({ chain, address, height }: FillRow["key"]) => ({ chain, address, role: ONLY_INTERNAL, height });

/** Keys that `writeFilledLists` reads. */
export function filledKeys({ internals, transactions }: FilledLists): RowKey[] {
  return [
    ...internals.map(({ key }) => rowKey(evmAddressInternals, key)),
    ...transactions.map(({ key }) => rowKey(evmAddressTransactions, onlyInternal(key))),
  ];
}

export function writeFilledLists(writer: BlockWriter, { internals, transactions }: FilledLists): void {
  for (const { key, posting } of internals) {
    const before = writer.read(evmAddressInternals, key);
    writer.change(evmAddressInternals, key, before, { transactions: withPosting(before?.transactions, posting) });
  }
  for (const { key: listed, posting } of transactions) {
    const key = onlyInternal(listed);
    const before = writer.read(evmAddressTransactions, key);
    writer.change(evmAddressTransactions, key, before, { transactions: withPosting(before?.transactions, posting) });
  }
}

function withPosting(before: readonly Posting[] = [], posting: Posting): Posting[] {
  return [...before, posting].sort((a, b) => a.index - b.index);
}
