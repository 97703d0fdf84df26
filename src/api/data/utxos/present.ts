/** Presents UTXOs from their records. The requested chain decides the form, not the chain that created the UTXO. */

import Type from "typebox";
import { encodeBech32 } from "../../../base/bytes/address.ts";
import { formatId } from "../../../base/bytes/cb58.ts";
import { encodeHexChecksummed, utf8 } from "../../../base/bytes/hex.ts";
import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import { mapInTurns } from "../../../base/work/work.ts";
import { assets } from "../../../chains/asset/tables.ts";
import { chainIdOf, P_CHAIN, type PrimaryChain } from "../../../index/primary/primary-chain.ts";
import type { AffectedUtxo } from "../../../index/primary/transactions/tx-effects.ts";
import { decodeOutput, isNft, type UtxoBody } from "../../../index/primary/utxos/utxo-codec.ts";
import { DELEGATOR_REWARD, utxoRecords, VALIDATOR_FEE_REWARD, VALIDATOR_REWARD } from "../../../index/primary/utxos/utxo-tables.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { type Credential, credentialsOf } from "./credentials.ts";
import type { PlatformUtxo, Utxo } from "./schemas.ts";
import { type AssetAmount, members } from "./schemas.ts";

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

interface PresentOptions {
  /** transactions show the kind of a reward, and leave out the bytes */
  readonly inTx?: boolean;
}

type PresentContext = Pick<DataContext, "reader" | "network" | "work">;
type Described = Awaited<ReturnType<typeof describeAssets>>;

export async function presentPlatformUtxos(
  utxos: readonly AffectedUtxo[],
  context: PresentContext,
  options: PresentOptions = {},
): Promise<PlatformUtxo[]> {
  const { described, bodies } = await describe(utxos, context);
  return mapInTurns(context.work, utxos.entries(), ([i, utxo]) => platformForm(utxo, bodies[i]!, described, context.network, options));
}

export async function presentAssetUtxos(
  utxos: readonly AffectedUtxo[],
  context: PresentContext,
  options: PresentOptions = {},
): Promise<Utxo[]> {
  const { described, bodies } = await describe(utxos, context);
  const credentials = await credentialsOf(
    utxos.map(({ record }) => record.spent),
    context,
  );
  return mapInTurns(context.work, utxos.entries(), ([i, utxo]) =>
    assetForm(utxo, bodies[i]!, described, credentials[i], context.network, options),
  );
}

/** In the form of the chain in the path. */
export function presentUtxos(
  utxos: readonly AffectedUtxo[],
  chainForm: PrimaryChain,
  context: PresentContext,
  options: PresentOptions = {},
): Promise<PlatformUtxo[] | Utxo[]> {
  return chainForm === P_CHAIN ? presentPlatformUtxos(utxos, context, options) : presentAssetUtxos(utxos, context, options);
}

async function describe(utxos: readonly AffectedUtxo[], context: PresentContext): Promise<{ described: Described; bodies: UtxoBody[] }> {
  const bodies = await mapInTurns(context.work, utxos, ({ record }) => decodeOutput(record, context.network));
  const described = await describeAssets(
    bodies.map(({ assetId }) => assetId),
    context,
  );
  return { described, bodies };
}

const REWARD_TYPES: Readonly<Record<number, NonNullable<PlatformUtxo["rewardType"]>>> = {
  [VALIDATOR_REWARD]: "VALIDATOR",
  [DELEGATOR_REWARD]: "DELEGATOR",
  [VALIDATOR_FEE_REWARD]: "VALIDATOR_FEE",
};

