/** Makes genesis, signed transactions and blocks for asset chains under test. */

import { sha256, sha256Hex } from "../../../src/base/bytes/hash.ts";
import { EMPTY_ID, type Id, nameId, type ShortId } from "../../../src/base/bytes/id.ts";
import { encodeVersioned, list, str, struct } from "../../../src/base/codec/codec.ts";
import { addressOf, signDigest } from "../../../src/base/signatures/secp256k1.ts";
import type { AssetCodec } from "../../../src/chains/asset/codec.ts";
import type { Owners } from "../../../src/chains/asset/fields.ts";
import type { FxBody, StateBody } from "../../../src/chains/asset/fx/fx.ts";
import type { TransferOutput } from "../../../src/chains/asset/fx/secp256k1.ts";
import type { TransferableInput, Utxo } from "../../../src/chains/asset/transfer.ts";
import { genesisAssetFields } from "../../../src/chains/asset/tx/create-asset.ts";
import type { SignedTx, UnsignedTx } from "../../../src/chains/asset/tx/registry.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { localNetwork } from "../../../src/network/presets.ts";
import type { AssetReplay } from "../../conformance/asset/replay.ts";

export const SECP256K1_FX = nameId("secp256k1fx");
export const NFT_FX = nameId("nftfx");
export const PROPERTY_FX = nameId("propertyfx");
export const X_FXS = [SECP256K1_FX, NFT_FX, PROPERTY_FX];

/** An ID that names nothing else. */
export function someId(name: string): Id {
  return sha256Hex(Buffer.from(name));
}

export const network: NetworkInstance = {
  ...localNetwork(),
  genesisBytes: new Uint8Array(),
  genesisId: someId("P genesis"),
  xChainId: someId("X"),
  cChainId: someId("C"),
  avaxAssetId: someId("AVAX"),
};

export interface Key {
  readonly privateKey: Uint8Array;
  readonly address: ShortId;
}

export function key(name: string): Key {
  const privateKey = sha256(Buffer.from(`key ${name}`));
  return { privateKey, address: addressOf(privateKey) };
}

export function ownedBy(...keys: Key[]): Owners {
  return { locktime: 0n, threshold: keys.length, addresses: keys.map(({ address }) => address).sort() };
}

export function transferOutput(amount: bigint, owners: Owners): TransferOutput {
  return { kind: "secp256k1.TransferOutput", amount, ...owners };
}

/** An input that spends a whole transferable UTXO of one owner. */
export function spending({ txId, outputIndex, assetId, output }: Utxo): TransferableInput {
  const { amount } = output as TransferOutput;
  return { txId, outputIndex, assetId, input: { kind: "secp256k1.TransferInput", amount, signatureIndices: [0] } };
}

/** Members that every transaction begins with, sorted as the rules want. */
export function base(
  chainId: Id,
  { inputs = [], outputs = [] }: { inputs?: TransferableInput[]; outputs?: { assetId: Id; output: TransferOutput }[] } = {},
) {
  const place = (input: TransferableInput) => `${input.txId}${input.outputIndex.toString(16).padStart(8, "0")}`;
  const rank = ({ assetId, output }: (typeof outputs)[number]) =>
    `${assetId}${output.amount.toString(16).padStart(16, "0")}${output.addresses.join("")}`;
  return {
    networkId: network.networkId,
    blockchainId: chainId,
    outputs: outputs.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)),
    inputs: inputs.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
    memo: Buffer.alloc(0),
  };
}

/** Who signs each credential, and of which fx it is. */
export type Signers = readonly { readonly fx?: string; readonly keys: readonly Key[] }[];

/** A credential of an fx for each entry, signed by its keys. */
export function sign(codec: AssetCodec, unsigned: UnsignedTx, signers: Signers): SignedTx {
  const digest = sha256(encodeVersioned(codec.unsignedTx, unsigned));
  const credentials = signers.map(({ fx = "secp256k1", keys }): FxBody => {
    const signatures = keys.map(({ privateKey }) => signDigest(digest, privateKey));
    return { kind: `${fx}.Credential`, signatures } as FxBody;
  });
  return codec.makeTx(unsigned, credentials);
}

/** Genesis bytes with one asset, the fee asset, whose outputs stand under the fx of that index. */
export function genesisBytes(codec: AssetCodec, outputs: readonly StateBody[], fxIndex = 0): Buffer {
  const genesis = list(struct({ alias: str, ...genesisAssetFields(codec.parts) }));
  const initialStates = [{ fxIndex, outputs }];
  return encodeVersioned(genesis, [{ alias: "FEE", ...base(EMPTY_ID), name: "Fees", symbol: "FEE", denomination: 9, initialStates }]);
}

/** Puts transactions into the next block and executes it. */
export function accept(replay: AssetReplay, ...txs: SignedTx[]) {
  const { lastAccepted, height, timestamp } = replay.scalars;
  const fields = { parentId: lastAccepted, height: height + 1n, time: timestamp + 1n, merkleRoot: EMPTY_ID, txs };
  return replay.execute(replay.chain.parse(replay.chain.codec.makeBlock(fields).bytes), timestamp + 1n);
}
