/** Balances of L1 validators, which the continuous fee drains (chain-rules 8.4). An absent validator has the balance 0. */
import { isActiveL1Validator } from "../../../chains/platform/state/staker-set.ts";
import type { L1ValidatorRow } from "../../../chains/platform/tables.ts";

type Charged = Pick<L1ValidatorRow, "weight" | "endAccumulatedFee"> | undefined;

export function isCharged(validator: Charged): boolean {
  return validator !== undefined && isActiveL1Validator(validator);
}

/** The balance that is left once `accruedFees` has been reached, nAVAX. */
export function l1Balance(validator: Charged, accruedFees: bigint): bigint {
  return isCharged(validator) ? validator!.endAccumulatedFee - accruedFees : 0n;
}
