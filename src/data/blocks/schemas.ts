import Type, { type Static } from "typebox";
import { exactInteger } from "../exact-integer.ts";

const proposerSchema = Type.Object({
  proposerId: Type.Optional(Type.String({ description: "ID of the wrapper" })),
  proposerParentId: Type.Optional(Type.String({ description: "ID of the parent's wrapper" })),
  proposerNodeId: Type.Optional(Type.String({ description: "Absent for options and for blocks that anybody may propose." })),
  proposerPChainHeight: Type.Optional(exactInteger("P-chain height that the proposer saw")),
  proposerTimestamp: Type.Optional(exactInteger("Unix seconds")),
});

export const blockSchema = Type.Object({
  blockNumber: Type.String(),
  blockHash: Type.String({ description: "cb58; of the C-chain 0x and 64 hex digits" }),
  parentHash: Type.String(),
  blockTimestamp: Type.Integer({ description: "Chain time after the block; of a proposal after its option." }),
  blockType: Type.String({ description: "The node's name of the type; of the C-chain `Standard`." }),
  txCount: Type.Integer(),
  transactions: Type.Array(Type.String(), { description: "IDs; of the C-chain those of imports and exports." }),
  blockSizeBytes: Type.Integer({ description: "Without the wrapper." }),
  l1ValidatorsAccruedFees: Type.Optional(
    exactInteger("P since Etna: nAVAX that one always active L1 validator would have paid until then."),
  ),
  activeL1Validators: Type.Optional(Type.Integer({ description: "P since Etna." })),
  currentSupply: Type.Optional(Type.String({ description: "P: nAVAX, after the block." })),
  proposerDetails: Type.Optional(proposerSchema),
});
export type Block = Static<typeof blockSchema>;
