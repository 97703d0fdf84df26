/** Reads the tokens of a chain with their sums. */

import { ERC20, ERC721, ERC1155, type TransferKind } from "../../../../evm/facts.ts";
import { NO_TOTALS } from "../../../../evm/index/holder-rows.ts";
import { evmTokenTotals } from "../../../../evm/index/holder-tables.ts";
import { evmContracts, evmTokens, evmTransactions } from "../../../../evm/index/tables.ts";
import { evmTokenChecks } from "../../../../evm/index/token-tables.ts";
import { DIFFERS, NO_SUCH_TOKEN } from "../../../../evm/tokens/balance-samples.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { notFound } from "../../errors.ts";
import { presentCreation } from "../contracts/present-contract.ts";
import { type EvmReading, formatAddress, Tokens } from "../present-token.ts";
import type { ChainToken, TokenType } from "./schemas.ts";

const TYPE_OF: Readonly<Record<TransferKind, TokenType>> = { [ERC20]: "ERC-20", [ERC721]: "ERC-721", [ERC1155]: "ERC-1155" };

export interface KnownToken {
  readonly token: Address;
  readonly kind: TransferKind;
  /** height of its first log */
  readonly height: bigint;
  /** whether transfers determine its balances */
  readonly isExact: boolean;
}

/** Throws 404. Costs two rows. */
export async function knownToken(token: Address, context: EvmReading): Promise<KnownToken> {
  const [known] = await knownTokens([token], context);
  if (known !== undefined) return known;
  throw notFound(
    `${formatAddress(token)} is not known as a token on chain ${context.evmChain.evmChainId}; tokens are known from their first transfer on`,
  );
}

/** Those that are tokens. Costs two rows for each. */
export async function knownTokens(tokens: readonly Address[], { reader, evmChain }: EvmReading): Promise<KnownToken[]> {
  const keys = tokens.map((token) => ({ chain: evmChain.chain, token }));
  const [rows, checks] = await Promise.all([reader.getMany(evmTokens, keys), reader.getMany(evmTokenChecks, keys)]);
  return tokens.flatMap((token, i) => {
    const row = rows[i];
    const verdict = checks[i]?.verdict;
    if (row === undefined || row.kind === 0 || verdict === NO_SUCH_TOKEN) return [];
    // an index that begins at a later block misses earlier transfers
    const isExact = verdict !== DIFFERS && !row.hasDebts && evmChain.settings.startBlock === 0n;
    return [{ token, kind: row.kind as TransferKind, height: row.height, isExact }];
  });
}

/** In the order of the list. Costs four rows for each. */
export async function presentTokens(known: readonly KnownToken[], context: EvmReading): Promise<ChainToken[]> {
  const { reader, evmChain } = context;
  const { chain } = evmChain;
  const addresses = known.map(({ token }) => token);
  const [totals, creations, tokens] = await Promise.all([
    reader.getMany(
      evmTokenTotals,
      addresses.map((token) => ({ chain, token })),
    ),
    reader.getMany(
      evmContracts,
      addresses.map((contract) => ({ chain, contract })),
    ),
    Tokens.read({ addresses }, context),
  ]);
  const created = creations.filter((creation) => creation !== undefined);
  const transactions = await reader.getMany(
    evmTransactions,
    created.map(({ height, index }) => ({ chain, height, index })),
  );
  const hashes = new Map(created.map((creation, i) => [creation, transactions[i]?.hash]));
  return known.map(({ token, kind, height, isExact }, i): ChainToken => {
    const { name, symbol, decimals, logoUri, price, tokenReputation } = tokens.erc20(token);
    const sums = totals[i] ?? NO_TOTALS;
    const creation = creations[i];
    const hash = creation && hashes.get(creation);
    return {
      address: formatAddress(token),
      ercType: TYPE_OF[kind],
      name,
      symbol,
      ...(kind === ERC20 && { decimals }),
      ...(logoUri !== undefined && { logoUri }),
      ...(kind === ERC20 && price && { price }),
      tokenReputation,
      supply: `${{ [ERC20]: sums.supply, [ERC721]: sums.nfts, [ERC1155]: sums.units }[kind]}`,
      ...(kind !== ERC1155 && { holderCount: Number(kind === ERC20 ? sums.holders : sums.owners) }),
      transferCount: Number(sums.transfers),
      isExact,
      firstBlockNumber: `${height}`,
      ...(creation !== undefined && hash !== undefined && { deploymentDetails: presentCreation(creation, hash) }),
    };
  });
}

export function typeOf({ kind }: KnownToken): TokenType {
  return TYPE_OF[kind];
}
