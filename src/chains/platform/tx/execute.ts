/** Runs transactions: first the checks that all kinds share, in the node's order, then the kind's own code (chain-rules 5.2, 10). */

import { formatId } from "../../../base/bytes/cb58.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { timeText } from "../../../network/go-time.ts";
import { isActive, type UpgradeName } from "../../../network/network.ts";
import type { TxExecution } from "../execution.ts";
import { feeOf } from "../fee.ts";
import { type TxContext, verifyMemoLength } from "./base.ts";
import { type AnyDefinition, definitionOf, definitionWithId, type UnsignedTx } from "./registry.ts";
import type { Signed } from "./signed.ts";

/** Verifies a transaction against the state and applies it. A RuleError names the transaction; the caller rolls back. */
export function executeTx(tx: Signed<UnsignedTx>, context: TxExecution): void {
  const fee = () => feeOf(tx.unsigned, context.gasPrice, context.network.dynamicFees);
  const kindOf = (typeId: number) => definitionWithId(typeId).name;
  const definition = definitionOf(tx.unsigned.kind);
  const [produced, balances] = [definition.produced?.(tx.unsigned) ?? [], definition.balances?.(tx.unsigned) ?? []];
  const own = { ...context, fee, kindOf, produced, balances };
  named(tx, context.placement, () => {
    if (context.placement === "proposal") propose(definition, tx, own);
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

function propose(definition: AnyDefinition, tx: Signed<UnsignedTx>, context: TxContext): void {
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
