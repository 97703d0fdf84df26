/** UTXOs in answers, in two forms that are never mixed: that of paths with the P-chain, and that of X and C (data-api 4.3, 4.4). */
import Type, { type Static } from "typebox";
import { exactInteger } from "../exact-integer.ts";
import { assetAmountSchema } from "./asset-amount.ts";

const common = {
  utxoId: Type.String({ description: "cb58 of the hash of transaction and output index" }),
  addresses: Type.Array(Type.String(), { description: "Owners, in bech32 without a chain's letter." }),
  asset: assetAmountSchema,
  createdOnChainId: Type.String({ description: "The chain whose transaction made it." }),
  consumedOnChainId: Type.String({ description: "The chain that can consume it, or did: another one if it was exported." }),
  utxoBytes: Type.Optional(
    Type.String({ description: "0x, codec version, the UTXO as its chain wrote it, 4 bytes of checksum. In lists of UTXOs." }),
  ),
  consumingTxHash: Type.Optional(Type.String({ description: "Only when it is spent." })),
};

export const platformUtxoSchema = Type.Object({
  ...common,
  txHash: Type.String({ description: "The transaction that gives the UTXO its ID: of a reward the staking transaction." }),
  outputIndex: Type.Integer(),
  assetId: Type.String(),
  amount: Type.String(),
  threshold: Type.Integer(),
  platformLocktime: Type.Optional(exactInteger("Unix seconds. Without a lock: 0, and absent for what crosses chains.")),
  stakeableLocktime: Type.Optional(exactInteger("Unix seconds until which it can only be staked; only of such outputs.")),
  utxoType: Type.Union([Type.Literal("STAKE"), Type.Literal("TRANSFER")], { description: "`STAKE`: it has a stakeable lock." }),
  blockNumber: Type.String({ description: "Height on the chain that made it." }),
  blockTimestamp: Type.Integer(),
  consumingBlockNumber: Type.Optional(Type.String({ description: "Height on the chain that consumed it." })),
  consumingBlockTimestamp: Type.Optional(Type.Integer()),
  staked: Type.Optional(Type.Boolean({ description: "It is a stake whose staker has not left." })),
  utxoStartTimestamp: Type.Optional(Type.Integer({ description: "While it is staked: time of the staking transaction's block." })),
  utxoEndTimestamp: Type.Optional(Type.Integer({ description: "While it is staked: end of the staking period." })),
  rewardType: Type.Optional(
    Type.Union([Type.Literal("VALIDATOR"), Type.Literal("DELEGATOR"), Type.Literal("VALIDATOR_FEE")], {
      description: "Of rewards, in views of transactions.",
    }),
  ),
});
export type PlatformUtxo = Static<typeof platformUtxoSchema>;

export const utxoSchema = Type.Object({
  ...common,
  creationTxHash: Type.String(),
  outputIndex: Type.String(),
  threshold: Type.Integer(),
  locktime: exactInteger("Unix seconds; 0 if there is none."),
  timestamp: Type.Integer({ description: "When it was made, Unix seconds." }),
  utxoType: Type.String({ description: "`transfer`, `mint`, `nft transfer`, `nft mint`, `property mint` or `property owned`" }),
  consumingTxTimestamp: Type.Optional(Type.Integer()),
  credentials: Type.Optional(
    Type.Array(Type.Object({ signature: Type.Optional(Type.String()), publicKey: Type.Optional(Type.String()) }), {
      description: "Of the transaction that spent it: base64 without padding, of 65 and of 33 bytes.",
    }),
  ),
  groupId: Type.Optional(Type.Integer({ description: "Of NFTs." })),
  payload: Type.Optional(Type.String({ description: "Of NFTs, hex." })),
});
export type Utxo = Static<typeof utxoSchema>;
