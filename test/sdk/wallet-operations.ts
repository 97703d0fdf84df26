/**
 * X-chain transactions for which avalanchejs has parts but no builder: it builds a payment for the fee; the rest is added and signed here.
 */
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Account, Anything } from "./wallet.ts";
import { codecOf } from "./wallet.ts";

const { avm, avmSerial, Byte, Bytes, Credential, Input, Int, MintOperation, MintOutput }: Anything = avalanchejs;
const { OutputOwners, OutputOwnersList, secp256k1, Signature, Stringpr, TransferOutput, TypeSymbols, BigIntPr, utils }: Anything =
  avalanchejs;

const SECP256K1_FX = 0;
const NFT_FX = 1;

export interface Fees {
  readonly context: Anything;
  readonly utxos: readonly Anything[];
  readonly minIssuanceTime: bigint;
}

/** The part that every transaction has. */
function paid({ context, utxos, minIssuanceTime }: Fees, fee: bigint, payer: Account): Anything {
  const options = { minIssuanceTime };
  return avm.newBaseTx({ ...context, baseTxFee: fee }, [payer.bytes], utxos, [], options).getTx().baseTx;
}

/** Some of a new asset for the owner, and the right to make more. */
export function createAsset(fees: Fees, owner: Account): { tx: Anything; base: Anything } {
  const base = paid(fees, fees.context.createAssetTxFee, owner);
  const owners = OutputOwners.fromNative([owner.bytes]);
  const outputs = [new MintOutput(owners), new TransferOutput(new BigIntPr(1000n), owners)];
  const states = [new avmSerial.InitialState(new Int(SECP256K1_FX), outputs)];
  return {
    tx: new avmSerial.CreateAssetTx(base, new Stringpr("Some asset"), new Stringpr("SOME"), new Byte(new Uint8Array([2])), states),
    base,
  };
}

/** More of an asset for the minter, who keeps the right. */
export function mint(fees: Fees, minter: Account, right: Anything): { tx: Anything; base: Anything } {
  const base = paid(fees, fees.context.baseTxFee, minter);
  const { addrs } = right.getOutputOwners();
  const index = addrs.findIndex((address: Anything) => utils.bytesEqual(address.toBytes(), minter.bytes));
  const amount = new TransferOutput(new BigIntPr(5n), OutputOwners.fromNative([minter.bytes]));
  const operation = new MintOperation(Input.fromNative([index]), new MintOutput(right.getOutputOwners()), amount);
  return { tx: new avmSerial.OperationTx(base, [transferableOperation(right, operation)]), base };
}

/** Two groups of pictures, each with the owner's right to make more. */
export function createPictures(fees: Fees, owner: Account): { tx: Anything; base: Anything } {
  const base = paid(fees, fees.context.createAssetTxFee, owner);
  const rights = [0, 1].map((group) => nftPart("MintOutput", [new Int(group), OutputOwners.fromNative([owner.bytes])]));
  const states = [new avmSerial.InitialState(new Int(NFT_FX), rights)];
  return {
    tx: new avmSerial.CreateAssetTx(base, new Stringpr("Pictures"), new Stringpr("PIC"), new Byte(new Uint8Array([0])), states),
    base,
  };
}

/** A picture for each of the receivers. */
export function mintPictures(
  fees: Fees,
  minter: Account,
  { right, group, receivers }: { right: Anything; group: number; receivers: readonly Account[] },
): { tx: Anything; base: Anything } {
  const base = paid(fees, fees.context.baseTxFee, minter);
  const owners = new OutputOwnersList(receivers.map(({ bytes }) => OutputOwners.fromNative([bytes])));
  const payload = new Bytes(Buffer.from("a picture"));
  const operation = nftPart("MintOperation", [Input.fromNative([0]), new Int(group), payload, owners]);
  return { tx: new avmSerial.OperationTx(base, [transferableOperation(right, operation)]), base };
}

/** @param picture an output of group `group` that the giver alone owns */
export function givePicture(
  fees: Fees,
  giver: Account,
  { picture, group, receiver }: { picture: Anything; group: number; receiver: Account },
): { tx: Anything; base: Anything } {
  const base = paid(fees, fees.context.baseTxFee, giver);
  const owners = OutputOwners.fromNative([receiver.bytes]);
  const operation = nftPart("TransferOperation", [Input.fromNative([0]), new Int(group), new Bytes(Buffer.from("a picture")), owners]);
  return { tx: new avmSerial.OperationTx(base, [transferableOperation(picture, operation)]), base };
}

/** The package reads and writes what is about NFTs, but exports no class of it. */
function nftPart(name: string, fields: readonly Anything[]): Anything {
  return {
    _type: TypeSymbols[`NftFx${name}`],
    toBytes: (codec: Anything) => Buffer.concat(fields.map((field) => field.toBytes(codec))),
  };
}

/** Of this part the package has the class, but does not export it. */
function transferableOperation({ assetId, utxoId }: Anything, operation: Anything) {
  return {
    toBytes: (codec: Anything) =>
      Buffer.concat([assetId.toBytes(), new Int(1).toBytes(), utxoId.toBytes(codec), codec.PackPrefix(operation)]),
  };
}

/** One signature for each input, then one for each operation, all of one signer. */
export async function signed(
  { tx, base }: { tx: Anything; base: Anything },
  signer: Account,
  operations: readonly ("secp256k1" | "nft")[] = [],
): Promise<string> {
  const bytes = utils.getManagerForVM("AVM").packCodec(tx);
  const signature = new Signature(await secp256k1.sign(bytes, signer.privateKey));
  const plain = new Credential([signature]);
  const kinds = { secp256k1: plain, nft: nftPart("Credential", [plain]) };
  const all = [...base.inputs.map(() => plain), ...operations.map((kind) => kinds[kind])];
  const credentials = all.map((credential) => codecOf("X").PackPrefix(credential));
  const whole = Buffer.concat([bytes, new Int(credentials.length).toBytes(), ...credentials]);
  return utils.bufferToHex(utils.addChecksum(whole));
}
