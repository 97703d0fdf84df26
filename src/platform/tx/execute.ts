/** Runs transactions: the checks that all kinds share, in the node's order, then what the kind itself says (chain-rules 5.2, 10). */
import { RuleError } from "../../network/execution.ts";
import { timeText } from "../../network/go-time.ts";
import { isActive, type UpgradeName } from "../../network/network.ts";
import { within } from "../../network/within.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { TxExecution } from "../execution.ts";
import { feeOf } from "../fee/fee.ts";
import { verifyMemoLength } from "./base.ts";
import type { TxContext, TxDefinition } from "./define-tx.ts";
import { definitionOf, definitionWithId, type UnsignedTx } from "./registry.ts";
import type { Signed } from "./signed.ts";

/** Verifies a transaction against the state and changes the state. A RuleError names the transaction; the caller rolls back. */
export function executeTx(tx: Signed<UnsignedTx>, context: TxExecution): void {
  const fee = () => feeOf(tx.unsigned, context.gasPrice, context.network.dynamicFees);
  const kindOf = (typeId: number) => definitionWithId(typeId).name;
  const own = { ...context, fee, kindOf };
  named(tx, context.placement, () => {
    if (context.placement === "proposal") propose(tx, own);
    else if (context.placement === "standard") decide(tx, own);
    else decideAtomic(tx, own);
  });
}

/** An atomic block holds an import or export, which is executed as in a standard block; the node's text says both. */
function decideAtomic(tx: Signed<UnsignedTx>, context: TxContext): void {
  if (tx.unsigned.kind !== "ImportTx" && tx.unsigned.kind !== "ExportTx") throw wrongType();
  named(tx, "standard", () => decide(tx, context));
}

function named(tx: Signed<UnsignedTx>, placement: TxExecution["placement"], run: () => void): void {
  try {
    within(() => `${placement} tx ${formatId(tx.id)} failed execution`, run);
  } catch (error) {
    if (error instanceof RuleError) error.txId = tx.id;
    throw error;
  }
}

function decide(tx: Signed<UnsignedTx>, context: TxContext): void {
  const definition = definitionOf(tx.unsigned.kind);
  if (definition.execute === undefined) throw wrongType();
  definition.verifyFirst?.(tx.unsigned);
  verifyEraAndForm(definition, tx, context);
  definition.execute(tx, context);
}

function propose(tx: Signed<UnsignedTx>, context: TxContext): void {
  const definition = definitionOf(tx.unsigned.kind);
  const branch = context.branch;
  if (definition.propose === undefined || branch === undefined) throw wrongType();
  // what may be decided too was proposed before Banff only
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

function verifyEraAndForm(definition: TxDefinition<UnsignedTx>, tx: Signed<UnsignedTx>, { network, state }: TxExecution): void {
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
