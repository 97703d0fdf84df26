/** Applies a block to the state (chain-rules 5.3–5.5). After a RuleError the state is partly changed; the caller rolls back. */

import { MAX_U64, smaller } from "../../base/bytes/amount.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { storedInBlock, storedWhole } from "../../base/table/table.ts";
import { type ExecutionContext, NotYetError, RuleError, within } from "../../network/execution.ts";
import { timeText } from "../../network/go-time.ts";
import { isActive, type UpgradeName } from "../../network/network.ts";
import { type DecisionBlock, type PlacedTx, type PlatformBlock, type ProposalBlock, placedTxs } from "./block.ts";
import { exponentialPrice, gasOf, sum } from "./complexity.ts";
import type { TxExecution } from "./execution.ts";
import { complexityOf, feeOf } from "./fee.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { TX_ABORTED, TX_COMMITTED } from "./tables.ts";
import { advanceTime, deactivateLowBalances, nextBlockTime } from "./time.ts";
import { type Branch, type TxContext, verifyMemoLength } from "./tx/base.ts";
import { type AnyDefinition, definitionOf, definitionWithId, type SignedTx, type UnsignedTx } from "./tx/registry.ts";
import type { Signed } from "./tx/signed.ts";

export function executeDecisionBlock(block: DecisionBlock, state: PlatformState, context: ExecutionContext): void {
  if (block.kind === "ApricotAtomicBlock") {
    decideTx(block, placedTxs(block)[0]!, { ...context, state, placement: "atomic", gasPrice: undefined });
    return;
  }
  const hasSetChanged = block.kind === "BanffStandardBlock" && advanceTime(state, block.time);
  const hasDeactivated = executeDecisions(block, state, context);
  if (block.kind === "BanffStandardBlock" && !hasSetChanged && !hasDeactivated && block.txs.length === 0) {
    throw new RuleError("no-changes", "BanffStandardBlock performs no state changes");
  }
}

/** Applies a proposal block, decided as `branch`. */
export function executeProposalBlock(block: ProposalBlock, branch: Branch, state: PlatformState, context: ExecutionContext): void {
  if (block.kind === "BanffProposalBlock") {
    advanceTime(state, block.time);
    executeDecisions(block, state, context);
  }
  propose(block, branch, state, context);
}

/** Verifies that both branches of a proposal can be executed. Leaves the state unchanged. */
export function verifyProposalBlock(block: ProposalBlock, state: PlatformState, context: ExecutionContext): void {
  state.view.tryOut(() => {
    if (block.kind === "BanffProposalBlock") {
      advanceTime(state, block.time);
      executeDecisions(block, state, context);
    }
    for (const branch of ["commit", "abort"] as const) state.view.tryOut(() => propose(block, branch, state, context));
  });
}

/** The gas price in nAVAX for a block built on this state; undefined before Etna (chain-rules 7.3). */
export function gasPriceOf(state: PlatformState): bigint | undefined {
  if (!state.isActive("etna")) return undefined;
  const { minGasPrice, excessConversionConstant } = state.network.dynamicFees;
  return exponentialPrice(minGasPrice, state.scalars.feeExcess, excessConversionConstant);
}

function propose(block: ProposalBlock, branch: Branch, state: PlatformState, context: ExecutionContext): void {
  decideTx(block, placedTxs(block).at(-1)!, { ...context, state, placement: "proposal", branch, gasPrice: gasPriceOf(state) });
}

/** Runs decision transactions in order, then deactivates L1 validators without balance; returns whether there were any. */
function executeDecisions(
  block: Extract<DecisionBlock | ProposalBlock, { txs: unknown }>,
  state: PlatformState,
  context: ExecutionContext,
): boolean {
  const gasPrice = gasPriceOf(state);
  if (gasPrice !== undefined) consumeGas(block.txs, state);
  const execution: TxExecution = { ...context, state, placement: "standard", gasPrice };
  const imported = new Set<Id>();
  for (const placed of placedTxs(block).slice(0, block.txs.length)) {
    const importCount = state.changes.imports.length;
    decideTx(block, placed, execution);
    for (const { utxoIds } of state.changes.imports.slice(importCount)) requireUnused(utxoIds, imported);
  }
  return deactivateLowBalances(state);
}

function requireUnused(utxoIds: readonly Id[], imported: Set<Id>): void {
  if (utxoIds.some((utxoId) => imported.has(utxoId))) {
    throw new RuleError("conflicting-txs", "block contains conflicting transactions");
  }
  for (const utxoId of utxoIds) imported.add(utxoId);
}

/** Takes the gas of all transactions from the capacity at once, before they are executed (chain-rules 5.5). */
function consumeGas(txs: readonly SignedTx[], state: PlatformState): void {
  const gas = gasOf(sum(...txs.map((tx) => complexityOf(tx.unsigned))), state.network.dynamicFees);
  const { feeCapacity, feeExcess } = state.scalars;
  if (gas > feeCapacity) {
    throw new NotYetError("gas-capacity", `insufficient capacity: capacity (${feeCapacity}) < gas (${gas})`, { feeCapacity, gas });
  }
  state.setScalars({ feeCapacity: feeCapacity - gas, feeExcess: smaller(feeExcess + gas, MAX_U64) });
}

