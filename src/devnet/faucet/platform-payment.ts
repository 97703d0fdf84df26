/** Payments on the P-chain. */

import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import type { Codec } from "../../base/codec/codec.ts";
import { signDigest } from "../../base/signatures/secp256k1.ts";
import { feeOf } from "../../chains/platform/fee.ts";
import { type TransferableInput, type TransferableOutput, utxo } from "../../chains/platform/output.ts";
import type { Credential } from "../../chains/platform/owner.ts";
import { type UnsignedTx, unsignedTx } from "../../chains/platform/tx/registry.ts";
import { assemble, type Signed } from "../../chains/platform/tx/signed.ts";
import { PLATFORM_UTXOS } from "../../index/tables.ts";
import { type Payer, type Selection, type SpendableUtxo, selectUtxos } from "./spendable.ts";

interface PlatformPayment {
  readonly to: ShortId;
  readonly amount: bigint;
  /** nAVAX; undefined before Etna */
  readonly gasPrice: bigint | undefined;
}

/** An unspent output of the payer alone. */
export interface SpendableInput {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  /** nAVAX */
  readonly amount: bigint;
}

/** What the payer exported from another chain to the P-chain. */
export interface Exported {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export async function payOnPlatform(payer: Payer, payment: PlatformPayment): Promise<Signed<UnsignedTx>> {
  const { store, network, owner, clock } = payer;
  const { dynamicFees, avaxAssetId: assetId } = network;
  const needed = (inputs: number) => payment.amount + feeOf(baseTx(payer, payment, sample(inputs, assetId)), payment.gasPrice, dynamicFees);
  const codec = utxo as unknown as Codec<SpendableUtxo>;
  const selection = await selectUtxos(store, { chain: PLATFORM_UTXOS, owner, assetId, clock, codec }, needed);
  const change = selection.total - needed(selection.utxos.length);
  return sign(payer, baseTx(payer, payment, selection, change), selection.utxos.length);
}

/** Pays out of what the payer exported from X, for eras without a transfer transaction. The rest is the fee. */
export function importOnPlatform({ network, key }: Payer, exported: Exported, { to, amount }: { to: ShortId; amount: bigint }) {
  const { networkId, avaxAssetId: assetId, xChainId: sourceChain } = network;
  const importedInputs = transferInputs([{ ...exported, assetId }]);
  const base = {
    networkId,
    blockchainId: PLATFORM_CHAIN_ID,
    outputs: [transferOutput(assetId, amount, to)],
    inputs: [],
    memo: new Uint8Array(),
  };
  return sign({ key }, { kind: "ImportTx", ...base, sourceChain, importedInputs }, 1);
}

function baseTx({ network, owner }: Payer, { to, amount }: PlatformPayment, { utxos }: Selection, change = 1n): UnsignedTx {
  const { networkId, avaxAssetId } = network;
  const outputs = [transferOutput(avaxAssetId, amount, to)];
  if (change > 0n) outputs.push(transferOutput(avaxAssetId, change, owner));
  outputs.sort((a, b) => compareOutputs(a, b));
  const inputs = transferInputs(utxos);
  return { kind: "BaseTx", networkId, blockchainId: PLATFORM_CHAIN_ID, outputs, inputs, memo: new Uint8Array() };
}

/** A selection with this many inputs, to compute its fee. */
function sample(count: number, assetId: Id): Selection {
  const one = { txId: assetId, outputIndex: 0, assetId, output: { kind: "TransferOutput" }, amount: 1n };
  return { utxos: new Array(count).fill(one), total: 0n };
}

function sign({ key }: Pick<Payer, "key">, unsigned: UnsignedTx, inputs: number): Signed<UnsignedTx> {
  const { digest } = assemble(unsignedTx, unsigned, []);
  const credential: Credential = { kind: "Credential", signatures: [signDigest(digest, key)] };
  return assemble(unsignedTx, unsigned, new Array(inputs).fill(credential));
}

export function transferOutput(assetId: Id, amount: bigint, to: ShortId): TransferableOutput {
  return { assetId, output: { kind: "TransferOutput", amount, locktime: 0n, threshold: 1, addresses: [to] } };
}

/** In the order in which a transaction has them. */
export function transferInputs(coins: readonly SpendableInput[]): TransferableInput[] {
  return coins.map(input).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function input({ txId, outputIndex, assetId, amount }: SpendableInput): TransferableInput {
  return { txId, outputIndex, assetId, input: { kind: "TransferInput", amount, signatureIndices: [0] } };
}

/** Orders outputs of one asset by their bytes. */
function compareOutputs(a: TransferableOutput, b: TransferableOutput): number {
  if (a.output.kind !== "TransferOutput" || b.output.kind !== "TransferOutput") return 0;
  if (a.output.amount !== b.output.amount) return a.output.amount < b.output.amount ? -1 : 1;
  return a.output.addresses[0]! < b.output.addresses[0]! ? -1 : 1;
}

function placeOf({ txId, outputIndex }: TransferableInput): string {
  return `${txId}${outputIndex.toString(16).padStart(8, "0")}`;
}
