/** Derives from call frames the internal transactions, as the Data API lists them (data-api 5.2), and the created contracts. */
import type { Address, CallFrame, EvmTransaction } from "../../sources/evm/parser/block.ts";
import type { Deployment, Internal, InternalType } from "../facts.ts";

/**
 * Returns calls with a value, and all creations. A DELEGATECALL is left out: it shows the value of the call that it runs in, and moves
 * nothing.
 */
export function internalsOf({ frames }: EvmTransaction): readonly Internal[] {
  const internals: Internal[] = [];
  for (const { type, from, to, value, isReverted, gasLimit, gasUsed } of frames) {
    if (isListed(type, value)) internals.push({ type, from, to, value, isReverted, gasLimit, gasUsed });
  }
  return internals;
}

function isListed(type: CallFrame["type"], value: bigint): type is InternalType {
  return type === "CREATE" || type === "CREATE2" || ((type === "CALL" || type === "CALLCODE") && value > 0n);
}

/**
 * Returns the transaction's own deployment first, then others in pre-order, without failed and reverted ones. Without traces only the
 * transaction's own is known.
 */
export function deploymentsOf({ from, to, created, isSuccess, frames }: EvmTransaction): readonly Deployment[] {
  if (!isSuccess) return [];
  const deployments: Deployment[] = [];
  if (to === undefined && created !== undefined) deployments.push({ contract: created, deployer: from, factory: undefined });
  for (const frame of frames) {
    if (frame.isReverted || (frame.type !== "CREATE" && frame.type !== "CREATE2")) continue;
    deployments.push({ contract: frame.to, deployer: from, factory: frame.from });
  }
  return deployments;
}

/** Contracts that executed SELFDESTRUCT; unknown without traces. */
export function destroyedIn({ frames }: EvmTransaction): readonly Address[] {
  return frames.flatMap(({ type, isReverted, from }) => (type === "SELFDESTRUCT" && !isReverted ? [from] : []));
}
