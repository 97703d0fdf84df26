/**
 * Signed transfers on P and X for the load. Each client spends the change of its own previous transfer, so all transfers can be signed in
 * advance.
 */

import { formatId } from "../../src/base/bytes/cb58.ts";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { type Id, nameId, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { encodeVersioned } from "../../src/base/codec/codec.ts";
import { addressOf, signDigest } from "../../src/base/signatures/secp256k1.ts";
import { assetCodec } from "../../src/chains/asset/codec.ts";
import type { UnsignedTx as UnsignedAssetTx } from "../../src/chains/asset/tx/registry.ts";
import { unsignedTx as platformTx, type UnsignedTx as UnsignedPlatformTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";

export type TransferChain = "P" | "X";

/** A UTXO that belongs to one key alone. */
export interface Coin {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export interface Transfer {
  readonly id: Id;
  /** the form that clients send */
  readonly idText: string;
  /** with codec version */
  readonly bytes: Uint8Array;
  readonly outputs: readonly Coin[];
}

export interface TransferNetwork {
  readonly networkId: number;
  readonly avaxAssetId: Id;
  readonly xChainId: Id;
}

/** More than a transfer must burn on either chain: one milli-AVAX. */
export const BURNED = 1_000_000n;
const PAID = 1_000n;
const X_FXS = ["secp256k1fx", "nftfx", "propertyfx"].map(nameId);

/** Makes transfers between the outputs of one key. */
export class Transfers {
  readonly #network: TransferNetwork;
  readonly #chain: TransferChain;
  readonly #privateKey: Uint8Array;
  readonly #owner: { locktime: bigint; threshold: number; addresses: string[] };

  constructor(network: TransferNetwork, chain: TransferChain, privateKey: Uint8Array) {
    this.#network = network;
    this.#chain = chain;
    this.#privateKey = privateKey;
    this.#owner = { locktime: 0n, threshold: 1, addresses: [addressOf(privateKey)] };
  }

  /** Splits a coin into equal ones. */
  split(coin: Coin, parts: number): Transfer {
    return this.#transfer(
      coin,
      Array.from({ length: parts }, () => (coin.amount - BURNED) / BigInt(parts)),
    );
  }

  /** Makes `count` payments in a row, each from the change of the previous one: one input, two outputs. */
  chain(coin: Coin, count: number): Transfer[] {
    const transfers: Transfer[] = [];
    let from = coin;
    for (let i = 0; i < count; i++) {
      const transfer = this.#transfer(from, [PAID, from.amount - BURNED - PAID]);
      transfers.push(transfer);
      from = transfer.outputs[1]!;
    }
    return transfers;
  }

  #transfer(coin: Coin, amounts: readonly bigint[]): Transfer {
    const { id, bytes } = this.#chain === "X" ? this.#onX(coin, amounts) : this.#onP(coin, amounts);
    return { id, idText: formatId(id), bytes, outputs: amounts.map((amount, outputIndex) => ({ txId: id, outputIndex, amount })) };
  }

  #onX({ amount, ...reference }: Coin, amounts: readonly bigint[]) {
    const { networkId, avaxAssetId: assetId, xChainId } = this.#network;
    const codec = assetCodec(X_FXS);
    const unsigned: UnsignedAssetTx = {
      kind: "BaseTx",
      networkId,
      blockchainId: xChainId,
      outputs: amounts.map((paid) => ({ assetId, output: { kind: "secp256k1.TransferOutput", amount: paid, ...this.#owner } })),
      inputs: [{ ...reference, assetId, input: { kind: "secp256k1.TransferInput", amount, signatureIndices: [0] } }],
      memo: Buffer.alloc(0),
    };
    const credential = { kind: "secp256k1.Credential", signatures: [this.#sign(encodeVersioned(codec.unsignedTx, unsigned))] };
    return codec.makeTx(unsigned, [credential]);
  }

  #onP({ amount, ...reference }: Coin, amounts: readonly bigint[]) {
    const { networkId, avaxAssetId: assetId } = this.#network;
    const unsigned: UnsignedPlatformTx = {
      kind: "BaseTx",
      networkId,
      blockchainId: PLATFORM_CHAIN_ID,
      outputs: amounts.map((paid) => ({ assetId, output: { kind: "TransferOutput", amount: paid, ...this.#owner } })),
      inputs: [{ ...reference, assetId, input: { kind: "TransferInput", amount, signatureIndices: [0] } }],
      memo: Buffer.alloc(0),
    };
    const signature = this.#sign(encodeVersioned(platformTx, unsigned));
    return assemble(platformTx, unsigned, [{ kind: "Credential", signatures: [signature] }]);
  }

  #sign(unsignedBytes: Uint8Array): Buffer {
    return signDigest(sha256(unsignedBytes), this.#privateKey);
  }
}
