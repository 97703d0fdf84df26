/** Lists of UTXOs: what the GET and the POST route have in common. */
import Type, { type Static } from "typebox";
import { P_CHAIN, X_CHAIN } from "../../index/primary/primary-chain.ts";
import { readUtxoPage } from "../../index/primary/utxo-reader.ts";
import type { ShortId } from "../../primitives/id.ts";
import { chainInfo, chainInfoSchema } from "../chain-info.ts";
import type { DataContext, Position } from "../context.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { pageOf, sortQuery } from "../paging.ts";
import { AMOUNT_TEXT, leastWhole } from "./least-whole.ts";
import { presentAssetUtxos, presentPlatformUtxos, readUtxos } from "./present.ts";
import { platformUtxoSchema, utxoSchema } from "./schemas.ts";

export const utxoFilters = {
  assetId: Type.Optional(cb58Id("UTXOs of this asset. On the X-chain only: the others ignore it")),
  // a text, so that amounts beyond 2^53 are exact
  minUtxoAmount: Type.Optional(
    Type.String({
      title: "a number from 0 on",
      pattern: AMOUNT_TEXT.source,
      description: "The least amount of a UTXO: a number from 0 on, in its asset's smallest unit. 0 when absent.",
    }),
  ),
  includeSpent: Type.Optional(Type.Boolean({ description: "Spent UTXOs too." })),
  sortBy: Type.Optional(
    Type.Union([Type.Literal("timestamp"), Type.Literal("amount")], { description: "By time of creation when absent." }),
  ),
  ...sortQuery,
};

const utxoQuery = Type.Object({ ...utxoFilters, pageSize: Type.Integer() });

export const utxoPage = Type.Union([
  pageOf({ utxos: Type.Array(platformUtxoSchema), chainInfo: chainInfoSchema }),
  pageOf({ utxos: Type.Array(utxoSchema), chainInfo: chainInfoSchema }),
]);

export const UTXO_RULES =
  "UTXOs of the addresses on the chain of the path, each once: those made there, and those that another chain exported to it or that it " +
  "exported itself, in the form of this chain. A UTXO of several owners is shown if as many of them are asked for as it takes to spend it " +
  "(node RPC shows it to each of them). Staked outputs are listed while they are staked. Without addresses: all UTXOs of the chain, those " +
  "without owners too. Equal times or amounts are in order of `utxoId` (its bytes). By time with `minUtxoAmount`, a page may hold fewer " +
  "UTXOs than fit, even none, where thousands in a row are too small: only a page without `nextPageToken` is the last.";

export const UTXO_COST =
  "O(pageSize + R) rows, R the key ranges that are merged: owner groups of the addresses, times 2 for spent and unspent, times 2 on the " +
  "X-chain without assetId; times the classes of amounts (powers of two) that occur under order of time with minUtxoAmount or without " +
  "addresses. Of the class of minUtxoAmount itself at most 1,024 rows are sorted, or at most 4,096 that are too small passed over: a page may end early";

export async function listUtxos(
  query: Static<typeof utxoQuery>,
  owners: readonly ShortId[] | undefined,
  context: DataContext,
): Promise<Static<typeof utxoPage>> {
  const { chain, reader, network } = context;
  const { sortBy = "timestamp", pageSize, minUtxoAmount = "0", includeSpent = false } = query;
  const page = await readUtxoPage(reader, network, {
    chain,
    owners,
    assetId: query.assetId === undefined || chain !== X_CHAIN ? undefined : parseIdParam("assetId", query.assetId),
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

function positionOf({ rank, utxoId }: Position) {
  return { rank: rank as bigint, utxoId: utxoId as string };
}
