/** What call frames tell: internal transactions as the Data API lists them (data-api 5.2), and contracts that came to be. */
import type { CallFrame, EvmTransaction } from "../block.ts";
import type { Deployment, Internal, InternalType } from "../facts.ts";

/** Calls that carry value, and all creations. A DELEGATECALL shows the value of the call that it runs in; nothing moves. */
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

/** Its own first, then in pre-order; none that failed or was reverted. Without traces there is only its own. */
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
