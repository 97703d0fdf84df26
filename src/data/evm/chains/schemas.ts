/** EVM chains as the official SDKs read them (data-api 5.17). */
import Type, { type Static } from "typebox";
import { networkTokenSchema } from "../token-schemas.ts";

export const evmChainSchema = Type.Object({
  chainId: Type.String({ description: "EVM chain ID" }),
  status: Type.Union([Type.Literal("OK"), Type.Literal("UNAVAILABLE")], {
    description: "`UNAVAILABLE`: not indexed yet, or older than this server's operator allows.",
  }),
  chainName: Type.String({ description: "As the operator calls it." }),
  description: Type.String({ description: "The operator's." }),
  platformChainId: Type.Optional(Type.String({ description: "Blockchain ID, cb58." })),
  subnetId: Type.Optional(Type.String()),
  vmId: Type.Optional(Type.String()),
  vmName: Type.Literal("EVM"),
  explorerUrl: Type.Optional(Type.String({ description: "Of a block explorer." })),
  rpcUrl: Type.String({ description: "Of a node of the chain." }),
  wsUrl: Type.Optional(Type.String({ description: "Of a node of the chain." })),
  isTestnet: Type.Boolean({ description: "Whether its tokens are worth nothing." }),
  utilityAddresses: Type.Optional(
    Type.Object({ multicall: Type.Optional(Type.String({ description: "Contract that answers many calls in one." })) }),
  ),
  networkToken: networkTokenSchema,
  chainLogoUri: Type.Optional(Type.String({ description: "Of an image." })),
  private: Type.Optional(Type.Boolean({ description: "As the operator says." })),
  enabledFeatures: Type.Optional(Type.Array(Type.Literal("nftIndexing"), { description: "What is indexed besides." })),
  internalTransactions: Type.Optional(
    Type.Literal("unavailable", { description: "The chain's nodes gave no call traces: internal transactions are not known." }),
  ),
});
export type EvmChainAnswer = Static<typeof evmChainSchema>;