/** Types whose bytes the execution of later transactions reads. */
const READ_AGAIN: ReadonlySet<string> = new Set(["AddAutoRenewedValidatorTx"]);

/** Executes a transaction and records it as decided. */
function decideTx({ id: blockId, height }: PlatformBlock, { tx, offset }: PlacedTx, execution: TxExecution): void {
  const { state, branch } = execution;
  const isCommitted = branch !== "abort";
  const start = state.changes.beginTx();
  executeTx(tx, execution);
  const stored = READ_AGAIN.has(tx.unsigned.kind) ? storedWhole(tx.bytes) : storedInBlock(tx.bytes, offset);
  state.putTx(tx.id, { height, status: isCommitted ? TX_COMMITTED : TX_ABORTED, ...stored });
  state.changes.endTx(start, { tx, isCommitted, blockId, height });
}

// Verifies an issued transaction as the node does: as if it were alone in a block built now (rpc-platform 5.20).

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

// Runs transactions: first the checks that all kinds share, in the node's order, then the kind's own code (chain-rules 5.2, 10).

/** Verifies a transaction against the state and applies it. A RuleError names the transaction; the caller rolls back. */
export function executeTx(tx: Signed<UnsignedTx>, context: TxExecution): void {
  const fee = () => feeOf(tx.unsigned, context.gasPrice, context.network.dynamicFees);
  const kindOf = (typeId: number) => definitionWithId(typeId).name;
  const definition = definitionOf(tx.unsigned.kind);
  const [produced, balances] = [definition.produced?.(tx.unsigned) ?? [], definition.balances?.(tx.unsigned) ?? []];
  const own = { ...context, fee, kindOf, produced, balances };
  named(tx, context.placement, () => {
    if (context.placement === "proposal") proposeTx(definition, tx, own);
    else if (context.placement === "standard") decide(definition, tx, own);
    else decideAtomic(definition, tx, own);
  });
}

/** An atomic block contains an import or export, which is executed as in a standard block; the node's error text contains both. */
function decideAtomic(definition: AnyDefinition, tx: Signed<UnsignedTx>, context: TxContext): void {
  if (!definition.isAtomic) throw wrongType();
  named(tx, "standard", () => decide(definition, tx, context));
}

function named(tx: Signed<UnsignedTx>, placement: TxExecution["placement"], run: () => void): void {
  try {
    within(() => `${placement} tx ${formatId(tx.id)} failed execution`, run);
  } catch (error) {
    if (error instanceof RuleError) error.txId = tx.id;
    throw error;
  }
}

function decide(definition: AnyDefinition, tx: Signed<UnsignedTx>, context: TxContext): void {
  if (definition.execute === undefined) throw wrongType();
  definition.verifyFirst?.(tx.unsigned);
  verifyEraAndForm(definition, tx, context);
  definition.execute(tx, context);
}

function proposeTx(definition: AnyDefinition, tx: Signed<UnsignedTx>, context: TxContext): void {
  const branch = context.branch;
  if (definition.propose === undefined || branch === undefined) throw wrongType();
  // a kind that may be a decision could be proposed only before Banff
  if (definition.execute !== undefined) verifyBeforeBanff(context);
  verifyEraAndForm(definition, tx, context);
  definition.propose(tx, context, branch);
}

function wrongType(): RuleError {
  return new RuleError("wrong-tx-type", "wrong transaction type");
}

function verifyBeforeBanff({ network, state }: TxExecution): void {
  if (!state.isActive("banff")) return;
  const [now, banff] = [timeText(state.timestamp), timeText(network.upgrades.times.banff)];
  const text = `staker transaction proposed after Banff: timestamp (${now}) >= Banff fork time (${banff})`;
  throw new RuleError("proposed-after-banff", text);
}

function verifyEraAndForm(definition: AnyDefinition, tx: Signed<UnsignedTx>, { network, state }: TxExecution): void {
  const isReached = (upgrade: UpgradeName) => isActive(network, upgrade, state.timestamp);
  const { name, since, until } = definition;
  if (until !== undefined && isReached(until)) {
    throw new RuleError("after-upgrade", `${name} is not permitted post-${titleCase(until)}`);
  }
  if (since !== undefined && !isReached(since)) {
    const article = since === "etna" ? "an" : "a";
    throw new RuleError("before-upgrade", `attempting to use ${article} ${titleCase(since)}-upgrade feature prior to activation`);
  }
  definition.verifyForm(tx.unsigned, network);
  if ("memo" in tx.unsigned && isReached("durango")) verifyMemoLength(tx.unsigned.memo, 0);
}

function titleCase(upgrade: UpgradeName): string {
  return upgrade[0]!.toUpperCase() + upgrade.slice(1);
}
