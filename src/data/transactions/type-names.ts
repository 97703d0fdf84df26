/** Types of transactions in requests and answers. Those that the official SDKs do not know are UNKNOWN, which they all do know. */
import { type TransactionType, transactionClasses } from "../../index/primary/transaction-classes.ts";
import type { DataSettings } from "../context.ts";

export const UNKNOWN = "UNKNOWN";

/** Types of the P-chain that official SDKs have no name for. */
const newTypes = ["AddAutoRenewedValidatorTx", "SetAutoRenewedValidatorConfigTx", "RewardAutoRenewedValidatorTx"] as const;
type NewType = (typeof newTypes)[number];

/** Values of `txTypes`: real names are always understood. */
export const txTypeNames = [...(Object.keys(transactionClasses) as TransactionType[]), UNKNOWN] as const;
export type TxTypeName = (typeof txTypeNames)[number];

export function txTypeName<T extends string>(type: T, { hasRealTypeNames }: DataSettings): T | typeof UNKNOWN {
  return !hasRealTypeNames && newTypes.includes(type as string as NewType) ? UNKNOWN : type;
}

/** Classes of index rows that have one of these types. */
export function classesOf(names: readonly TxTypeName[]): number[] {
  const types = names.flatMap((name): readonly TransactionType[] => (name === UNKNOWN ? newTypes : [name]));
  return [...new Set(types.map((type) => transactionClasses[type]))];
}
