/**
 * Amounts of assets in answers (data-api 4.2). Names come from the X-chain, where assets are created; an asset that the store lacks has
 * none.
 */
import Type, { type Static } from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { utf8 } from "../../../base/bytes/utf8.ts";
import { Recent } from "../../../base/collections/recent.ts";
import { assets } from "../../../chains/asset/tables.ts";
import { isNft, type UtxoBody } from "../../../index/primary/utxos/utxo-codec.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";

const members = {
  assetId: Type.String({ description: "cb58" }),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer({ description: "Decimal places of the asset: 9 for AVAX." }),
  type: Type.Union([Type.Literal("secp256k1"), Type.Literal("nft")]),
  amount: Type.String({ description: "In the smallest unit." }),
};

export const assetAmountSchema = namedObject("AssetAmount", members);
export type AssetAmount = Static<typeof assetAmountSchema>;

const balanceMembers = { ...members, utxoCount: Type.Integer({ description: "Number of UTXOs that make up the amount." }) };
export const aggregatedAmountSchema = namedObject("AggregatedAssetAmount", balanceMembers);
const shared = { sharedWithChainId: Type.String({ description: "The other chain." }) };
export const sharedAmountSchema = namedObject("SharedAssetBalance", { ...balanceMembers, ...shared });
export const platformSharedAmountSchema = namedObject("PChainSharedAsset", {
  ...balanceMembers,
  ...shared,
  status: Type.String({ description: "`pendingExport` to the other chain, or `pendingImport` from it." }),
});

/** The amount of an asset; its NFTs are counted apart. */
export interface AssetSum {
  readonly assetId: Id;
  readonly isNft: boolean;
  readonly amount: bigint;
}

interface Description {
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
}

const UNKNOWN: Description = { name: "", symbol: "", denomination: 0 };
const AVAX: Description = { name: "Avalanche", symbol: "AVAX", denomination: 9 };
const X_CHAIN_NUMBER = 0;

/** The ID of an asset is a hash over its description, so a description never changes, in any store. */
const known = new Recent<Id, Description>(10_000);

type AssetContext = Pick<DataContext, "reader" | "network">;

/** The descriptions of all these assets, in one read. */
export async function describeAssets(assetIds: Iterable<Id>, { reader, network }: AssetContext): Promise<ReadonlyMap<Id, Description>> {
  const found = new Map<Id, Description>();
  const missing: Id[] = [];
  for (const assetId of new Set(assetIds)) {
    const description = known.get(assetId);
    if (description === undefined) missing.push(assetId);
    else found.set(assetId, description);
  }
  if (missing.length === 0) return found;
  const rows = await reader.getMany(
    assets,
    missing.map((assetId) => ({ chain: X_CHAIN_NUMBER, assetId })),
  );
  for (const [i, row] of rows.entries()) {
    const assetId = missing[i]!;
    const description = row && { name: utf8(row.name), symbol: utf8(row.symbol), denomination: row.denomination };
    if (description !== undefined) known.set(assetId, description);
    found.set(assetId, description ?? (assetId === network.avaxAssetId ? AVAX : UNKNOWN));
  }
  return found;
}

export function presentAmount({ assetId, isNft: nft, amount }: AssetSum, descriptions: ReadonlyMap<Id, Description>): AssetAmount {
  const { name, symbol, denomination } = descriptions.get(assetId) ?? UNKNOWN;
  return { assetId: formatId(assetId), name, symbol, denomination, type: nft ? "nft" : "secp256k1", amount: `${amount}` };
}

export async function assetAmount(assetId: Id, amount: bigint, context: AssetContext): Promise<AssetAmount> {
  const sum = { assetId, isNft: false, amount };
  return presentAmount(sum, await describeAssets([assetId], context));
}

export async function assetAmounts(sums: readonly AssetSum[], context: AssetContext): Promise<AssetAmount[]> {
  const descriptions = await describeAssets(
    sums.map(({ assetId }) => assetId),
    context,
  );
  return sums.map((sum) => presentAmount(sum, descriptions));
}

/** Sums by asset in order of first appearance, without those that are 0. */
export function sumByAsset(utxos: readonly Pick<UtxoBody, "assetId" | "kind" | "amount">[]): AssetSum[] {
  const sums = new Map<string, AssetSum>();
  for (const utxo of utxos) {
    const sum = { assetId: utxo.assetId, isNft: isNft(utxo), amount: utxo.amount };
    const name = `${sum.assetId}${sum.isNft}`;
    sums.set(name, { ...sum, amount: sum.amount + (sums.get(name)?.amount ?? 0n) });
  }
  return [...sums.values()].filter(({ amount }) => amount > 0n);
}
