/** A call of a transaction's call tree. */
import Type, { type Static } from "typebox";
import { SHOWN_BYTES } from "../../../../sources/evm/parser/call-tree-reader.ts";
import { namedObject } from "../../named-object.ts";
import { richAddressSchema } from "../token-schemas.ts";

const shown = (what: string) =>
  Type.String({ description: `The first ${SHOWN_BYTES} bytes of ${what}, in hex; none of them if there are more than half a MiB.` });
const length = (what: string) => Type.Integer({ description: `Bytes of the whole ${what}.` });

export const transactionCallSchema = namedObject("TransactionCall", {
  depth: Type.Integer({ description: "0 for the transaction's own call. A call is made by the last one before it of one depth less." }),
  type: Type.String({
    description: "Instruction: CALL, DELEGATECALL, STATICCALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT, or another one.",
  }),
  from: richAddressSchema,
  to: Type.Optional(richAddressSchema),
  methodName: Type.Optional(
    Type.String({ description: "Signature of the method, if the bundled list of signatures or the operator's ABIs know it." }),
  ),
  value: Type.String({ description: "In the chain's smallest unit. A DELEGATECALL moves nothing, whatever nodes show." }),
  gas: Type.String({ description: "Gas that the call was given." }),
  gasUsed: Type.String({ description: "Gas that it used, with the calls in it." }),
  input: shown("its input"),
  inputLength: length("input"),
  output: shown("what it returned; of a creation, the contract's code"),
  outputLength: length("output"),
  error: Type.Optional(Type.String({ description: "Why it failed, in the node's words. Absent if it did not." })),
  revertReason: Type.Optional(
    Type.String({
      description: "The contract's reason for its failure, an `Error(string)` or a `Panic`, decoded from `output`; untrusted text.",
    }),
  ),
});
export type TransactionCall = Static<typeof transactionCallSchema>;
