/**
 * UTXOs of all three chains in one shape. Each chain writes its own codec, so the chain that created an output decides how it is decoded.
 * Decoded outputs are cached as long as their bytes live.
 */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { decodeAll } from "../../../base/codec/codec.ts";
import { type AssetCodec, assetCodec } from "../../../chains/asset/codec.ts";
import type { StateBody } from "../../../chains/asset/fx/fx.ts";
import { exportedUtxo } from "../../../chains/atomic/tx.ts";
import { parseGenesis } from "../../../chains/platform/genesis.ts";
import { utxo as platformUtxo, unlockedOutput } from "../../../chains/platform/output.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain } from "../primary-chain.ts";

export type UtxoKind = "transfer" | "mint" | "nft transfer" | "nft mint" | "property mint" | "property owned";

/** The content of an output of any chain. */
export interface UtxoBody {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly kind: UtxoKind;
  /** 1 for an NFT; 0 for mint rights and properties, which have no amount */
  readonly amount: bigint;
  /** Unix seconds until which nobody can consume it */
  readonly locktime: bigint;
  /** Unix seconds until which it can only be staked; undefined if it has no such lock */
  readonly stakeableLocktime: bigint | undefined;
  readonly threshold: number;
  /** ascending */
  readonly addresses: readonly ShortId[];
  readonly nft?: { readonly groupId: number; readonly payload: Uint8Array | undefined };
}

export interface UtxoView extends UtxoBody {
  readonly utxoId: Id;
}

/** The fields of a `utxo_records` row that describe its output. */
export interface WrittenUtxo {
  /** without codec version */
  readonly bytes: Uint8Array;
  readonly createdOn: number;
}

const decoded = new WeakMap<Uint8Array, UtxoBody>();

/** Decodes the output without its ID. */
export function decodeOutput({ bytes, createdOn }: WrittenUtxo, network: NetworkInstance): UtxoBody {
  let body = decoded.get(bytes);
  if (body === undefined) {
    body = decodeOn(createdOn as PrimaryChain, bytes, network);
    decoded.set(bytes, body);
  }
  return body;
}

/** NFTs are counted apart from the fungible outputs of an asset. */
export function isNft({ kind }: Pick<UtxoBody, "kind">): boolean {
  return kind === "nft transfer" || kind === "nft mint";
}

function decodeOn(chain: PrimaryChain, bytes: Uint8Array, network: NetworkInstance): UtxoBody {
  if (chain === P_CHAIN) {
    const { txId, outputIndex, assetId, output } = decodeAll(platformUtxo, bytes);
    const { amount, locktime, threshold, addresses } = unlockedOutput(output);
    const stakeableLocktime = output.kind === "LockOut" ? output.locktime : undefined;
    return { txId, outputIndex, assetId, kind: "transfer", amount, locktime, stakeableLocktime, threshold, addresses };
  }
  if (chain === C_CHAIN) {
    const { txId, outputIndex, assetId, output } = decodeAll(exportedUtxo, bytes);
    const { amount, locktime, threshold, addresses } = output;
    return { txId, outputIndex, assetId, kind: "transfer", amount, locktime, stakeableLocktime: undefined, threshold, addresses };
  }
  const { txId, outputIndex, assetId, output } = decodeAll(xChainCodec(network).utxo, bytes);
  const { locktime, threshold, addresses } = output;
  return { txId, outputIndex, assetId, ...contentOf(output), locktime, stakeableLocktime: undefined, threshold, addresses };
}

const KINDS: Readonly<Record<string, UtxoKind>> = {
  "secp256k1.TransferOutput": "transfer",
  "secp256k1.MintOutput": "mint",
  "nft.TransferOutput": "nft transfer",
  "nft.MintOutput": "nft mint",
  "property.MintOutput": "property mint",
  "property.OwnedOutput": "property owned",
};

function contentOf(output: StateBody): Pick<UtxoBody, "kind" | "amount" | "nft"> {
  const kind = KINDS[output.kind];
  if (kind === undefined) throw new TypeError(`${output.kind} is not an output of the X-chain`);
  const { amount = 0n, groupId, payload } = output as { amount?: bigint; groupId?: number; payload?: Uint8Array };
  if (groupId === undefined) return { kind, amount };
  return { kind, amount: kind === "nft transfer" ? 1n : 0n, nft: { groupId, payload } };
}

const xChainCodecs = new WeakMap<NetworkInstance, AssetCodec>();

/** The X-chain's codec. Its fxs come from its CreateChainTx in the genesis. */
export function xChainCodec(network: NetworkInstance): AssetCodec {
  let codec = xChainCodecs.get(network);
  if (codec === undefined) {
    const created = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.xChainId)?.unsigned;
    codec = assetCodec(created?.kind === "CreateChainTx" ? created.fxIds : []);
    xChainCodecs.set(network, codec);
  }
  return codec;
}
