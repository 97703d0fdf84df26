/** Interchain messages as the official SDKs read them. */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";
import { price } from "../token-schemas.ts";

const address = Type.String({ description: "EIP-55" });

const icmReceipt = namedObject("IcmReceipt", {
  receivedMessageNonce: Type.String({ description: "Nonce of a message of the other direction that was received." }),
  relayerRewardAddress: address,
});

const icmRewardDetails = namedObject("IcmRewardDetails", {
  address: Type.String({ description: "Token of the relayer's fee. The zero address: there is none, or the source is not indexed." }),
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer(),
  logoUri: Type.Optional(Type.String()),
  ercType: Type.Literal("ERC-20"),
  price,
  value: Type.String({ description: "Base units, with what was added to the fee later." }),
});

const transactionMembers = {
  txHash: Type.String(),
  timestamp: Type.Integer({ description: "Unix seconds" }),
  gasSpent: Type.String({ description: "Gas that the transaction used." }),
};
const icmSourceTransaction = namedObject("IcmSourceTransaction", transactionMembers);
const icmDestinationTransaction = namedObject("IcmDestinationTransaction", {
  ...transactionMembers,
  rewardRedeemer: Type.String({ description: "Who may redeem the fee. EIP-55" }),
  delivererAddress: Type.String({ description: "Who delivered the message. EIP-55" }),
});

/** One schema for the three forms, which the SDKs tell apart by `status`. */
export const icmMessage = namedObject("IcmMessage", {
  messageId: Type.String({ description: "64 hex digits" }),
  icmContractAddress: Type.String({ description: "The messenger. EIP-55" }),
  teleporterContractAddress: Type.String({ description: "The same under its older name." }),
  sourceBlockchainId: Type.String({ description: "cb58" }),
  destinationBlockchainId: Type.String({ description: "cb58" }),
  sourceEvmChainId: Type.String({ description: "Empty if the chain is not indexed here." }),
  destinationEvmChainId: Type.String({ description: "Empty if the chain is not indexed here." }),
  messageNonce: Type.String({ description: "Decimal: number of the message among those of its chains' pair." }),
  from: Type.String({ description: "Who sent the message. EIP-55" }),
  to: Type.String({ description: "The contract that it is for. EIP-55" }),
  data: Type.Optional(Type.String({ description: "The message: 0x and hex. Lists leave out long ones." })),
  messageExecuted: Type.Boolean({ description: "Whether the call at the destination succeeded, maybe after it was tried again." }),
  receipts: Type.Array(icmReceipt),
  receiptDelivered: Type.Boolean({ description: "Whether a receipt of the delivery came back to the source." }),
  rewardDetails: icmRewardDetails,
  sourceTransaction: Type.Optional(icmSourceTransaction),
  destinationTransaction: Type.Optional(icmDestinationTransaction),
  status: Type.Union([Type.Literal("pending"), Type.Literal("delivered"), Type.Literal("delivered_source_not_indexed")]),
  notIndexed: Type.Optional(
    Type.Union([Type.Literal("source"), Type.Literal("destination")], {
      description: "The side whose chain this server does not index: a message to such a chain stays `pending`, also once it is delivered.",
    }),
  ),
});
export type IcmMessageShown = Static<typeof icmMessage>;
