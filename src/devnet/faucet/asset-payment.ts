/** Payments on the X-chain. */

import { sha256 } from "../../base/bytes/hash.ts";
import { PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import { type Codec, encodeVersioned } from "../../base/codec/codec.ts";
import { signDigest } from "../../base/signatures/secp256k1.ts";
import { type AssetCodec, assetCodec } from "../../chains/asset/codec.ts";
import type { FxBody } from "../../chains/asset/fx/fx.ts";
import { assetChains } from "../../chains/asset/tables.ts";
import type { TransferableInput, TransferableOutput } from "../../chains/asset/transfer.ts";
import type { SignedTx, UnsignedTx } from "../../chains/asset/tx/registry.ts";
import type { Exported } from "./platform-payment.ts";
import { type Payer, type Selection, type SpendableUtxo, selectUtxos } from "./spendable.ts";

/** The X-chain's number among asset chains. */
const X_CHAIN = 0;

export async function payOnAsset(payer: Payer, { to, amount }: { to: ShortId; amount: bigint }): Promise<SignedTx> {
  const { codec, selection, change } = await select(payer, amount);
  const outputs = [...change, output(payer, amount, to)].sort(compareOutputs);
  return sign(payer, codec, { kind: "BaseTx", ...base(payer, selection), outputs });
}

/** Exports to the payer's own address on the P-chain. */
export async function exportFromAsset(payer: Payer, amount: bigint): Promise<{ tx: SignedTx; exported: Exported }> {
  const { codec, selection, change } = await select(payer, amount);
  const exportedOutputs = [output(payer, amount, payer.owner)];
  const unsigned: UnsignedTx = {
    kind: "ExportTx",
    ...base(payer, selection),
    outputs: change,
    destinationChain: PLATFORM_CHAIN_ID,
    exportedOutputs,
  };
  const tx = sign(payer, codec, unsigned);
  return { tx, exported: { txId: tx.id, outputIndex: change.length, amount } };
}

async function select({ store, network, owner, clock, ...payer }: Payer, amount: bigint) {
  const { avaxAssetId: assetId, txFee } = network;
  const { fxIds } = (await store.get(assetChains, { chain: X_CHAIN }))!;
  const codec = assetCodec(fxIds);
  const purse = { chain: X_CHAIN, owner, assetId, clock, codec: codec.utxo as unknown as Codec<SpendableUtxo> };
  const selection = await selectUtxos(store, purse, () => amount + txFee);
  const rest = selection.total - amount - txFee;
  return { codec, selection, change: rest > 0n ? [output({ store, network, owner, clock, ...payer }, rest, owner)] : [] };
}

function base({ network }: Payer, { utxos }: Selection) {
  const inputs = utxos
    .map(
      ({ txId, outputIndex, assetId, amount }): TransferableInput => ({
        txId,
        outputIndex,
        assetId,
        input: { kind: "secp256k1.TransferInput", amount, signatureIndices: [0] },
      }),
    )
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return { networkId: network.networkId, blockchainId: network.xChainId, inputs, memo: new Uint8Array() };
}

function sign({ key }: Payer, codec: AssetCodec, unsigned: UnsignedTx): SignedTx {
  const digest = sha256(encodeVersioned(codec.unsignedTx, unsigned));
  const credential = { kind: "secp256k1.Credential", signatures: [signDigest(digest, key)] } as unknown as FxBody;
  return codec.makeTx(unsigned, new Array(unsigned.inputs.length).fill(credential));
}

function output({ network }: Payer, amount: bigint, to: ShortId): TransferableOutput {
  return {
    assetId: network.avaxAssetId,
    output: { kind: "secp256k1.TransferOutput", amount, locktime: 0n, threshold: 1, addresses: [to] },
  };
}

/** Orders outputs of one asset by their bytes. */
function compareOutputs({ output: a }: TransferableOutput, { output: b }: TransferableOutput): number {
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  return a.addresses[0]! < b.addresses[0]! ? -1 : 1;
}

function placeOf({ txId, outputIndex }: TransferableInput): string {
  return `${txId}${outputIndex.toString(16).padStart(8, "0")}`;
}
