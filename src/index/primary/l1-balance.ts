/** Balances of L1 validators, which the continuous fee drains (chain-rules 8.4). An absent validator has none. */
import { isActiveL1Validator } from "../../platform/state/l1-validator-set.ts";
import type { L1ValidatorRow } from "../../platform/tables.ts";

type Charged = Pick<L1ValidatorRow, "weight" | "endAccumulatedFee"> | undefined;

export function isCharged(validator: Charged): boolean {
  return validator !== undefined && isActiveL1Validator(validator);
}

/** What is left once so much was accrued, nAVAX. */
export function l1Balance(validator: Charged, accruedFees: bigint): bigint {
  return isCharged(validator) ? validator!.endAccumulatedFee - accruedFees : 0n;
}
