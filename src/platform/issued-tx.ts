/** What the node verifies of a transaction that a client issues: as if it were alone in a block built now (rpc-platform 5.20). */
import { type ExecutionContext, RuleError } from "../network/execution.ts";
import { within } from "../network/within.ts";
import { gasPriceOf } from "./block-execution.ts";
import type { TxExecution } from "./execution.ts";
import { gasOf } from "./fee/dimensions.ts";
import { complexityOf } from "./fee/fee.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { advanceTime, nextBlockTime } from "./time.ts";
import { executeTx } from "./tx/execute.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

/**
 * Throws the node's text behind "couldn't issue tx: ". Changes nothing. Warp messages are the caller's, the mempool's own rules are
 * builder/'s.
 * @param ancestors in no block yet, executed before it; one that fails is left out
 */
export function verifyIssuedTx(tx: SignedTx, state: PlatformState, context: ExecutionContext, ancestors: readonly SignedTx[] = []): void {
  const mark = state.view.mark();
  try {
    advanceTime(state, nextBlockTime(state, context.clock));
    const gasPrice = gasPriceOf(state);
    if (gasPrice !== undefined) checkGas(tx, state);
    const execution: TxExecution = { ...context, state, placement: "standard", gasPrice };
    for (const ancestor of ancestors) tryTx(ancestor, execution);
    within("failed execution", () => executeTx(tx, execution));
  } finally {
    state.view.rollback(mark);
  }
}

/** Executes a transaction as a decision. The error if it breaks a rule; then it has no effect. */
export function tryTx(tx: SignedTx, execution: TxExecution): RuleError | undefined {
  const { view } = execution.state;
  const mark = view.mark();
  try {
    executeTx(tx, execution);
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    view.rollback(mark);
    return error;
  }
}

function checkGas(tx: SignedTx, state: PlatformState): void {
  const complexity = within("failed to calculate tx complexity", () => complexityOf(tx.unsigned));
  const gas = gasOf(complexity, state.network.dynamicFees);
  const { feeCapacity } = state.scalars;
  if (gas > feeCapacity)
    throw new RuleError("gas-capacity", `tx exceeds current gas capacity: ${gas} > ${feeCapacity}`, { gas, feeCapacity });
}
