/** UTXOs in answers, in two forms that are never mixed: one for paths with the P-chain, one for X and C (data-api 4.3, 4.4). */
import Type, { type Static } from "typebox";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";

export const members = {
  assetId: Type.String({ description: "cb58" }),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer({ description: "Decimal places of the asset: 9 for AVAX." }),
  type: Type.Union([Type.Literal("secp256k1"), Type.Literal("nft")]),
  amount: Type.String({ description: "In the smallest unit." }),
};

export const assetAmountSchema = namedObject("AssetAmount", members);

const common = {
  utxoId: Type.String({ description: "cb58 of the hash of transaction and output index" }),
  addresses: Type.Array(Type.String(), { description: "Owners, in bech32 without a chain's letter." }),
  asset: assetAmountSchema,
  createdOnChainId: Type.String({ description: "The chain whose transaction created it." }),
  consumedOnChainId: Type.String({ description: "The chain that can consume it, or did; another chain if it was exported." }),
  utxoBytes: Type.Optional(
    Type.String({ description: "0x, codec version, the UTXO as its chain encodes it, 4 bytes of checksum. Only in lists of UTXOs." }),
  ),
  consumingTxHash: Type.Optional(Type.String({ description: "Only if it is spent." })),
};

export const platformUtxoSchema = namedObject("PChainUtxo", {
  ...common,
  txHash: Type.String({ description: "The transaction in the UTXO's ID; for a reward, the staking transaction." }),
  outputIndex: Type.Integer(),
  assetId: Type.String(),
  amount: Type.String(),
  threshold: Type.Integer(),
  platformLocktime: Type.Optional(exactInteger("Unix seconds. Without a lock it is 0, or absent if the UTXO crosses chains.")),
  stakeableLocktime: Type.Optional(exactInteger("Unix seconds until which it can only be staked. Absent for other outputs.")),
  utxoType: Type.Union([Type.Literal("STAKE"), Type.Literal("TRANSFER")], { description: "`STAKE`: it has a stakeable lock." }),
  blockNumber: Type.String({ description: "Height on the chain that created it." }),
  blockTimestamp: Type.Integer(),
  consumingBlockNumber: Type.Optional(Type.String({ description: "Height on the chain that consumed it." })),
  consumingBlockTimestamp: Type.Optional(Type.Integer()),
  staked: Type.Optional(Type.Boolean({ description: "Whether it is a stake whose staker is active or pending." })),
  utxoStartTimestamp: Type.Optional(Type.Integer({ description: "While it is staked: time of the staking transaction's block." })),
  utxoEndTimestamp: Type.Optional(Type.Integer({ description: "While it is staked: end of the staking period." })),
  rewardType: Type.Optional(
    Type.Union([Type.Literal("VALIDATOR"), Type.Literal("DELEGATOR"), Type.Literal("VALIDATOR_FEE")], {
      description: "Kind of a reward. Only in transactions.",
    }),
  ),
});
export type PlatformUtxo = Static<typeof platformUtxoSchema>;

export const utxoCredentialSchema = namedObject("UtxoCredential", {
  signature: Type.Optional(Type.String()),
  publicKey: Type.Optional(Type.String()),
});

export const utxoSchema = namedObject("Utxo", {
  ...common,
  creationTxHash: Type.String(),
  outputIndex: Type.String(),
  threshold: Type.Integer(),
  locktime: exactInteger("Unix seconds; 0 if there is none."),
  timestamp: Type.Integer({ description: "Unix seconds: when it was created." }),
  utxoType: Type.String({ description: "`transfer`, `mint`, `nft transfer`, `nft mint`, `property mint` or `property owned`" }),
  consumingTxTimestamp: Type.Optional(Type.Integer()),
  credentials: Type.Optional(
    Type.Array(utxoCredentialSchema, {
      description: "Credentials of the transaction that spent it: signatures of 65 bytes and keys of 33 bytes, in base64 without padding.",
    }),
  ),
  groupId: Type.Optional(Type.Integer({ description: "Of NFTs." })),
  payload: Type.Optional(Type.String({ description: "Of NFTs, hex." })),
});
export type Utxo = Static<typeof utxoSchema>;

// Amounts of assets in answers (data-api 4.2). Names come from the X-chain, where assets are created; an asset that the store lacks has
// none.

export type AssetAmount = Static<typeof assetAmountSchema>;
