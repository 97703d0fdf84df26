/** propertyfx: ownership without a value or payload, minted and burned by operations (chain-rules 15.7). */

import { nameId } from "../../../base/bytes/id.ts";
import { type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { credentialFields, input, inputFields, ownerFields, owners } from "../fields.ts";
import { equalOwners, type Fx, fxType, verifyCredential, verifyOwners, verifySignatureIndices } from "./fx.ts";
import { expectKind } from "./secp256k1.ts";

const sorted = { jsonSorted: true };

const mintOutput = variant("property.MintOutput", ownerFields, sorted);
const ownedOutput = variant("property.OwnedOutput", ownerFields, sorted);
const mintOperation = variant("property.MintOperation", { mintInput: input, mintOutput: owners, ownedOutput: owners });
const burnOperation = variant("property.BurnOperation", inputFields);
const credential = variant("property.Credential", credentialFields);

type PropertyMintOutput = Value<typeof mintOutput>;
type PropertyOwnedOutput = Value<typeof ownedOutput>;
type PropertyMintOperation = Value<typeof mintOperation>;
type PropertyBurnOperation = Value<typeof burnOperation>;
type PropertyCredential = Value<typeof credential>;
type Body = PropertyMintOutput | PropertyOwnedOutput | PropertyMintOperation | PropertyBurnOperation | PropertyCredential;

export const propertyFx: Fx = {
  id: nameId("propertyfx"),
  types: [
    fxType(mintOutput, "propertyfx.MintOutput", "state"),
    fxType(ownedOutput, "propertyfx.OwnedOutput", "state"),
    fxType(mintOperation, "propertyfx.MintOperation", "operation"),
    fxType(burnOperation, "propertyfx.BurnOperation", "operation"),
    fxType(credential, "propertyfx.Credential", "credential"),
  ],

  verify(body) {
    const value = body as Body;
    switch (value.kind) {
      case "property.MintOutput":
      case "property.OwnedOutput":
        return verifyOwners(value);
      case "property.MintOperation":
        verifySignatureIndices(value.mintInput.signatureIndices);
        verifyOwners(value.mintOutput);
        return verifyOwners(value.ownedOutput);
      case "property.BurnOperation":
        return verifySignatureIndices(value.signatureIndices);
      case "property.Credential":
        return;
    }
  },

  verifyTransfer() {
    throw new RuleError("no-transfer", "cant transfer with this fx");
  },

  verifyOperation(body, credential, outputs, spending) {
    if (outputs.length !== 1) throw new RuleError("utxo-count", "wrong number of UTXOs for the operation");
    const { signatures } = expectKind<PropertyCredential>(credential, "property.Credential", "wrong credential type");
    const operation = body as Body;
    switch (operation.kind) {
      case "property.MintOperation": {
        const utxo = expectKind<PropertyMintOutput>(outputs[0]!, "property.MintOutput", "wrong utxo type");
        this.verify(operation);
        this.verify(utxo);
        if (!equalOwners(utxo, operation.mintOutput)) throw new RuleError("wrong-mint", "wrong mint output provided");
        return verifyCredential(operation.mintInput.signatureIndices, signatures, utxo, spending);
      }
      case "property.BurnOperation": {
        const utxo = expectKind<PropertyOwnedOutput>(outputs[0]!, "property.OwnedOutput", "wrong utxo type");
        this.verify(operation);
        this.verify(utxo);
        return verifyCredential(operation.signatureIndices, signatures, utxo, spending);
      }
      default:
        throw new RuleError("wrong-kind", "wrong operation type", { kind: operation.kind });
    }
  },

  produces(body) {
    const operation = body as PropertyMintOperation | PropertyBurnOperation;
    if (operation.kind === "property.BurnOperation") return [];
    const renewed: PropertyMintOutput = { kind: "property.MintOutput", ...operation.mintOutput };
    const owned: PropertyOwnedOutput = { kind: "property.OwnedOutput", ...operation.ownedOutput };
    return [renewed, owned];
  },
};
