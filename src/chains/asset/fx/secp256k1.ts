/** secp256k1fx: fungible value, its transfer and its minting (chain-rules 15.7). The only fx that supports transfers. */

import { nameId } from "../../../base/bytes/id.ts";
import { struct, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { credentialFields, input, inputFields, ownerFields, owners } from "../fields.ts";
import { equalOwners, type Fx, type FxBody, fxType, verifyCredential, verifyOwners, verifySignatureIndices } from "./fx.ts";

const sorted = { jsonSorted: true };
const transferOutputFields = { amount: u64, ...ownerFields };

const transferInput = variant("secp256k1.TransferInput", { amount: u64, ...inputFields });
const mintOutput = variant("secp256k1.MintOutput", ownerFields, sorted);
const transferOutput = variant("secp256k1.TransferOutput", transferOutputFields, sorted);
const mintOperation = variant("secp256k1.MintOperation", {
  mintInput: input,
  mintOutput: owners,
  transferOutput: struct(transferOutputFields, sorted),
});
const credential = variant("secp256k1.Credential", credentialFields);

export type TransferInput = Value<typeof transferInput>;
export type MintOutput = Value<typeof mintOutput>;
export type TransferOutput = Value<typeof transferOutput>;
export type MintOperation = Value<typeof mintOperation>;
export type Credential = Value<typeof credential>;
type Body = TransferInput | MintOutput | TransferOutput | MintOperation | Credential;

export const secp256k1Fx: Fx = {
  id: nameId("secp256k1fx"),
  types: [
    fxType(transferInput, "secp256k1fx.TransferInput", "input"),
    fxType(mintOutput, "secp256k1fx.MintOutput", "state"),
    fxType(transferOutput, "secp256k1fx.TransferOutput", "output", "state"),
    fxType(mintOperation, "secp256k1fx.MintOperation", "operation"),
    fxType(credential, "secp256k1fx.Credential", "credential"),
  ],

  verify(body) {
    const value = body as Body;
    switch (value.kind) {
      case "secp256k1.TransferInput":
        if (value.amount === 0n) throw new RuleError("zero-input", "input has no value");
        return verifySignatureIndices(value.signatureIndices);
      case "secp256k1.MintOutput":
        return verifyOwners(value);
      case "secp256k1.TransferOutput":
        return verifyTransferOutput(value);
      case "secp256k1.MintOperation":
        verifySignatureIndices(value.mintInput.signatureIndices);
        verifyOwners(value.mintOutput);
        return verifyTransferOutput(value.transferOutput);
      case "secp256k1.Credential":
        return;
    }
  },

  verifyTransfer(spent, credential, output, spending) {
    const input = expectKind<TransferInput>(spent, "secp256k1.TransferInput", "wrong input type");
    const { signatures } = expectKind<Credential>(credential, "secp256k1.Credential", "wrong credential type");
    const utxo = expectKind<TransferOutput>(output, "secp256k1.TransferOutput", "wrong utxo type");
    this.verify(utxo);
    this.verify(input);
    if (utxo.amount !== input.amount) {
      throw new RuleError("amount-mismatch", `utxo amount and input amount are not equal: ${utxo.amount} != ${input.amount}`);
    }
    verifyCredential(input.signatureIndices, signatures, utxo, spending);
  },

  verifyOperation(operation, credential, outputs, spending) {
    const mint = expectKind<MintOperation>(operation, "secp256k1.MintOperation", "wrong operation type");
    const { signatures } = expectKind<Credential>(credential, "secp256k1.Credential", "wrong credential type");
    if (outputs.length !== 1) throw new RuleError("utxo-count", "wrong number of utxos for the operation");
    const utxo = expectKind<MintOutput>(outputs[0]!, "secp256k1.MintOutput", "wrong utxo type");
    this.verify(mint);
    this.verify(utxo);
    if (!equalOwners(utxo, mint.mintOutput)) throw new RuleError("wrong-mint", "wrong mint output created from the operation");
    verifyCredential(mint.mintInput.signatureIndices, signatures, utxo, spending);
  },

  produces(operation) {
    const mint = operation as MintOperation;
    const renewed: MintOutput = { kind: "secp256k1.MintOutput", ...mint.mintOutput };
    const minted: TransferOutput = { kind: "secp256k1.TransferOutput", ...mint.transferOutput };
    return [renewed, minted];
  },
};

function verifyTransferOutput(output: Omit<TransferOutput, "kind">): void {
  if (output.amount === 0n) throw new RuleError("zero-output", "output has no value");
  verifyOwners(output);
}

/** Narrows the type to a kind, or throws with the node's text. */
export function expectKind<T extends FxBody>(body: FxBody, kind: T["kind"], text: string): T {
  if (body.kind !== kind) throw new RuleError("wrong-kind", text, { kind: body.kind, expected: kind });
  return body as T;
}
