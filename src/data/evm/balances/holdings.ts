/** What an address holds, in order of kind, contract and token ID: now from its holdings, at a past height from what they were. */
import type { Address } from "../../../evm/block.ts";
import { ERC20, type ERC1155, type TransferKind } from "../../../evm/facts.ts";
import { NO_TOKEN_ID } from "../../../index/evm/holding-rows.ts";
import { balanceAt, pastBalances } from "../../../index/evm/past-balances.ts";
import { evmBalances, evmHoldings } from "../../../index/evm/tables.ts";
import { evmLyingTokens } from "../../../index/evm/token-tables.ts";
import type { Position } from "../../context.ts";
import type { EvmReading } from "../present-token.ts";

export interface HoldingKey {
  readonly kind: TransferKind;
  readonly token: Address;
  /** 64 digits */
  readonly tokenId: string;
}

export interface Holding extends HoldingKey {
  /** as transfers have it: zero or below only where they do not tell all */
  readonly balance: bigint;
}

export interface Stretch {
  readonly holdings: readonly Holding[];
  /** nothing lies behind it */
  readonly isLast: boolean;
}

/** The next `limit` holdings or more, behind a position. */
export type HoldingSource = (after: HoldingKey | undefined, limit: number) => Promise<Stretch>;

export function positionOf({ kind, token, tokenId }: HoldingKey): Position {
  return { kind, token, tokenId };
}

export function holdingKeyOf(position: Position | undefined): HoldingKey | undefined {
  if (position === undefined) return undefined;
  return { kind: Number(position.kind) as TransferKind, token: String(position.token), tokenId: String(position.tokenId) };
}

/** Of these kinds, which ascend. @param token only of this contract */
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
      if (holdings.length === limit) return { holdings, isLast: false };
    }
    return { holdings, isLast: true };
  };
}

/** ERC-20 now: also tokens that lie and that the address ever held, whatever their transfers sum up to. */
export function currentErc20(holder: Address, context: EvmReading): HoldingSource {
  const { reader, evmChain } = context;
  const recorded = currentHoldings(holder, [ERC20], undefined, context);
  return async (after, limit) => {
    const { holdings, isLast } = await recorded(after, limit);
    const end = isLast ? undefined : holdings.at(-1)!.token;
    const known = new Set(holdings.map(({ token }) => token));
    const added: Holding[] = [];
    for (const token of await lyingTokens(after?.token, end, context)) {
      if (known.has(token)) continue;
      const prefix = { chain: evmChain.chain, holder, kind: ERC20, token };
      const rows = await reader.scan(evmBalances, { prefix, limit: 1 });
      if (rows.length > 0) added.push({ kind: ERC20, token, tokenId: NO_TOKEN_ID, balance: 0n });
    }
    if (added.length === 0) return { holdings, isLast };
    return { holdings: [...holdings, ...added].sort((a, b) => (a.token < b.token ? -1 : 1)), isLast };
  };
}

const LYING_TOKENS_READ = 1000;

/** Behind `after`, before `end`. */
async function lyingTokens(
  after: Address | undefined,
  end: Address | undefined,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<Address[]> {
  const tokens: Address[] = [];
  for (let behind = after; ; behind = tokens.at(-1)) {
    const rows = await reader.scan(evmLyingTokens, {
      prefix: { chain },
      ...(behind !== undefined && { after: { token: behind } }),
      ...(end !== undefined && { until: { token: end } }),
      limit: LYING_TOKENS_READ,
    });
    for (const { key } of rows) tokens.push(key.token);
    if (rows.length < LYING_TOKENS_READ) return tokens;
  }
}

/** At a past height: all that was ever held until then, zero included. @param token only of this contract */
export function pastHoldings(
  holder: Address,
  kind: typeof ERC20 | typeof ERC1155,
  height: bigint,
  token: Address | undefined,
  { reader, evmChain: { chain } }: EvmReading,
): HoldingSource {
  return async (after, limit) => {
    const holdings: Holding[] = [];
    for await (const past of pastBalances(reader, { chain, holder, kind }, height, { token, after })) {
      holdings.push({ kind, ...past });
      if (holdings.length === limit) return { holdings, isLast: false };
    }
    return { holdings, isLast: true };
  };
}

/** ERC-20 of these contracts, whether they are held or not. @param height undefined: now */
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
    return { holdings, isLast: left.length <= limit };
  };
}
