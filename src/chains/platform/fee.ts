import { MAX_U64 } from "../../base/bytes/amount.ts";
import { RuleError, within } from "../../network/execution.ts";
import type { DynamicFeeParameters } from "../../network/network.ts";
import { type Dimensions, gasOf } from "./complexity.ts";
import { definitionOf, type UnsignedTx } from "./tx/registry.ts";

// The minimum fee of a transaction from Etna on: its gas times the block's gas price (chain-rules 7).

/** The complexity of a decision. */
export function complexityOf(tx: UnsignedTx): Dimensions {
  const definition = definitionOf(tx.kind);
  if (definition.complexity !== undefined) return definition.complexity(tx);
  throw new RuleError("unsupported-tx", "unsupported transaction type", { kind: tx.kind });
}

/** @param gasPrice nAVAX per gas; undefined before Etna, when no fee is enforced */
export function feeOf(tx: UnsignedTx, gasPrice: bigint | undefined, parameters: DynamicFeeParameters): bigint {
  if (gasPrice === undefined) return 0n;
  const gas = gasOf(
    within("error calculating complexity", () => complexityOf(tx)),
    parameters,
  );
  const fee = gas * gasPrice;
  if (fee <= MAX_U64) return fee;
  throw new RuleError("fee-overflow", `error calculating cost with gas (${gas}) and price (${gasPrice}): overflow`);
}
