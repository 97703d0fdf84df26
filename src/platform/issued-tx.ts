/** What the node verifies of a transaction that a client issues: as if it were alone in a block built now (rpc-platform 5.20). */
import { type ExecutionContext, RuleError } from "../network/execution.ts";
import { within } from "../network/within.ts";
import { gasPriceOf } from "./block-execution.ts";
import { gasOf } from "./fee/dimensions.ts";
import { complexityOf } from "./fee/fee.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { advanceTime, nextBlockTime } from "./time.ts";
import { executeTx } from "./tx/execute.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

/**
 * Throws the node's text behind "couldn't issue tx: ". Changes nothing. Warp messages are the caller's.
 *
 * Before Etna the release's mempool also refuses what it cannot meter, such as an AddValidatorTx ("failed to meter tx: unsupported
 * transaction type"). That is left out: it is a limit of that mempool, no rule of the chain, and the recorded node had none.
 */
export function verifyIssuedTx(tx: SignedTx, state: PlatformState, context: ExecutionContext): void {
  const mark = state.view.mark();
  try {
    advanceTime(state, nextBlockTime(state, context.clock));
    const gasPrice = gasPriceOf(state);
    if (gasPrice !== undefined) checkGas(tx, state);
    within("failed execution", () => executeTx(tx, { ...context, state, placement: "standard", gasPrice }));
  } finally {
    state.view.rollback(mark);
  }
}

function checkGas(tx: SignedTx, state: PlatformState): void {
  const complexity = within("failed to calculate tx complexity", () => complexityOf(tx.unsigned));
  const gas = gasOf(complexity, state.network.dynamicFees);
  const { feeCapacity } = state.scalars;
  if (gas > feeCapacity)
    throw new RuleError("gas-capacity", `tx exceeds current gas capacity: ${gas} > ${feeCapacity}`, { gas, feeCapacity });
}
