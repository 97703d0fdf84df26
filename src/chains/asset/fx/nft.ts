/** nftfx: non-fungible outputs in groups, with a payload; only operations move them (chain-rules 15.7). */

import { nameId } from "../../../base/bytes/id.ts";
import { bytes, list, struct, u32, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { credentialFields, input, ownerFields, owners } from "../fields.ts";
import { type Fx, fxType, verifyCredential, verifyOwners, verifySignatureIndices } from "./fx.ts";
import { expectKind } from "./secp256k1.ts";

const MAX_PAYLOAD_BYTES = 1024;

const sorted = { jsonSorted: true };
const transferOutputFields = { groupId: u32, payload: bytes, ...ownerFields };

const mintOutput = variant("nft.MintOutput", { groupId: u32, ...ownerFields }, sorted);
const transferOutput = variant("nft.TransferOutput", transferOutputFields, sorted);
const mintOperation = variant("nft.MintOperation", { mintInput: input, groupId: u32, payload: bytes, outputs: list(owners) });
const transferOperation = variant("nft.TransferOperation", { input, output: struct(transferOutputFields, sorted) });
const credential = variant("nft.Credential", credentialFields);

type NftMintOutput = Value<typeof mintOutput>;
type NftTransferOutput = Value<typeof transferOutput>;
type NftMintOperation = Value<typeof mintOperation>;
type NftTransferOperation = Value<typeof transferOperation>;
type NftCredential = Value<typeof credential>;
type Body = NftMintOutput | NftTransferOutput | NftMintOperation | NftTransferOperation | NftCredential;

export const nftFx: Fx = {
  id: nameId("nftfx"),
  types: [
    fxType(mintOutput, "nftfx.MintOutput", "state"),
    fxType(transferOutput, "nftfx.TransferOutput", "state"),
    fxType(mintOperation, "nftfx.MintOperation", "operation"),
    fxType(transferOperation, "nftfx.TransferOperation", "operation"),
    fxType(credential, "nftfx.Credential", "credential"),
  ],

  verify(body) {
    const value = body as Body;
    switch (value.kind) {
      case "nft.MintOutput":
        return verifyOwners(value);
      case "nft.TransferOutput":
        return verifyTransferOutput(value);
      case "nft.MintOperation":
        verifyPayload(value.payload);
        for (const owner of value.outputs) verifyOwners(owner);
        return verifySignatureIndices(value.mintInput.signatureIndices);
      case "nft.TransferOperation":
        verifySignatureIndices(value.input.signatureIndices);
        return verifyTransferOutput(value.output);
      case "nft.Credential":
        return;
    }
  },

  verifyTransfer() {
    throw new RuleError("no-transfer", "cant transfer with this fx");
  },

  verifyOperation(body, credential, outputs, spending) {
    if (outputs.length !== 1) throw new RuleError("utxo-count", "wrong number of UTXOs for the operation");
    const { signatures } = expectKind<NftCredential>(credential, "nft.Credential", "wrong credential type");
    const operation = body as Body;
    switch (operation.kind) {
      case "nft.MintOperation": {
        const utxo = expectKind<NftMintOutput>(outputs[0]!, "nft.MintOutput", "wrong utxo type");
        this.verify(operation);
        this.verify(utxo);
        if (utxo.groupId !== operation.groupId) throw new RuleError("wrong-group", "wrong unique ID provided");
        return verifyCredential(operation.mintInput.signatureIndices, signatures, utxo, spending);
      }
      case "nft.TransferOperation": {
        const utxo = expectKind<NftTransferOutput>(outputs[0]!, "nft.TransferOutput", "wrong utxo type");
        this.verify(operation);
        this.verify(utxo);
        if (utxo.groupId !== operation.output.groupId) throw new RuleError("wrong-group", "wrong unique ID provided");
        if (Buffer.compare(utxo.payload, operation.output.payload) !== 0) throw new RuleError("wrong-payload", "wrong bytes provided");
        return verifyCredential(operation.input.signatureIndices, signatures, utxo, spending);
      }
      default:
        throw new RuleError("wrong-kind", "wrong operation type", { kind: operation.kind });
    }
  },

  /** A mint does not produce a new MintOutput, so each can be used once. */
  produces(body) {
    const operation = body as NftMintOperation | NftTransferOperation;
    const { groupId, payload } = operation.kind === "nft.MintOperation" ? operation : operation.output;
    const holders = operation.kind === "nft.MintOperation" ? operation.outputs : [operation.output];
    return holders.map(
      ({ locktime, threshold, addresses }): NftTransferOutput => ({
        kind: "nft.TransferOutput",
        groupId,
        payload,
        locktime,
        threshold,
        addresses,
      }),
    );
  },
};

function verifyTransferOutput(output: Omit<NftTransferOutput, "kind">): void {
  verifyPayload(output.payload);
  verifyOwners(output);
}

function verifyPayload(payload: Uint8Array): void {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RuleError("payload-size", "payload too large", { length: payload.length });
}
