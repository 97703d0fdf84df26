/** Moves value. Its fields begin every transaction, its checks are part of theirs. Rules: chain-rules 2.5, 15.5. */
import { bytes, list, u32, type Value } from "../../primitives/codec/codec.ts";
import { variant } from "../../primitives/codec/struct.ts";
import { id } from "../fields.ts";
import type { Parts } from "../parts.ts";
import { defineTx } from "./define.ts";
import { consumeInputs, produceOutputs, transferKeys, verifyTransfers } from "./transfers.ts";
import { verifyCredentials, verifyEnvelope, verifyFlow } from "./well-formed.ts";

export function baseFields(parts: Parts) {
  return {
    networkId: u32,
    blockchainId: id,
    outputs: list(parts.transferableOutput),
    inputs: list(parts.transferableInput),
    memo: bytes,
  };
}

function codec(parts: Parts) {
  return variant("BaseTx", baseFields(parts));
}

export type BaseTx = Value<ReturnType<typeof codec>>;
/** The members of any transaction that are those of a BaseTx. */
export type BaseMembers = Omit<BaseTx, "kind">;

export const baseTx = defineTx<BaseTx>({
  name: "BaseTx",
  typeId: 0,
  codec,

  verifySyntax(tx, rules) {
    const { inputs, outputs } = tx.unsigned;
    verifyEnvelope(tx.unsigned, rules);
    verifyFlow({ fee: rules.txFee, inputs: [inputs], outputs: [outputs] }, rules);
    verifyCredentials(tx, inputs.length);
  },

  verifySemantics: verifyTransfers,

  execute(tx, state, effects) {
    consumeInputs(tx, state, effects);
    produceOutputs(tx, state, effects);
  },

  keysRead: (tx, rules) => transferKeys(tx.unsigned, rules),
});
