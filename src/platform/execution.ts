/**
 * What a transaction sees while it is verified and executed. The chain makes one per transaction; a proposal's transaction is executed once for
 * each branch on the same parent state, so `execute` of a type that proposals may hold looks at `branch`.
 */
import type { ExecutionContext } from "../network/execution.ts";
import type { PlatformState } from "./state/platform-state.ts";

export interface TxExecution extends ExecutionContext {
  readonly state: PlatformState;
  /**
   * The kind of block around it (chain-rules 5.2). A type that may not stand there throws "wrong transaction type".
   * "atomic" is a standard execution of ImportTx and ExportTx.
   */
  readonly placement: "standard" | "atomic" | "proposal";
  /** Of a proposal: which branch the state is changed for. */
  readonly branch?: "commit" | "abort";
  /** nAVAX per gas, fixed for the block; undefined before Etna, when no fee is enforced. */
  readonly gasPrice: bigint | undefined;
}
