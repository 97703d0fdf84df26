/** Mints assets and moves what does not transfer: NFTs and properties. Rules: chain-rules 15.6, 15.7. */
import { RuleError } from "../../network/execution.ts";
import { encodeAll, list, type Value } from "../../primitives/codec/codec.ts";
import { variant } from "../../primitives/codec/struct.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import type { FxBody } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import type { Parts } from "../parts.ts";
import { assetKeys, utxoKey } from "../state.ts";
import type { Operation } from "../transfer.ts";
import { baseFields } from "./base.ts";
import { defineTx, type TxContext } from "./define.ts";
import { consume, consumeInputs, produceFrom, produceOutputs, transferKeys, verifyFxUsage, verifyTransfers } from "./transfers.ts";
import { referencesAscend, verifyAssetId, verifyCredentials, verifyEnvelope, verifyFlow } from "./well-formed.ts";

/** MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12 of mainnet: its operations were accepted without being verified. */
export const EXEMPT_TX_ID = "2f21d57488892c35a339d1bf096f8f33e0e60151c3f42a9923735b79bf4b2e68";

function codec(parts: Parts) {
  return variant("OperationTx", { ...baseFields(parts), operations: list(parts.operation) });
}

export type OperationTx = Value<ReturnType<typeof codec>>;

export const operationTx = defineTx<OperationTx>({
  name: "OperationTx",
  typeId: 2,
  codec,

  verifySyntax(tx, rules) {
    const { inputs, outputs, operations } = tx.unsigned;
    if (operations.length === 0) throw new RuleError("no-operations", "an operationTx must have at least one operation");
    verifyEnvelope(tx.unsigned, rules);
    verifyFlow({ fee: rules.txFee, inputs: [inputs], outputs: [outputs] }, rules);
    const spent = new Set(inputs.map((input) => utxoId(input.txId, input.outputIndex)));
    for (const operation of operations) {
      verifyOperationForm(operation);
      for (const { txId, outputIndex } of operation.inputIds) {
        const spentId = utxoId(txId, outputIndex);
        if (spent.has(spentId)) throw new RuleError("double-spend", "inputs attempt to double spend an input");
        spent.add(spentId);
      }
    }
    const encoded = operations.map((operation) => encodeAll(rules.codec.parts.operation, operation));
    for (let i = 1; i < encoded.length; i++) {
      if (encoded[i - 1]!.compare(encoded[i]!) >= 0) throw new RuleError("operations-order", "operations not sorted and unique");
    }
    verifyCredentials(tx, inputs.length + operations.length);
  },

  verifySemantics(tx, context) {
    verifyTransfers(tx, context);
    if (context.level === "replay" || tx.id === EXEMPT_TX_ID) return;
    const { inputs, operations } = tx.unsigned;
    for (const [i, operation] of operations.entries()) verifyOperation(operation, tx.credentials[inputs.length + i]!, context);
  },

  execute(tx, state, effects) {
    consumeInputs(tx, state, effects);
    produceOutputs(tx, state, effects);
    let index = tx.unsigned.outputs.length;
    for (const { assetId, inputIds, operation } of tx.unsigned.operations) {
      for (const { txId, outputIndex } of inputIds) consume(utxoId(txId, outputIndex), state, effects);
      const outputs = fxOf(operation).produces(operation);
      produceFrom(
        tx.id,
        index,
        outputs.map((output) => ({ assetId, output })),
        state,
        effects,
      );
      index += outputs.length;
    }
  },

  keysRead(tx, rules) {
    const keys = transferKeys(tx.unsigned, rules);
    for (const { assetId, inputIds } of tx.unsigned.operations) {
      for (const { txId, outputIndex } of inputIds) keys.push(utxoKey(rules.chain, utxoId(txId, outputIndex)));
      keys.push(...assetKeys(rules, assetId));
    }
    return keys;
  },
});

function verifyOperationForm({ assetId, inputIds, operation }: Operation): void {
  if (!referencesAscend(inputIds)) throw new RuleError("utxo-ids-order", "utxo IDs not sorted and unique");
  verifyAssetId(assetId);
  fxOf(operation).verify(operation);
}

function verifyOperation({ assetId, inputIds, operation }: Operation, credential: FxBody, context: TxContext): void {
  const outputs = inputIds.map(({ txId, outputIndex }) => {
    const utxo = context.state.utxo(utxoId(txId, outputIndex));
    if (utxo === undefined) throw new RuleError("not-found", "not found");
    if (utxo.assetId !== assetId) throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
    return utxo.output;
  });
  verifyFxUsage(operation, assetId, context);
  fxOf(operation).verifyOperation(operation, credential, outputs, context);
}
