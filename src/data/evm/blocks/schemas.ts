/** Blocks of EVM chains, as the official SDKs read them (data-api 6.1). */
import Type, { type Static } from "typebox";

const atomicTransactionSchema = Type.Object({
  txHash: Type.String({ description: "cb58; the primary network's C-chain routes tell the rest." }),
  txType: Type.Union([Type.Literal("ImportTx"), Type.Literal("ExportTx")]),
});

export const evmBlockSchema = Type.Object({
  chainId: Type.String({ description: "EVM chain ID" }),
  blockNumber: Type.String(),
  blockTimestamp: Type.Integer({ description: "Unix seconds." }),
  blockTimestampMilliseconds: Type.Optional(Type.Integer({ description: "Unix milliseconds. Avalanche since Granite." })),
  blockMinDelayExcess: Type.Optional(Type.Integer({ description: "Avalanche since Granite." })),
  blockHash: Type.String({ description: "0x and 64 hex digits." }),
  txCount: Type.Integer({ description: "Transactions of the EVM, atomic ones not included." }),
  baseFee: Type.String({ description: "wei per gas; 0 before there was one." }),
  gasUsed: Type.String({ description: "Gas: the sum of the transactions'." }),
  gasLimit: Type.String({ description: "Gas" }),
  gasCost: Type.String({ description: "Gas: Avalanche's block gas cost." }),
  parentHash: Type.String(),
  feesSpent: Type.String({ description: "wei: the sum of gas used times the price that was paid." }),
  cumulativeTransactions: Type.String({ description: "Of the chain since its first indexed block, this block's included." }),
  atomicTransactions: Type.Optional(
    Type.Array(atomicTransactionSchema, { description: "What the block moved between the C-chain and other chains. Absent if nothing." }),
  ),
});
export type EvmBlockAnswer = Static<typeof evmBlockSchema>;