function platformForm(
  { utxoId, record }: AffectedUtxo,
  body: UtxoBody,
  described: Described,
  network: DataContext["network"],
  { inTx = false }: PresentOptions,
): PlatformUtxo {
  const { createdOn, consumedOn, spent, stake } = record;
  const isStaked = stake?.isActive ?? false;
  const rewardType = inTx ? REWARD_TYPES[record.reward] : undefined;
  const asset = presentAmount({ assetId: body.assetId, isNft: isNft(body), amount: body.amount }, described);
  const form: Mutable<PlatformUtxo> = {
    utxoId: formatId(utxoId),
    addresses: addressesOf(body, network),
    asset,
    createdOnChainId: chainIdText(createdOn, network),
    consumedOnChainId: chainIdText(consumedOn, network),
    threshold: body.threshold,
    txHash: formatId(body.txId),
    outputIndex: body.outputIndex,
    assetId: asset.assetId,
    amount: asset.amount,
    utxoType: body.stakeableLocktime === undefined ? "TRANSFER" : "STAKE",
    blockNumber: `${record.height}`,
    blockTimestamp: Number(record.timestamp),
    staked: isStaked,
  };
  setShared(form, record, inTx);
  // If the UTXO crosses chains, a locktime of 0 is left out: wallets can rebuild the output without it.
  if (body.locktime > 0 || (createdOn === P_CHAIN && consumedOn === P_CHAIN)) form.platformLocktime = body.locktime;
  if (body.stakeableLocktime !== undefined) form.stakeableLocktime = body.stakeableLocktime;
  if (spent) {
    form.consumingBlockNumber = `${spent.height}`;
    form.consumingBlockTimestamp = Number(spent.timestamp);
  }
  if (isStaked && stake) {
    form.utxoStartTimestamp = Number(stake.start);
    form.utxoEndTimestamp = Number(stake.end);
  }
  if (rewardType) form.rewardType = rewardType;
  return form;
}

function assetForm(
  { utxoId, record }: AffectedUtxo,
  body: UtxoBody,
  described: Described,
  credentials: readonly Credential[] | undefined,
  network: DataContext["network"],
  { inTx = false }: PresentOptions,
): Utxo {
  const form: Mutable<Utxo> = {
    utxoId: formatId(utxoId),
    addresses: addressesOf(body, network),
    asset: presentAmount({ assetId: body.assetId, isNft: isNft(body), amount: body.amount }, described),
    createdOnChainId: chainIdText(record.createdOn, network),
    consumedOnChainId: chainIdText(record.consumedOn, network),
    threshold: body.threshold,
    creationTxHash: formatId(body.txId),
    outputIndex: `${body.outputIndex}`,
    locktime: body.locktime,
    timestamp: Number(record.timestamp),
    utxoType: body.kind,
  };
  setShared(form, record, inTx);
  if (record.spent) form.consumingTxTimestamp = Number(record.spent.timestamp);
  if (credentials) form.credentials = [...credentials];
  if (body.nft) form.groupId = body.nft.groupId;
  if (body.nft?.payload) form.payload = Buffer.from(body.nft.payload).toString("hex");
  return form;
}

/**
 * The members that every UTXO has are written as one literal, and those that may be missing are set one by one: a spread makes each member
 * after it several times as slow.
 */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Sets the members that both forms have and that may be missing. */
function setShared(form: Mutable<PlatformUtxo | Utxo>, { bytes, spent }: AffectedUtxo["record"], inTx: boolean): void {
  if (!inTx) form.utxoBytes = utxoBytes(bytes);
  if (spent && spent.txId !== EMPTY_ID) form.consumingTxHash = formatId(spent.txId);
}

function addressesOf(body: UtxoBody, network: DataContext["network"]): string[] {
  return body.addresses.map((address) => encodeBech32(network.hrp, address));
}

function chainIdText(chain: number, network: DataContext["network"]): string {
  return formatId(chainIdOf(chain as PrimaryChain, network));
}

const CODEC_VERSION = Buffer.alloc(2);

/** As the node's RPC encodes it: with codec version and checksum. */
function utxoBytes(bytes: Uint8Array): string {
  return encodeHexChecksummed(Buffer.concat([CODEC_VERSION, bytes]));
}

/** Reads the records of UTXOs, in the order of the IDs; unknown ones are left out. */
export async function readUtxos(utxoIds: readonly Id[], { reader }: Pick<DataContext, "reader">): Promise<AffectedUtxo[]> {
  const records = await reader.getMany(
    utxoRecords,
    utxoIds.map((utxoId) => ({ utxoId })),
  );
  return utxoIds.map((utxoId, i) => ({ utxoId, record: records[i]! }));
}
