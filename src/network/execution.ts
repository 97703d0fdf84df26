import type { Id, ShortId } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { View } from "../base/table/view.ts";
import type { NetworkInstance } from "./network.ts";

/** What execution may know besides the block and the rows. */
export interface ExecutionContext {
  readonly network: NetworkInstance;
  readonly level: RuleLevel;
  /** The verifying node's wall clock, in Unix seconds, with which locktimes and block times are compared (chain-rules 0.4). */
  readonly clock: bigint;
}

/**
 * A block or transaction breaks a rule. `message` is the reference node's text, because clients see it. `blockId` and `txId` are added on
 * the way up.
 */
export class RuleError extends FirnError {
  /** code of the rule */
  override readonly code: string;
  blockId?: Id;
  txId?: Id;

  constructor(rule: string, message: string, facts?: Record<string, unknown>, options?: ErrorOptions) {
    super("rule", message, facts, options);
    this.code = rule;
  }
}

/** A rule that the same transaction may satisfy later. */
export class NotYetError extends RuleError {}

/** An import of what is not in shared memory: the block of the other chain that exports it may have yet to be executed. */
export class NotExportedError extends RuleError {
  readonly sourceChain: Id;
  readonly utxoId: Id;

  constructor(rule: string, message: string, { sourceChain, utxoId }: { readonly sourceChain: Id; readonly utxoId: Id }) {
    super(rule, message, { sourceChain, utxoId });
    this.sourceChain = sourceChain;
    this.utxoId = utxoId;
  }
}

/** Executes a block or vertex. If it is refused, the view is unchanged, and the error names it. */
export function executeBlock<T>(blockId: Id, view: View, run: () => T): T {
  try {
    return view.whole(run);
  } catch (error) {
    if (error instanceof RuleError) error.blockId ??= blockId;
    throw error;
  }
}

/** A block as a source delivers it. The chain reads height and ID of the inner block from its bytes. */
export interface SourceBlock {
  readonly chainId: Id;
  /** the block, with or without its proposervm container */
  readonly container: Uint8Array;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

/** A block taken out of its proposervm container (chain-formats 8). */
export interface UnwrappedBlock {
  /** the block's own ID if it has no container; EMPTY_ID if it is not known whether it has one */
  readonly containerId: Id;
  readonly head: Uint8Array;
  readonly inner: Uint8Array;
  readonly tail: Uint8Array;
  /** header of the container; undefined for a bare block. An option (type 1) inherits its parent's. */
  readonly header?: ProposerHeader;
}

export interface ProposerHeader {
  readonly parentId: Id;
  /** undefined for an option */
  readonly timestamp?: bigint;
  readonly pChainHeight?: bigint;
  readonly epoch?: { readonly pChainHeight: bigint; readonly number: bigint; readonly startTime: bigint };
}

/** An output that was created on the chain itself (not in shared memory). */
export interface ProducedUtxo {
  readonly utxoId: Id;
  /** without codec version */
  readonly bytes: Uint8Array;
  /** all its owners, for the address index */
  readonly addresses: readonly ShortId[];
  /** sort key in the lists of its addresses, see `utxoRank` */
  readonly rank: bigint;
}

/** An output that was spent. */
export interface ConsumedUtxo {
  readonly utxoId: Id;
  readonly addresses: readonly ShortId[];
  /** the same as when it was produced */
  readonly rank: bigint;
}

/**
 * Runs a check; if it breaks a rule, prefixes the rule's text as the node does: `prefix: text`. An expensive prefix can be passed as a
 * function.
 */
export function within<T>(prefix: string | (() => string), check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const text = typeof prefix === "string" ? prefix : prefix();
    throw new RuleError(error.code, `${text}: ${error.message}`, error.facts, { cause: error });
  }
}
