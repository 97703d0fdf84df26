/** What an address holds, in order of kind, contract and token ID: the current holdings, or those of a past height. */

import { ERC20, type ERC1155, type TransferKind } from "../../../../evm/facts.ts";
import { NO_TOKEN_ID } from "../../../../evm/index/holding-rows.ts";
import { balanceAt, pastBalances } from "../../../../evm/index/past-balances.ts";
import { evmBalances, evmHoldings } from "../../../../evm/index/tables.ts";
import { evmLyingTokens } from "../../../../evm/index/token-tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import type { Position } from "../../context.ts";
import type { EvmReading } from "../present-token.ts";

interface HoldingKey {
  readonly kind: TransferKind;
  readonly token: Address;
  /** 64 digits */
  readonly tokenId: string;
}

export interface Holding extends HoldingKey {
  /** the sum of the transfers; zero or below only if transfers do not determine the balance */
  readonly balance: bigint;
}

interface Stretch {
  readonly holdings: readonly Holding[];
  /** how far was read; undefined: to the end */
  readonly end: HoldingKey | undefined;
}

/** Returns the holdings among about `limit` tokens after a position, including tokens no longer held. */
export type HoldingSource = (after: HoldingKey | undefined, limit: number) => Promise<Stretch>;

export function positionOf({ kind, token, tokenId }: HoldingKey): Position {
  return { kind, token, tokenId };
}

export function holdingKeyOf(position: Position | undefined): HoldingKey | undefined {
  if (position === undefined) return undefined;
  return { kind: Number(position.kind) as TransferKind, token: String(position.token), tokenId: String(position.tokenId) };
}

/** Holdings of these kinds, in ascending order. @param token only of this contract */
export function currentHoldings(
  holder: Address,
  kinds: readonly TransferKind[],
  token: Address | undefined,
  { reader, evmChain: { chain } }: EvmReading,
): HoldingSource {
  return async (after, limit) => {
    const holdings: Holding[] = [];
    for (const kind of kinds) {
      if (after !== undefined && kind < after.kind) continue;
      const behind = after?.kind === kind ? after : undefined;
      const rows = await reader.scan(evmHoldings, {
        prefix: { chain, holder, kind, ...(token !== undefined && { token }) },
        ...(behind && { after: token === undefined ? { token: behind.token, tokenId: behind.tokenId } : { tokenId: behind.tokenId } }),
        limit: limit - holdings.length,
      });
      for (const { key, value } of rows) holdings.push({ kind, token: key.token, tokenId: key.tokenId, balance: value.balance });
      if (holdings.length === limit) return { holdings, end: holdings.at(-1) };
    }
    return { holdings, end: undefined };
  };
}

/**
 * Current ERC-20 holdings, including every lying token that the address ever held. Lying tokens have balances that differ from their
 * transfers (`evm_lying_tokens`).
 */
export function currentErc20(holder: Address, context: EvmReading): HoldingSource {
  const recorded = currentHoldings(holder, [ERC20], undefined, context);
  return async (after, limit) => {
    const { holdings, end } = await recorded(after, limit);
    const { tokens, reached } = await heldLiars(holder, after?.token, end?.token, context);
    const known = new Set(holdings.map(({ token }) => token));
    const added = tokens
      .filter((token) => !known.has(token))
      .map((token): Holding => ({ kind: ERC20, token, tokenId: NO_TOKEN_ID, balance: 0n }));
    const merged = added.length === 0 ? holdings : [...holdings, ...added].sort((a, b) => (a.token < b.token ? -1 : 1));
    if (reached === undefined) return { holdings: merged, end };
    return { holdings: merged.filter(({ token }) => token <= reached), end: { kind: ERC20, token: reached, tokenId: NO_TOKEN_ID } };
  };
}

/** Steps per stretch. Anyone can make lying tokens, and send an address tokens that it never asked for. */
const MOST_LEAPS = 1024;

/**
 * Lying tokens that the holder ever held, after `after` and before `end`. Each of the two lists is read from where the other one continues,
 * so the cost is that of the shorter one: other people's lying tokens cost no more than what the holder held.
 * @returns `reached`: how far was read; undefined: to the end
 */
async function heldLiars(
  holder: Address,
  after: Address | undefined,
  end: Address | undefined,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<{ readonly tokens: readonly Address[]; readonly reached: Address | undefined }> {
  const tokens: Address[] = [];
  const until = end === undefined ? {} : { until: { token: end } };
  let start: object = after === undefined ? {} : { after: { token: after } };
  let reached = after;
  for (let leap = 0; leap < MOST_LEAPS; leap++) {
    const [liar] = await reader.scan(evmLyingTokens, { prefix: { chain }, ...start, ...until, limit: 1 });
    if (liar === undefined) return { tokens, reached: undefined };
    const { token } = liar.key;
    const [held] = await reader.scan(evmBalances, { prefix: { chain, holder, kind: ERC20 }, from: { token }, ...until, limit: 1 });
    if (held === undefined) return { tokens, reached: undefined };
    if (held.key.token === token) tokens.push(token);
    start = held.key.token === token ? { after: { token } } : { from: { token: held.key.token } };
    reached = token;
  }
  return { tokens, reached };
}

/** Everything that was held until a past height, including balances of zero. @param token only of this contract */
export function pastHoldings(
  holder: Address,
  kind: typeof ERC20 | typeof ERC1155,
  height: bigint,
  token: Address | undefined,
  { reader, evmChain: { chain } }: EvmReading,
): HoldingSource {
  return async (after, limit) => {
    const holdings: Holding[] = [];
    let left = limit;
    for await (const { balance, ...place } of pastBalances(reader, { chain, holder, kind }, height, { token, after })) {
      if (balance !== undefined) holdings.push({ kind, ...place, balance });
      if (--left === 0) return { holdings, end: { kind, ...place } };
    }
    return { holdings, end: undefined };
  };
}

/** ERC-20 holdings of these contracts, held or not. @param height undefined: now */
export function namedErc20(holder: Address, tokens: readonly Address[], height: bigint | undefined, context: EvmReading): HoldingSource {
  const sorted = [...tokens].sort();
  const { reader, evmChain } = context;
  const owner = { chain: evmChain.chain, holder, kind: ERC20 } as const;
  return async (after, limit) => {
    const left = after === undefined ? sorted : sorted.filter((token) => token > after.token);
    const named = left.slice(0, limit).map((token) => ({ token, tokenId: NO_TOKEN_ID }));
    const balances =
      height === undefined
        ? (
            await reader.getMany(
              evmHoldings,
              named.map((place) => ({ ...owner, ...place })),
            )
          ).map((row) => row?.balance)
        : await Promise.all(named.map((place) => balanceAt(reader, owner, place, height)));
    const holdings = named.map((place, i) => ({ kind: ERC20 as TransferKind, ...place, balance: balances[i] ?? 0n }));
    return { holdings, end: left.length <= limit ? undefined : holdings.at(-1) };
  };
}
