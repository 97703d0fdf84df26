/** Mints assets, and moves NFTs and properties, which cannot be transferred. Rules: chain-rules 15.6, 15.7. */

import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { encodeAll, list, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import type { FxBody } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import type { Parts } from "../parts.ts";
import type { Operation } from "../transfer.ts";
import { baseFields } from "./base.ts";
import { defineTx, type TxContext } from "./define.ts";
import { verifyFxUsage } from "./transfers.ts";
import { referencesAscend, verifyAssetId } from "./well-formed.ts";

/** Mainnet's MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12, whose operations were accepted without verification. */
export const EXEMPT_TX_ID = "2f21d57488892c35a339d1bf096f8f33e0e60151c3f42a9923735b79bf4b2e68";

function codec(parts: Parts) {
  return variant("OperationTx", { ...baseFields(parts), operations: list(parts.operation) });
}

export type OperationTx = Value<ReturnType<typeof codec>>;

export const operationTx = defineTx<OperationTx>({
  name: "OperationTx",
  typeId: 2,
  codec,
  operations: ({ operations }) => operations,
  produced: ({ operations }) =>
    operations.flatMap(({ assetId, operation }) =>
      fxOf(operation)
        .produces(operation)
        .map((output) => ({ assetId, output })),
    ),
  verifyFirst({ operations }) {
    if (operations.length === 0) throw new RuleError("no-operations", "an operationTx must have at least one operation");
  },
  verifyForm({ inputs, operations }, rules) {
    const spent = new Set(inputs.map(utxoIdOf));
    for (const operation of operations) {
      verifyOperationForm(operation);
      for (const spentId of operation.inputIds.map(utxoIdOf)) {
        if (spent.has(spentId)) throw new RuleError("double-spend", "inputs attempt to double spend an input");
        spent.add(spentId);
      }
    }
    const encoded = operations.map((operation) => encodeAll(rules.codec.parts.operation, operation));
    for (let i = 1; i < encoded.length; i++) {
      if (encoded[i - 1]!.compare(encoded[i]!) >= 0) throw new RuleError("operations-order", "operations not sorted and unique");
    }
  },
  verifySemantics(tx, context) {
    if (context.level === "replay" || tx.id === EXEMPT_TX_ID) return;
    const { inputs, operations } = tx.unsigned;
    for (const [i, operation] of operations.entries()) verifyOperation(operation, tx.credentials[inputs.length + i]!, context);
  },
});

function verifyOperationForm({ assetId, inputIds, operation }: Operation): void {
  if (!referencesAscend(inputIds)) throw new RuleError("utxo-ids-order", "utxo IDs not sorted and unique");
  verifyAssetId(assetId);
  fxOf(operation).verify(operation);
}

function verifyOperation({ assetId, inputIds, operation }: Operation, credential: FxBody, context: TxContext): void {
  const outputs = inputIds.map((reference) => {
    const utxo = context.state.utxo(utxoIdOf(reference));
    if (utxo === undefined) throw new RuleError("not-found", "not found");
    if (utxo.assetId !== assetId) throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
    return utxo.output;
  });
  verifyFxUsage(operation, assetId, context);
  fxOf(operation).verifyOperation(operation, credential, outputs, context);
}
