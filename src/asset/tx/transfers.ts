/** Spending and producing UTXOs: the part of verification and execution that all transaction types share (chain-rules 15.5). */
import { RuleError } from "../../network/execution.ts";
import { within } from "../../network/within.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import type { RowKey } from "../../primitives/view.ts";
import type { FxBody, StateBody } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import { type AssetState, assetKeys, utxoKey } from "../state.ts";
import type { TransferableInput, Utxo } from "../transfer.ts";
import type { BaseMembers } from "./base.ts";
import type { ChainRules, Effects, TxContext } from "./define.ts";
import type { SignedTx } from "./signed-tx.ts";

type AnyTx = SignedTx<BaseMembers>;

/** The inputs may spend what they name, and every output is of an asset that has this fx. */
export function verifyTransfers({ unsigned, credentials }: AnyTx, context: TxContext): void {
  for (const [i, input] of unsigned.inputs.entries()) {
    within("failed to verify transfer", () => {
      const spentId = utxoId(input.txId, input.outputIndex);
      const utxo = context.state.utxo(spentId);
      if (utxo === undefined) throw new RuleError("no-utxo", `failed to get utxo ${formatId(spentId)}: not found`);
      verifyTransfer(input, credentials[i]!, utxo, context);
    });
  }
  for (const { assetId, output } of unsigned.outputs) {
    within("failed to verify fx usage", () => verifyFxUsage(output, assetId, context));
  }
}

/** Whether the input, with its credential, may spend the UTXO. The credential's type chooses the fx. */
export function verifyTransfer(input: TransferableInput, credential: FxBody, utxo: Utxo, context: TxContext): void {
  if (utxo.assetId !== input.assetId) {
    throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
  }
  verifyFxUsage(credential, input.assetId, context);
  fxOf(credential).verifyTransfer(input.input, credential, utxo.output, context);
}

/** The asset exists on this chain and has the fx that the value belongs to. */
export function verifyFxUsage(value: FxBody, assetId: Id, { rules, state }: TxContext): void {
  const enabled = state.fxIndices(assetId);
  if (enabled === undefined) {
    throw state.hasTx(assetId) ? new RuleError("no-asset", "not an asset") : new RuleError("not-found", "not found");
  }
  const fx = fxOf(value);
  if (!enabled.some((index) => rules.codec.fxs[index] === fx)) {
    throw new RuleError("incompatible-fx", "incompatible feature extension");
  }
}

export function consumeInputs({ unsigned }: AnyTx, state: AssetState, effects: Effects): void {
  for (const { txId, outputIndex } of unsigned.inputs) consume(utxoId(txId, outputIndex), state, effects);
}

export function consume(spentId: Id, state: AssetState, effects: Effects): void {
  const consumed = state.removeUtxo(spentId);
  if (consumed !== undefined) effects.consumed.push(consumed);
}

export function produceOutputs({ id, unsigned }: AnyTx, state: AssetState, effects: Effects): void {
  for (const [outputIndex, { assetId, output }] of unsigned.outputs.entries()) {
    effects.produced.push(state.addUtxo({ txId: id, outputIndex, assetId, output }));
  }
}

/** Outputs that follow the transaction's own, with running indices (chain-formats 5.4). */
export function produceFrom(
  txId: Id,
  firstIndex: number,
  outputs: Iterable<{ assetId: Id; output: StateBody }>,
  state: AssetState,
  effects: Effects,
): void {
  let outputIndex = firstIndex;
  for (const { assetId, output } of outputs) {
    effects.produced.push(state.addUtxo({ txId, outputIndex, assetId, output }));
    outputIndex++;
  }
}

export function transferKeys(tx: BaseMembers, rules: ChainRules): RowKey[] {
  const assetIds = new Set<Id>();
  const keys: RowKey[] = [];
  for (const { txId, outputIndex, assetId } of tx.inputs) {
    keys.push(utxoKey(rules.chain, utxoId(txId, outputIndex)));
    assetIds.add(assetId);
  }
  for (const { assetId } of tx.outputs) assetIds.add(assetId);
  for (const assetId of assetIds) keys.push(...assetKeys(rules, assetId));
  return keys;
}
