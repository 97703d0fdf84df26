/** Blocks of EVM chains, as the official SDKs read them (data-api 6.1). */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";

const atomicTransactionSchema = namedObject("AtomicTransactionSummary", {
  txHash: Type.String({ description: "cb58; the C-chain routes of the primary network have the details." }),
  txType: Type.Union([Type.Literal("ImportTx"), Type.Literal("ExportTx")]),
});

export const evmBlockSchema = namedObject("EvmBlock", {
  chainId: Type.String({ description: "EVM chain ID" }),
  blockNumber: Type.String(),
  blockTimestamp: Type.Integer({ description: "Unix seconds." }),
  blockTimestampMilliseconds: Type.Optional(Type.Integer({ description: "Unix milliseconds. Avalanche since Granite." })),
  blockMinDelayExcess: Type.Optional(Type.Integer({ description: "Avalanche since Granite." })),
  blockHash: Type.String({ description: "0x and 64 hex digits." }),
  txCount: Type.Integer({ description: "Number of EVM transactions, without atomic ones." }),
  baseFee: Type.String({ description: "wei per gas; 0 in blocks without a base fee." }),
  gasUsed: Type.String({ description: "Sum of the gas that the transactions used." }),
  gasLimit: Type.String({ description: "Gas" }),
  gasCost: Type.String({ description: "Avalanche's block gas cost." }),
  parentHash: Type.String(),
  feesSpent: Type.String({ description: "wei: the sum over the transactions of gas used × price paid." }),
  cumulativeTransactions: Type.String({
    description: "Number of transactions since the chain's first indexed block, including this block's.",
  }),
  atomicTransactions: Type.Optional(
    Type.Array(atomicTransactionSchema, { description: "Imports and exports in the block. Absent if there are none." }),
  ),
});
export type EvmBlockAnswer = Static<typeof evmBlockSchema>;
