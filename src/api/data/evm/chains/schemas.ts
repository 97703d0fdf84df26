/** EVM chains as the official SDKs read them (data-api 5.17). */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";
import { networkTokenSchema } from "../token-schemas.ts";

export const evmChainSchema = namedObject("ChainInfo", {
  chainId: Type.String({ description: "EVM chain ID" }),
  status: Type.Union([Type.Literal("OK"), Type.Literal("UNAVAILABLE")], {
    description: "`UNAVAILABLE`: not indexed yet, or with an index older than the operator allows.",
  }),
  chainName: Type.String({ description: "Name that the operator chose." }),
  description: Type.String({ description: "Description by the operator." }),
  platformChainId: Type.Optional(Type.String({ description: "Blockchain ID, cb58." })),
  subnetId: Type.Optional(Type.String()),
  vmId: Type.Optional(Type.String()),
  vmName: Type.Literal("EVM"),
  explorerUrl: Type.Optional(Type.String({ description: "URL of a block explorer." })),
  rpcUrl: Type.String({ description: "URL of a node of the chain." }),
  wsUrl: Type.Optional(Type.String({ description: "URL of a node of the chain." })),
  isTestnet: Type.Boolean({ description: "Whether the chain is a testnet." }),
  utilityAddresses: Type.Optional(
    namedObject("UtilityAddresses", { multicall: Type.Optional(Type.String({ description: "Contract that answers many calls in one." })) }),
  ),
  networkToken: networkTokenSchema,
  chainLogoUri: Type.Optional(Type.String({ description: "URL of an image." })),
  private: Type.Optional(Type.Boolean({ description: "Set by the operator." })),
  enabledFeatures: Type.Optional(
    Type.Array(Type.Union([Type.Literal("nftIndexing"), Type.Literal("teleporter")]), {
      description: "Further indexed data. `teleporter`: interchain messages, of chains with a blockchain ID.",
    }),
  ),
  internalTransactions: Type.Optional(
    Type.Union([Type.Literal("unavailable"), Type.Literal("incomplete")], {
      description:
        "`unavailable`: the chain's nodes have no call traces, so internal transactions are not known. `incomplete`: they are not known for some transactions, which are marked; Firn asks for them again.",
    }),
  ),
});
export type EvmChainAnswer = Static<typeof evmChainSchema>;
