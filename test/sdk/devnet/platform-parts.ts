/** P-chain transactions for which avalanchejs has parts but no builder: it builds a payment for the fee. */
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Account, Anything } from "../wallet.ts";
import type { IssuingWallet } from "./issuing-wallet.ts";
import type { TestNode } from "./nodes.ts";

const { avaxSerial, BigIntPr, Byte, Id, Input, Int, OutputOwners, pvm, pvmSerial, TransferableInput, UnsignedTx, utils }: Anything =
  avalanchejs;

export interface Term {
  readonly node: TestNode;
  /** Unix seconds */
  readonly start: bigint;
  readonly end: bigint;
  readonly weight: bigint;
}

/** As validators were added until Durango. */
export async function addValidator(wallet: IssuingWallet, owner: Account, term: Term): Promise<Anything> {
  const stake = [wallet.output(term.weight, [owner])];
  const { base, finish } = await paidBy(wallet, owner, stake);
  return finish(new pvmSerial.AddValidatorTx(base, validator(term), stake, owners(owner), new Int(20_000)));
}

export async function addDelegator(wallet: IssuingWallet, owner: Account, term: Term): Promise<Anything> {
  const stake = [wallet.output(term.weight, [owner])];
  const { base, finish } = await paidBy(wallet, owner, stake);
  return finish(new pvmSerial.AddDelegatorTx(base, validator(term), stake, owners(owner)));
}

/** Anybody may become its validator then, with this asset, of which as much again is minted as rewards within a year. */
export async function transformSubnet(
  wallet: IssuingWallet,
  owner: Account,
  { subnetId, assetId, supply }: { subnetId: string; assetId: string; supply: bigint },
): Promise<Anything> {
  const { base, finish } = await paidBy(wallet, owner, [wallet.output(supply, [owner], { assetId })]);
  const amounts = [supply, 2n * supply, EVERYTHING, EVERYTHING, 1n, supply].map((amount) => new BigIntPr(amount));
  const [minimumDuration, maximumDuration, minimumFee] = [60, 365 * 24 * 3600, 20_000].map((number) => new Int(number));
  return finish(
    new pvmSerial.TransformSubnetTx(
      ...[base, Id.fromString(subnetId), Id.fromString(assetId), ...amounts, minimumDuration, maximumDuration, minimumFee],
      ...[new BigIntPr(1n), new Byte(Uint8Array.of(5)), new Int(800_000), Input.fromNative([0])],
    ),
  );
}

/** millionths */
const EVERYTHING = 1_000_000n;

/** The builder imports AVAX alone. */
export async function importAll(wallet: IssuingWallet, source: "X" | "C", owner: Account): Promise<Anything> {
  const { avaxAssetID, networkID, pBlockchainID } = wallet.context;
  const utxos = await wallet.importable("P", source, [owner]);
  const inputs = utxos.map((utxo) => TransferableInput.fromUtxoAndSigindicies(utxo, [0])).sort(TransferableInput.compare);
  const outputs = utxos
    .map((utxo) => [utxo.getAssetId(), utxo.output.amount()])
    .map(([assetId, amount]) => wallet.output(assetId === avaxAssetID ? amount - IMPORT_FEE : amount, [owner], { assetId }))
    .sort((a, b) => utils.bytesCompare(a.assetId.toBytes(), b.assetId.toBytes()));
  const base = avaxSerial.BaseTx.fromNative(networkID, pBlockchainID, outputs, [], new Uint8Array());
  const tx = new pvmSerial.ImportTx(base, Id.fromString(wallet.chainIds[source]), inputs);
  return new UnsignedTx(tx, utxos, utils.AddressMaps.fromTransferableInputs(inputs, utxos, 0n));
}
const IMPORT_FEE = 10_000_000n;

/** @param taken outputs that are not the payment's own: they go to stake, or nowhere */
async function paidBy(wallet: IssuingWallet, payer: Account, taken: readonly Anything[]) {
  const { networkID, pBlockchainID } = wallet.context;
  const built = pvm.newBaseTx({ ...(await wallet.platform([payer])), outputs: [...taken] }, wallet.context);
  const { inputs, outputs } = built.getTx().baseTx;
  const change = outputs.filter((output: Anything) => !taken.includes(output));
  return {
    base: avaxSerial.BaseTx.fromNative(networkID, pBlockchainID, change, inputs, new Uint8Array()),
    finish: (tx: Anything): Anything => new UnsignedTx(tx, built.utxos, built.addressMaps),
  };
}

const validator = ({ node, start, end, weight }: Term): Anything => pvmSerial.Validator.fromNative(node.nodeId, start, end, weight);
const owners = ({ bytes }: Account): Anything => OutputOwners.fromNative([bytes]);
