/** Lists of UTXOs: what the GET and the POST route share. */

import Type, { type Static } from "typebox";
import type { ShortId } from "../../../base/bytes/id.ts";
import { P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { readUtxoPage } from "../../../index/primary/utxos/utxo-reader.ts";
import type { ChainContext, Position } from "../context.ts";
import { badRequest } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { chainInfo, chainInfoSchema, chainNameOf } from "../network-labels.ts";
import { pageOf, sortQuery } from "../paging.ts";
import { leastWhole, minAmountQuery } from "./least-whole.ts";
import { presentAssetUtxos, presentPlatformUtxos, readUtxos } from "./present.ts";
import { platformUtxoSchema, utxoSchema } from "./schemas.ts";

export const utxoFilters = {
  assetId: Type.Optional(cb58Id("UTXOs of this asset. On the X-chain only: the others refuse it")),
  ...minAmountQuery,
  includeSpent: Type.Optional(Type.Boolean({ description: "Include spent UTXOs." })),
  sortBy: Type.Optional(
    Type.Union([Type.Literal("timestamp"), Type.Literal("amount")], { description: "By time of creation when absent." }),
  ),
  ...sortQuery,
};

const utxoQuery = Type.Object({ ...utxoFilters, pageSize: Type.Integer() });

export const utxoPage = Type.Union([
  pageOf({ utxos: Type.Array(platformUtxoSchema), chainInfo: chainInfoSchema }, "ListPChainUtxosResponse"),
  pageOf({ utxos: Type.Array(utxoSchema), chainInfo: chainInfoSchema }, "ListUtxosResponse"),
]);

export const UTXO_RULES =
  "UTXOs of the addresses on the chain of the path, each once: those created there, and those that another chain exported to it or that it " +
  "exported itself, in the form of this chain. A UTXO of several owners is shown if the request names enough of them to spend it (node RPC " +
  "shows it to each of them). Staked outputs are listed while they are staked. Without addresses: all UTXOs of the chain, including those " +
  "without owners. Equal times or amounts are in order of `utxoId` (its bytes). By time with `minUtxoAmount`, a page may have fewer UTXOs " +
  "than `pageSize`, even none, if thousands in a row are too small: only a page without `nextPageToken` is the last.";

export const UTXO_COST =
  "O(pageSize + R) rows. R is the number of key ranges that are merged: owner groups of the addresses, times 2 for spent and unspent, times 2 on " +
  "the X-chain without assetId, times the classes of amounts (powers of two) that occur if sorted by time with minUtxoAmount or without " +
  "addresses. In the class of minUtxoAmount itself, at most 1,024 rows are sorted or 4,096 too small ones skipped; then a page ends early. " +
  "An owner group that has had 33 to 768 UTXOs has no order by amount: with sortBy=amount or minUtxoAmount, all of them are read";

export async function listUtxos(
  query: Static<typeof utxoQuery>,
  owners: readonly ShortId[] | undefined,
  context: ChainContext,
): Promise<Static<typeof utxoPage>> {
  const { chain, reader, network } = context;
  const { sortBy = "timestamp", pageSize, minUtxoAmount = "0", includeSpent = false } = query;
  const page = await readUtxoPage(reader, network, {
    chain,
    owners,
    assetId: query.assetId === undefined ? undefined : assetOf(query.assetId, context),
    minAmount: leastWhole(minUtxoAmount),
    includeSpent,
    sortBy,
    isDescending: query.sortOrder === "desc",
    after: context.after && positionOf(context.after),
    limit: pageSize,
  });
  const utxos = await readUtxos(
    page.utxos.map(({ utxoId }) => utxoId),
    context,
  );
  const next = context.nextPage(page.next && { ...page.next });
  if (chain === P_CHAIN) return { ...next, utxos: await presentPlatformUtxos(utxos, context), chainInfo: chainInfo(context) };
  return { ...next, utxos: await presentAssetUtxos(utxos, context), chainInfo: chainInfo(context) };
}

function assetOf(assetId: string, { chain }: Pick<ChainContext, "chain">) {
  if (chain === X_CHAIN) return parseIdParam("assetId", assetId);
  throw badRequest(`assetId selects UTXOs of the x-chain; those of the ${chainNameOf(chain)} are not listed by asset: leave it out`);
}

function positionOf({ rank, utxoId }: Position) {
  return { rank: rank as bigint, utxoId: utxoId as string };
}
