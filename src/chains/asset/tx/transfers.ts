/** Spending and producing UTXOs: the verification that all transaction types share (chain-rules 15.5). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { RuleError, within } from "../../../network/execution.ts";
import type { FxBody } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import type { TransferableInput, Utxo } from "../transfer.ts";
import type { BaseMembers } from "./base.ts";
import type { TxContext } from "./define.ts";
import type { Signed } from "./signed-tx.ts";

type AnyTx = Signed<BaseMembers>;

/** Checks that the inputs may spend their UTXOs, and that every output's asset supports its fx. */
export function verifyTransfers({ unsigned, credentials }: AnyTx, context: TxContext): void {
  for (const [i, input] of unsigned.inputs.entries()) {
    within("failed to verify transfer", () => {
      const spentId = utxoIdOf(input);
      const utxo = context.state.utxo(spentId);
      if (utxo === undefined) throw new RuleError("no-utxo", `failed to get utxo ${formatId(spentId)}: not found`);
      verifyTransfer(input, credentials[i]!, utxo, context);
    });
  }
  for (const { assetId, output } of unsigned.outputs) {
    within("failed to verify fx usage", () => verifyFxUsage(output, assetId, context));
  }
}

/** Checks that the input, with its credential, may spend the UTXO. The credential's type chooses the fx. */
export function verifyTransfer(input: TransferableInput, credential: FxBody, utxo: Utxo, context: TxContext): void {
  if (utxo.assetId !== input.assetId) {
    throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
  }
  verifyFxUsage(credential, input.assetId, context);
  fxOf(credential).verifyTransfer(input.input, credential, utxo.output, context);
}

/** Checks that the asset exists on this chain and supports the value's fx. */
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
