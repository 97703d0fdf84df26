/**
 * The rows of `holder-tables.ts` as they follow from the other rows of a chain, to check them. Memory is bounded, whatever a chain holds.
 */
import type { Change, Table, TableKey, TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import { ERC20, ERC721, type TransferKind } from "../facts.ts";
import { balanceOfRank, type HeldToken, holderRow, MAX_BALANCE, NO_TOTALS, type TokenTotals } from "./holder-rows.ts";
import { evmHolders, evmItemHolders, evmNftCounts, evmTokensByHeight, evmTokenTotals } from "./holder-tables.ts";
import { tokenParts } from "./read-lists.ts";
import { evmHoldings, evmTokens } from "./tables.ts";

/** Rows of holders, and tokens of which a sum is larger than a contract can have. */
export async function* derivedHolders(reader: StoreReader, chain: number): AsyncGenerator<Change> {
  let owner: (HeldToken & { nfts: bigint }) | undefined;
  for await (const { key, value } of scanAll(reader, evmHoldings, { chain })) {
    const held = { ...key, kind: key.kind as TransferKind };
    if (owner !== undefined && (owner.holder !== key.holder || owner.kind !== key.kind || owner.token !== key.token)) {
      yield* ownerRows(chain, owner);
      owner = undefined;
    }
    if (held.kind === ERC721) owner = { ...held, nfts: (owner?.nfts ?? 0n) + 1n };
    else yield* listed(chain, held, value.balance);
    if (value.balance > MAX_BALANCE) yield* await indebted(reader, { chain, token: key.token });
  }
  if (owner !== undefined) yield* ownerRows(chain, owner);
}

function* ownerRows(chain: number, owner: HeldToken & { readonly nfts: bigint }): Generator<Change> {
  const { token, holder, nfts } = owner;
  yield change(evmNftCounts, { chain, token, holder }, { nfts });
  yield* listed(chain, owner, nfts);
}

function* listed(chain: number, held: HeldToken, balance: bigint): Generator<Change> {
  const row = holderRow(chain, held, balance);
  if (row !== undefined) yield { ...row, value: {} };
}

async function indebted(reader: StoreReader, key: TableKey<typeof evmTokens>): Promise<Change[]> {
  const token = await reader.get(evmTokens, key);
  return token === undefined ? [] : [change(evmTokens, key, { ...token, hasDebts: true })];
}

/** Sums of tokens and the list of tokens. The rows of holders must be there. */
export async function* derivedTokens(reader: StoreReader, chain: number): AsyncGenerator<Change> {
  for await (const { key, value } of scanAll(reader, evmTokens, { chain })) {
    const { kind, height } = value;
    const totals = await totalsOf(reader, chain, key.token);
    if (Object.values(totals).some((total) => total !== 0n)) yield change(evmTokenTotals, { chain, token: key.token }, totals);
    if (kind !== 0) yield change(evmTokensByHeight, { chain, kind, height, token: key.token }, {});
  }
}

async function totalsOf(reader: StoreReader, chain: number, token: Address): Promise<TokenTotals> {
  const totals = { ...NO_TOTALS };
  const ofToken = { chain, token };
  for await (const { items } of tokenParts(reader, ofToken, { reverse: false, wanted: Number.POSITIVE_INFINITY })) {
    for (const transfer of items) if (transfer.token === token) totals.transfers++;
  }
  for await (const { key } of scanAll(reader, evmHolders, { ...ofToken, kind: ERC20 })) {
    totals.holders++;
    totals.supply += balanceOfRank(key.rank);
  }
  for await (const { key } of scanAll(reader, evmHolders, { ...ofToken, kind: ERC721 })) {
    totals.owners++;
    totals.nfts += balanceOfRank(key.rank);
  }
  for await (const { key } of scanAll(reader, evmItemHolders, ofToken)) totals.units += balanceOfRank(key.rank);
  return totals;
}

function change<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): Change {
  return { table, key, value } as Change;
}
