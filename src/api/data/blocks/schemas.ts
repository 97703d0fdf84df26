import Type, { type Static } from "typebox";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";

const proposerSchema = namedObject("ProposerDetails", {
  proposerId: Type.Optional(Type.String({ description: "ID of the wrapper" })),
  proposerParentId: Type.Optional(Type.String({ description: "ID of the parent's wrapper" })),
  proposerNodeId: Type.Optional(Type.String({ description: "Absent for options and for blocks that any node may propose." })),
  proposerPChainHeight: Type.Optional(exactInteger("P-chain height that the proposer saw")),
  proposerTimestamp: Type.Optional(exactInteger("Unix seconds")),
});

export const blockSchema = namedObject("PrimaryNetworkBlock", {
  blockNumber: Type.String(),
  blockHash: Type.String({ description: "cb58; on the C-chain 0x and 64 hex digits" }),
  parentHash: Type.String(),
  blockTimestamp: Type.Integer({ description: "Chain time after the block; for a proposal, after its option." }),
  blockType: Type.String({ description: "The node's name of the type; `Standard` on the C-chain." }),
  txCount: Type.Integer(),
  transactions: Type.Array(Type.String(), { description: "Transaction IDs; on the C-chain only those of imports and exports." }),
  blockSizeBytes: Type.Integer({ description: "Bytes of the block without its wrapper." }),
  l1ValidatorsAccruedFees: Type.Optional(
    exactInteger("P-chain since Etna: nAVAX that an L1 validator would have paid by then if it had always been active."),
  ),
  activeL1Validators: Type.Optional(Type.Integer({ description: "P since Etna." })),
  currentSupply: Type.Optional(Type.String({ description: "P-chain: supply after the block, nAVAX." })),
  proposerDetails: Type.Optional(proposerSchema),
});
export type Block = Static<typeof blockSchema>;
