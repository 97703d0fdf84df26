/**
 * The context in which a transaction is verified and executed. The chain makes one per transaction. A proposal's transaction is executed
 * once per branch on the same parent state, so the `execute` of a type that proposals may contain depends on `branch`.
 */
import type { ExecutionContext } from "../../network/execution.ts";
import type { PlatformState } from "./state/platform-state.ts";

export interface TxExecution extends ExecutionContext {
  readonly state: PlatformState;
  /**
   * The kind of block that contains it (chain-rules 5.2). A type that may not be there throws "wrong transaction type". "atomic" is a
   * standard execution of ImportTx and ExportTx.
   */
  readonly placement: "standard" | "atomic" | "proposal";
  /** For a proposal: the branch being executed. */
  readonly branch?: "commit" | "abort";
  /** nAVAX per gas, constant within a block; undefined before Etna, when no fee is enforced. */
  readonly gasPrice: bigint | undefined;
}
