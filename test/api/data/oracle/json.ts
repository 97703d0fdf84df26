/** The form of UTXOs and amounts in answers (reference 4.1–4.4, 8.2, 8.3). */

import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { keccak256, sha256 } from "../../../../src/base/bytes/hash.ts";
import type { Id, ShortId } from "../../../../src/base/bytes/id.ts";
import { recoverPublicKey } from "../../../../src/base/signatures/secp256k1.ts";
import type { SignedTx as AssetTx } from "../../../../src/chains/asset/tx/registry.ts";
import type { AtomicTx } from "../../../../src/chains/atomic/tx.ts";
import type { Chain, HappenedTx, History, Utxo } from "./history.ts";
import { isThere } from "./stakers.ts";

export const CHAIN_NAMES = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

export function chainIdOf({ network }: History, chain: Chain): string {
  const zero = "0".repeat(64);
  return formatId({ P: zero, X: network.xChainId, C: network.cChainId }[chain]);
}

export function addressesOf({ network }: History, addresses: readonly ShortId[]): string[] {
  return addresses.map((address) => encodeBech32(network.hrp, address));
}

/** Without members that are undefined. */
export function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

export function isNft({ kind }: Utxo): boolean {
  return kind.startsWith("nft.");
}

/** An asset whose transaction the recording lacks has no name. */
export function assetAmount(history: History, assetId: Id, amount: bigint, { nft = false } = {}) {
  const { name = "", symbol = "", denomination = 0 } = history.assets.find((asset) => asset.assetId === assetId) ?? {};
  return { assetId: formatId(assetId), name, symbol, denomination, type: nft ? "nft" : "secp256k1", amount: `${amount}` };
}

/** Sums by asset, without those that are 0. */
export function sumByAsset(history: History, utxos: readonly Utxo[]) {
  const sums = new Map<string, { assetId: Id; nft: boolean; amount: bigint }>();
  for (const utxo of utxos) {
    const nft = isNft(utxo);
    const sum = sums.get(`${utxo.assetId}${nft}`) ?? { assetId: utxo.assetId, nft, amount: 0n };
    sum.amount += utxo.amount;
    sums.set(`${utxo.assetId}${nft}`, sum);
  }
  return [...sums.values()]
    .filter(({ amount }) => amount > 0n)
    .map(({ assetId, nft, amount }) => assetAmount(history, assetId, amount, { nft }));
}

export interface UtxoJsonOptions {
  /** views of transactions say what a reward is, and leave out the bytes */
  readonly inTx?: boolean;
}

/** In the form of the chain that is asked, whatever chain made it. */
export function utxoJson(history: History, utxo: Utxo, chain: Chain, options: UtxoJsonOptions = {}) {
  return chain === "P" ? platformForm(history, utxo, options) : assetForm(history, utxo, options);
}

function common(history: History, utxo: Utxo, { inTx = false }: UtxoJsonOptions) {
  const checksum = sha256(utxo.bytes).subarray(-4);
  return {
    addresses: addressesOf(history, utxo.addresses),
    asset: assetAmount(history, utxo.assetId, utxo.amount, { nft: isNft(utxo) }),
    createdOnChainId: chainIdOf(history, utxo.createdOn),
    consumedOnChainId: chainIdOf(history, utxo.consumedOn),
    utxoId: formatId(utxo.utxoId),
    utxoBytes: inTx ? undefined : `0x${Buffer.concat([utxo.bytes, checksum]).toString("hex")}`,
    threshold: utxo.threshold,
    consumingTxHash: utxo.spent && formatId(utxo.spent.tx.txId),
  };
}

function platformForm(history: History, utxo: Utxo, options: UtxoJsonOptions) {
  const { staker, spent, createdOn, consumedOn, reward } = utxo;
  const staked = staker !== undefined && isThere(staker);
  return present({
    ...common(history, utxo, options),
    amount: `${utxo.amount}`,
    assetId: formatId(utxo.assetId),
    blockNumber: `${utxo.height}`,
    blockTimestamp: Number(utxo.time),
    consumingBlockNumber: spent && `${spent.tx.height}`,
    consumingBlockTimestamp: spent && Number(spent.tx.time),
    platformLocktime: utxo.locktime > 0 || createdOn === consumedOn ? Number(utxo.locktime) : undefined,
    outputIndex: utxo.outputIndex,
    rewardType: options.inTx ? reward : undefined,
    stakeableLocktime: utxo.stakeableLocktime === undefined ? undefined : Number(utxo.stakeableLocktime),
    staked,
    utxoStartTimestamp: staked ? Number(staker.tx.time) : undefined,
    utxoEndTimestamp: staked ? Number(staker.end) : undefined,
    txHash: formatId(utxo.txId),
    utxoType: utxo.stakeableLocktime === undefined ? "TRANSFER" : "STAKE",
  });
}

const TYPES: Readonly<Record<string, string>> = {
  TransferOutput: "transfer",
  LockOut: "transfer",
  "secp256k1.TransferOutput": "transfer",
  "secp256k1.MintOutput": "mint",
  "nft.TransferOutput": "nft transfer",
  "nft.MintOutput": "nft mint",
  "property.MintOutput": "property mint",
  "property.OwnedOutput": "property owned",
};

function assetForm(history: History, utxo: Utxo, options: UtxoJsonOptions) {
  const { spent, nft } = utxo;
  return present({
    ...common(history, utxo, options),
    consumingTxTimestamp: spent && Number(spent.tx.time),
    creationTxHash: formatId(utxo.txId),
    credentials: spent && credentialsOf(spent.tx, spent.inputIndex),
    groupId: nft?.groupId,
    payload: nft?.payload && Buffer.from(nft.payload).toString("hex"),
    locktime: Number(utxo.locktime),
    outputIndex: `${utxo.outputIndex}`,
    timestamp: Number(utxo.time),
    utxoType: TYPES[utxo.kind],
  });
}

/** Recovering a key is slow. */
const knownCredentials = new WeakMap<HappenedTx, ReturnType<typeof recoverCredentials>[]>();

/** Of an input: signatures, and the keys that made them. */
export function credentialsOf(tx: HappenedTx, inputIndex: number) {
  const known = knownCredentials.get(tx) ?? [];
  knownCredentials.set(tx, known);
  known[inputIndex] ??= recoverCredentials(tx, inputIndex);
  return known[inputIndex];
}

function recoverCredentials({ tx }: HappenedTx, inputIndex: number) {
  const { signatures } = tx.credentials[inputIndex] as unknown as { signatures: readonly (Uint8Array | string)[] };
  const digest = sha256((tx as AssetTx | AtomicTx).unsignedBytes);
  return signatures.map((signature) => {
    const bytes = typeof signature === "string" ? Buffer.from(signature, "hex") : signature;
    return { signature: base64(bytes), publicKey: base64(recoverPublicKey(digest, bytes)) };
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

/** EIP-55. */
export function checksummed(address: ShortId): string {
  const hash = keccak256(Buffer.from(address, "ascii")).toString("hex");
  return `0x${[...address].map((digit, i) => (hash.charAt(i) >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

/** A manager of an L1: mostly an EVM contract. */
export function contractText(address: Uint8Array): string {
  const hex = Buffer.from(address).toString("hex");
  return address.length === 20 ? checksummed(hex) : `0x${hex}`;
}
