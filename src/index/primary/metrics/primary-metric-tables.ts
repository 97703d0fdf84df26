/**
 * Metrics of the primary network: what happened by hour, day, week and month, and daily totals of staking and of the fees of L1 validators.
 * Table IDs 280–289. A day is a number since 1970.
 */
import { u8, u32, u64 } from "../../../base/codec/codec.ts";
import { integer256, varint64 } from "../../../base/codec/varint.ts";
import { shortId, type TableValue, table } from "../../../base/table/table.ts";

/** The key has the number of the interval in `INTERVALS` and where it begins, in Unix seconds. Only intervals with blocks or vertices have rows. */
export const primaryActivity = table({
  id: 280,
  name: "primary_activity",
  key: { chain: u8, interval: u8, start: u64 },
  /** as the lists of transactions have them: those of genesis too, and those that were proposed again twice */
  value: { transactions: varint64 },
});

/** Fees that each active L1 validator was charged since the first one, after the last block of each day, nAVAX. P only. */
export const accruedFeeDays = table({ id: 285, name: "accrued_fee_days", key: { day: u32 }, value: { accruedFees: varint64 } });

/** Current stakers of a scope (`l1ValidatorScope`: a subnet, or all), and its active L1 validators. Weights in nAVAX, or as the subnet has them. */
const stakingTotal = { validators: varint64, validatorWeight: integer256, delegators: varint64, delegatorWeight: integer256 };

/** Now. */
export const stakingScopes = table({ id: 281, name: "staking_scopes", key: { scope: shortId }, value: stakingTotal });

/** After the last block of each day in which they changed. */
export const stakingDays = table({ id: 282, name: "staking_days", key: { scope: shortId, day: u32 }, value: stakingTotal });

/**
 * Continuous fees of the L1 validators of a scope (`l1ValidatorScope`: all, a subnet, a node; or `validationScope`), after its last change.
 * Since then, each of `paying` paid as much as the accrued fees grew.
 */
const l1FeeTotal = {
  /** paid until `accruedFees` was reached, nAVAX */
  fees: varint64,
  accruedFees: varint64,
  /** active validators, which are charged */
  paying: varint64,
  /** those that paid on the day of the change */
  payers: varint64,
};

/** Now. `day`: of the last change. */
export const l1FeeScopes = table({ id: 283, name: "l1_fee_scopes", key: { scope: shortId }, value: { ...l1FeeTotal, day: u32 } });

/** After the last change of each day with changes. */
export const l1FeeDays = table({ id: 284, name: "l1_fee_days", key: { scope: shortId, day: u32 }, value: l1FeeTotal });

export type StakingTotal = TableValue<typeof stakingDays>;
export type L1FeeTotal = TableValue<typeof l1FeeDays>;
