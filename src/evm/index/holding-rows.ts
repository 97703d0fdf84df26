/**
 * Who holds what, now and after each height, as the transfers say. Only the net effect of a block's transfers is written. The zero address
 * holds nothing. The owner of an ERC-721 token is the recipient of its last transfer, whoever that came from.
 */

import type { TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { ZERO_ADDRESS } from "../decode/token-logs.ts";
import { ERC20, ERC721, ERC1155, type EvmFacts, type TransferKind } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { type HeldToken, type HolderRows, holderKeys, MAX_BALANCE } from "./holder-rows.ts";
import { evmBalances, evmHoldings, evmNfts } from "./tables.ts";
import { evmNftQueue } from "./token-tables.ts";

/** stands for ERC-20, which has no token IDs */
export const NO_TOKEN_ID = "00".repeat(32);

/** The token ID in keys of tables: 64 digits. */
export function tokenIdKey(tokenId: bigint): string {
  return tokenId === 0n ? NO_TOKEN_ID : tokenId.toString(16).padStart(64, "0");
}

/** The net effect of a block's transfers. */
export interface HoldingChanges {
  /** ERC-20 and ERC-1155, without sums that are zero */
  readonly balances: readonly (HeldToken & { readonly change: bigint })[];
  /** ERC-721: the owner of each token after the block; undefined: burned */
  readonly owners: readonly { readonly token: Address; readonly tokenId: string; readonly owner: Address | undefined }[];
  /** number of transfers of each token, of any kind */
  readonly transfers: ReadonlyMap<Address, number>;
}

export function holdingChanges({ transactions }: EvmFacts): HoldingChanges {
  const sums = new Map<string, HeldToken & { change: bigint }>();
  const owners = new Map<string, HoldingChanges["owners"][number]>();
  const counts = new Map<Address, number>();
  const add = (holder: Address, kind: TransferKind, token: Address, tokenId: string, change: bigint): void => {
    if (holder === ZERO_ADDRESS) return;
    const name = `${holder}${kind}${token}${tokenId}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { holder, kind, token, tokenId, change });
    else sum.change += change;
  };
  for (const { transfers, balanceChanges } of transactions) {
    for (const { kind, token, from, to, tokenId, value } of transfers) {
      counts.set(token, (counts.get(token) ?? 0) + 1);
      const id = kind === ERC20 ? NO_TOKEN_ID : tokenIdKey(tokenId);
      if (kind === ERC721) {
        owners.set(token + id, { token, tokenId: id, owner: to === ZERO_ADDRESS ? undefined : to });
      } else if (value !== 0n) {
        add(from, kind, token, id, -value);
        add(to, kind, token, id, value);
      }
    }
    for (const { token, holder, change } of balanceChanges) add(holder, ERC20, token, NO_TOKEN_ID, change);
  }
  return { balances: [...sums.values()].filter(({ change }) => change !== 0n), owners: [...owners.values()], transfers: counts };
}

/** Keys that `writeHoldings` reads. */
export function holdingKeys(chain: number, { balances, owners, transfers }: HoldingChanges): RowKey[] {
  const tokens = new Set([...transfers.keys(), ...balances.map(({ token }) => token)]);
  const keys = holderKeys(chain, tokens, owners);
  const multiTokens = new Set<string>();
  for (const { holder, kind, token, tokenId } of balances) {
    keys.push(rowKey(evmHoldings, { chain, holder, kind, token, tokenId }));
    if (kind !== ERC1155 || multiTokens.has(token + tokenId)) continue;
    multiTokens.add(token + tokenId);
    keys.push(rowKey(evmNfts, { chain, token, tokenId }));
  }
  for (const { token, tokenId } of owners) keys.push(rowKey(evmNfts, { chain, token, tokenId }));
  return keys;
}

/** Returns the tokens of which some holder's sum is now one that no contract can have: below zero, or above 256 bits. */
export function writeHoldings(
  writer: BlockWriter,
  { chain, height }: { readonly chain: number; readonly height: bigint },
  { balances, owners, transfers }: HoldingChanges,
  holders: HolderRows,
): Set<Address> {
  const indebted = new Set<Address>();
  const supplies = new Map<string, { token: Address; tokenId: string; change: bigint }>();
  for (const { holder, kind, token, tokenId, change } of balances) {
    const key = { chain, holder, kind, token, tokenId };
    const before = writer.read(evmHoldings, key);
    const balance = (before?.balance ?? 0n) + change;
    writer.change(evmHoldings, key, before, balance === 0n ? undefined : { balance });
    writer.add(evmBalances, { ...key, height }, { balance });
    if (balance < 0n || balance > MAX_BALANCE) indebted.add(token);
    holders.balanceChanged(key, before?.balance ?? 0n, balance);
    if (kind !== ERC1155) continue;
    const supply = supplies.get(token + tokenId) ?? { token, tokenId, change: 0n };
    supply.change += aboveZero(balance) - aboveZero(before?.balance ?? 0n);
    supplies.set(token + tokenId, supply);
  }
  for (const { token, tokenId, change } of supplies.values()) changeSupply(writer, { chain, token, tokenId }, change);
  for (const { token, tokenId, owner } of owners) changeOwner(writer, { chain, token, tokenId }, owner, holders);
  for (const [token, count] of transfers) holders.transferred(token, count);
  return indebted;
}

/** A negative balance does not reduce what others hold. */
function aboveZero(balance: bigint): bigint {
  return balance > 0n ? balance : 0n;
}

interface NftKey {
  readonly chain: number;
  readonly token: Address;
  readonly tokenId: string;
}

function changeSupply(writer: BlockWriter, key: NftKey, change: bigint): void {
  if (change === 0n) return;
  const before = writer.read(evmNfts, key);
  changeNft(writer, key, before, before?.owner, (before?.supply ?? 0n) + change);
}

/** The owner's holding follows from the token's row, so it need not be read. */
function changeOwner(writer: BlockWriter, key: NftKey, owner: Address | undefined, holders: HolderRows): void {
  const before = writer.read(evmNfts, key);
  if (before?.owner === owner) return;
  holders.ownerChanged(key.token, before?.owner, owner);
  const { chain, token, tokenId } = key;
  const holding = (holder: Address) => ({ chain, holder, kind: ERC721, token, tokenId });
  changeNft(writer, key, before, owner, before?.supply ?? 0n);
  if (before?.owner !== undefined) writer.change(evmHoldings, holding(before.owner), { balance: 1n }, undefined);
  if (owner !== undefined) writer.change(evmHoldings, holding(owner), undefined, { balance: 1n });
}

/** A contract may emit events of both standards for one token ID. Owner and supply are kept independently. */
function changeNft(
  writer: BlockWriter,
  key: NftKey,
  before: TableValue<typeof evmNfts> | undefined,
  owner: Address | undefined,
  supply: bigint,
): void {
  const exists = owner !== undefined || supply !== 0n;
  writer.change(evmNfts, key, before, exists ? { kind: owner === undefined ? ERC1155 : ERC721, owner, supply } : undefined);
  if (before === undefined) writer.ask(evmNftQueue, { chain: key.chain, dueAt: 0n, token: key.token, tokenId: key.tokenId }, {});
}
