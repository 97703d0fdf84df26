/** Reads balances at a past height. Each costs one row, whatever happened before and since. */

import type { TableKey } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../store/store.ts";
import type { ERC20, ERC1155 } from "../facts.ts";
import { evmBalances } from "./tables.ts";

interface HolderTokens {
  readonly chain: number;
  readonly holder: Address;
  readonly kind: typeof ERC20 | typeof ERC1155;
}

interface TokenPlace {
  readonly token: Address;
  /** 64 digits */
  readonly tokenId: string;
}

export interface PastBalance extends TokenPlace {
  /** below zero if logs do not determine the balance; undefined: first held later */
  readonly balance: bigint | undefined;
}

/** Balance after the block of this height; undefined: never held until then. Costs O(1). */
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
 * Tokens that were ever held, with their balance after a height, in order of contract and ID, starting after `after`. It skips from one
 * token to the next, with at most two rows each. Tokens that were first held later are returned too, so that the caller can stop at any
 * token.
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
    const isLater = next.key.height > height;
    yield { ...behind, balance: isLater ? undefined : await balanceAt(reader, { chain, holder, kind }, behind, height) };
  }
}
