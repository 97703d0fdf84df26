/** Verifies an issued transaction as the node does: as if it were alone in a block built now (rpc-platform 5.20). */
import { type ExecutionContext, NotYetError, RuleError } from "../../network/execution.ts";
import { within } from "../../network/within.ts";
import { gasPriceOf } from "./block-execution.ts";
import type { TxExecution } from "./execution.ts";
import { gasOf } from "./fee/dimensions.ts";
import { complexityOf } from "./fee/fee.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { advanceTime, nextBlockTime } from "./time.ts";
import { executeTx } from "./tx/execute.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

/**
 * Throws with the node's text that follows "couldn't issue tx: ". Changes nothing. The caller checks warp messages; src/chains/platform/builder
 * has the mempool's own rules.
 * @param ancestors waiting transactions, executed before it; those that fail are skipped
 */
export function verifyIssuedTx(tx: SignedTx, state: PlatformState, context: ExecutionContext, ancestors: readonly SignedTx[] = []): void {
  state.view.tryOut(() => {
    advanceTime(state, nextBlockTime(state, context.clock));
    const gasPrice = gasPriceOf(state);
    if (gasPrice !== undefined) checkGas(tx, state);
    const execution: TxExecution = { ...context, state, placement: "standard", gasPrice };
    for (const ancestor of ancestors) tryTx(ancestor, execution);
    within("failed execution", () => executeTx(tx, execution));
  });
}

/** Executes a transaction as a decision. If it breaks a rule, returns the error and changes nothing. */
export function tryTx(tx: SignedTx, execution: TxExecution): RuleError | undefined {
  try {
    execution.state.view.whole(() => executeTx(tx, execution));
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return error;
  }
}

function checkGas(tx: SignedTx, state: PlatformState): void {
  const complexity = within("failed to calculate tx complexity", () => complexityOf(tx.unsigned));
  const gas = gasOf(complexity, state.network.dynamicFees);
  const { feeCapacity } = state.scalars;
  if (gas > feeCapacity)
    throw new NotYetError("gas-capacity", `tx exceeds current gas capacity: ${gas} > ${feeCapacity}`, { gas, feeCapacity });
}
