/** Blocks of EVM chains, as the official SDKs read them (data-api 6.1). */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";

export const BASE_FEE =
  "wei per gas; 0 in blocks without a base fee. On the C-chain since Helicon, that with which the block was executed, as the prices that its transactions paid tell it.";

export const isBaseFeeBoundSchema = Type.Optional(
  Type.Literal(true, {
    description:
      "Present if the prices do not tell the base fee: it is then that of the block's header, which is not below the one with which the block was executed.",
  }),
);

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
  baseFee: Type.String({ description: BASE_FEE }),
  isBaseFeeBound: isBaseFeeBoundSchema,
  gasUsed: Type.String({
    description:
      "Sum of the gas in the receipts of the transactions. The header of a C-chain block since Helicon has the sum of their gas limits instead.",
  }),
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
