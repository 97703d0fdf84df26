/**
 * Who holds a token, by balance, and the sums of a token. A block changes each row once, whatever it moves. Balances of zero and below are
 * not listed.
 */
import type { TableKey, TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { ERC20, ERC721, type TransferKind } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { evmHolders, evmItemHolders, evmNftCounts, evmTokensByHeight, evmTokenTotals } from "./holder-tables.ts";
import type { evmNfts } from "./tables.ts";

/** The largest balance that a contract can have. */
export const MAX_BALANCE = 2n ** 256n - 1n;

/** 64 digits that fall as the balance rises. */
export function rankOf(balance: bigint): string {
  return (MAX_BALANCE - listed(balance)).toString(16).padStart(64, "0");
}

export function balanceOfRank(rank: string): bigint {
  return MAX_BALANCE - BigInt(`0x${rank}`);
}

/** A balance as it is listed and added up: 0 if it is below zero, and no more than a contract can have. */
export function listed(balance: bigint): bigint {
  if (balance <= 0n) return 0n;
  return balance > MAX_BALANCE ? MAX_BALANCE : balance;
}

export interface HeldToken {
  readonly holder: Address;
  readonly kind: TransferKind;
  readonly token: Address;
  /** 64 digits */
  readonly tokenId: string;
}

/** The row that lists a holder; undefined if it holds nothing. */
export function holderRow(chain: number, { holder, kind, token, tokenId }: HeldToken, balance: bigint): RowKey | undefined {
  if (balance <= 0n) return undefined;
  const rank = rankOf(balance);
  return kind === ERC20 || kind === ERC721
    ? rowKey(evmHolders, { chain, token, kind, rank, holder })
    : rowKey(evmItemHolders, { chain, token, tokenId, rank, holder });
}

export type TokenTotals = TableValue<typeof evmTokenTotals>;

export const NO_TOTALS: TokenTotals = { transfers: 0n, holders: 0n, supply: 0n, owners: 0n, nfts: 0n, units: 0n };

const totalNames = Object.keys(NO_TOTALS) as (keyof TokenTotals)[];

interface OwnerChange {
  readonly token: Address;
  readonly tokenId: string;
  readonly owner: Address | undefined;
}

/** Keys that `HolderRows` reads, without those of `ownerKeys`. @param tokens whose balances or transfers change */
export function holderKeys(chain: number, tokens: Iterable<Address>, owners: readonly OwnerChange[]): RowKey[] {
  return [
    ...[...tokens].map((token) => rowKey(evmTokenTotals, { chain, token })),
    ...owners.flatMap(({ token, owner }) => (owner === undefined ? [] : [rowKey(evmNftCounts, { chain, token, holder: owner })])),
  ];
}

/** Keys of those who lose an NFT. @param nftOf its row, which was fetched before */
export function ownerKeys(
  chain: number,
  owners: readonly OwnerChange[],
  nftOf: (key: TableKey<typeof evmNfts>) => TableValue<typeof evmNfts> | undefined,
): RowKey[] {
  return owners.flatMap(({ token, tokenId }) => {
    const holder = nftOf({ chain, token, tokenId })?.owner;
    return holder === undefined ? [] : [rowKey(evmNftCounts, { chain, token, holder })];
  });
}

interface Move {
  readonly held: HeldToken;
  readonly before: bigint;
  after: bigint;
}

/** How balances move in the lists of holders, from the first block to the last: the rows between are never written. */
export class HolderMoves {
  readonly #moves = new Map<string, Move>();

  add(held: HeldToken, before: bigint, after: bigint): void {
    const { holder, kind, token, tokenId } = held;
    const name = `${holder}${kind}${token}${tokenId}`;
    const known = this.#moves.get(name);
    if (known === undefined) this.#moves.set(name, { held, before, after });
    else known.after = after;
  }

  /** Writes what was gathered. The rows follow from balances, so they need not be read. */
  write(writer: BlockWriter, chain: number): void {
    for (const { held, before, after } of this.#moves.values()) {
      if (listed(before) === listed(after)) continue;
      const from = holderRow(chain, held, before);
      const to = holderRow(chain, held, after);
      if (from !== undefined) writer.swap(from.table, from.key, {}, undefined);
      if (to !== undefined) writer.swap(to.table, to.key, undefined, {});
    }
    this.#moves.clear();
  }
}

/** The rows of one block. */
export class HolderRows {
  readonly #writer: BlockWriter;
  readonly #chain: number;
  readonly #moves: HolderMoves;
  readonly #totals = new Map<Address, Record<keyof TokenTotals, bigint>>();
  /** changes of the number of NFTs, by token and owner */
  readonly #nfts = new Map<string, { readonly token: Address; readonly holder: Address; change: bigint }>();

  /** @param moves gets the moves in the lists of holders, which the caller writes */
  constructor(writer: BlockWriter, chain: number, moves: HolderMoves) {
    this.#writer = writer;
    this.#chain = chain;
    this.#moves = moves;
  }

  transferred(token: Address, count: number): void {
    this.#of(token).transfers += BigInt(count);
  }

  /** ERC-20 and ERC-1155. */
  balanceChanged(held: HeldToken, before: bigint, after: bigint): void {
    const totals = this.#of(held.token);
    const change = listed(after) - listed(before);
    if (held.kind === ERC20) {
      totals.supply += change;
      totals.holders += counted(after) - counted(before);
    } else totals.units += change;
    this.#moves.add(held, before, after);
  }

  /** ERC-721. */
  ownerChanged(token: Address, before: Address | undefined, after: Address | undefined): void {
    this.#of(token).nfts += (after === undefined ? 0n : 1n) - (before === undefined ? 0n : 1n);
    if (before !== undefined) this.#count(token, before, -1n);
    if (after !== undefined) this.#count(token, after, 1n);
  }

  /** A token that was met, or that turned out to be of another kind. `kind` 0: not a token. */
  tokenMet(token: Address, height: bigint, before: number, kind: number): void {
    if (before === kind) return;
    const row = (of: number) => ({ chain: this.#chain, kind: of, height, token });
    if (before !== 0) this.#writer.change(evmTokensByHeight, row(before), {}, undefined);
    if (kind !== 0) this.#writer.change(evmTokensByHeight, row(kind), undefined, {});
  }

  /** Writes what was gathered. */
  finish(): void {
    for (const { token, holder, change } of this.#nfts.values()) this.#changeCount(token, holder, change);
    for (const [token, change] of this.#totals) {
      const key = { chain: this.#chain, token };
      const before = this.#writer.read(evmTokenTotals, key);
      const after = { ...NO_TOTALS, ...before };
      for (const name of totalNames) after[name] += change[name];
      // a token without transfers has a row only while somebody holds some
      const isEmpty = totalNames.every((name) => after[name] === 0n);
      if (before !== undefined || !isEmpty) this.#writer.change(evmTokenTotals, key, before, isEmpty ? undefined : after);
    }
  }

  #of(token: Address): Record<keyof TokenTotals, bigint> {
    let totals = this.#totals.get(token);
    if (totals === undefined) {
      totals = { ...NO_TOTALS };
      this.#totals.set(token, totals);
    }
    return totals;
  }

  #count(token: Address, holder: Address, change: bigint): void {
    const known = this.#nfts.get(token + holder);
    if (known === undefined) this.#nfts.set(token + holder, { token, holder, change });
    else known.change += change;
  }

  #changeCount(token: Address, holder: Address, change: bigint): void {
    if (change === 0n) return;
    const key = { chain: this.#chain, token, holder };
    const row = this.#writer.read(evmNftCounts, key);
    const before = row?.nfts ?? 0n;
    const after = before + change;
    this.#of(token).owners += counted(after) - counted(before);
    this.#writer.change(evmNftCounts, key, row, after === 0n ? undefined : { nfts: after });
    this.#moves.add({ holder, kind: ERC721, token, tokenId: "" }, before, after);
  }
}

function counted(balance: bigint): bigint {
  return balance > 0n ? 1n : 0n;
}
