/** Balances of a past height: one row each, whatever happened before and since. */
import type { Address } from "../../evm/block.ts";
import type { ERC20, ERC1155 } from "../../evm/facts.ts";
import type { TableKey } from "../../primitives/table.ts";
import type { StoreReader } from "../../store/store.ts";
import { evmBalances } from "./tables.ts";

export interface HolderTokens {
  readonly chain: number;
  readonly holder: Address;
  readonly kind: typeof ERC20 | typeof ERC1155;
}

export interface TokenPlace {
  readonly token: Address;
  /** 64 digits */
  readonly tokenId: string;
}

export interface PastBalance extends TokenPlace {
  /** may be below zero, where logs do not tell all */
  readonly balance: bigint;
}

/** After the block of this height; undefined: never held until then. Cost: O(1). */
export async function balanceAt(
  reader: StoreReader,
  holder: HolderTokens,
  { token, tokenId }: TokenPlace,
  height: bigint,
): Promise<bigint | undefined> {
  const prefix = { ...holder, token, tokenId };
  const [row] = await reader.scan(evmBalances, {
    prefix,
    from: { height } as Partial<TableKey<typeof evmBalances>>,
    reverse: true,
    limit: 1,
  });
  return row?.value.balance;
}

/**
 * Tokens that were ever held until a height, with what is left of them then, in order of contract and ID, from behind `after`. It skips from
 * one token to the next: cost O(tokens ever held), two rows each.
 * @param token only of this contract
 */
export async function* pastBalances(
  reader: StoreReader,
  { chain, holder, kind }: HolderTokens,
  height: bigint,
  { token, after }: { token?: Address | undefined; after?: TokenPlace | undefined } = {},
): AsyncGenerator<PastBalance> {
  const prefix = { chain, holder, kind, ...(token !== undefined && { token }) };
  for (let behind = after; ; ) {
    const bound = behind && (token === undefined ? { token: behind.token, tokenId: behind.tokenId } : { tokenId: behind.tokenId });
    const [next] = await reader.scan(evmBalances, { prefix, ...(bound && { after: bound }), limit: 1 });
    if (next === undefined) return;
    behind = { token: next.key.token, tokenId: next.key.tokenId };
    if (next.key.height > height) continue;
    const balance = await balanceAt(reader, { chain, holder, kind }, behind, height);
    if (balance !== undefined) yield { ...behind, balance };
  }
}
