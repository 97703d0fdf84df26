import { type TransactionType, transactionClasses } from "../../../index/primary/transactions/transaction-classes.ts";
import type { DataSettings } from "../context.ts";

/** Names of transaction types in requests and answers. Types that the official SDKs do not know are UNKNOWN, a name that all SDKs know. */
export const UNKNOWN = "UNKNOWN";

/** Types that have a name in the official SDKs; a test compares this list with theirs. */
const sdkTypes: ReadonlySet<string> = new Set<TransactionType>([
  "AddDelegatorTx",
  "AddPermissionlessDelegatorTx",
  "AddPermissionlessValidatorTx",
  "AddSubnetValidatorTx",
  "AddValidatorTx",
  "AdvanceTimeTx",
  "BaseTx",
  "ConvertSubnetToL1Tx",
  "CreateAssetTx",
  "CreateChainTx",
  "CreateSubnetTx",
  "DisableL1ValidatorTx",
  "ExportTx",
  "ImportTx",
  "IncreaseL1ValidatorBalanceTx",
  "OperationTx",
  "RegisterL1ValidatorTx",
  "RemoveSubnetValidatorTx",
  "RewardValidatorTx",
  "SetL1ValidatorWeightTx",
  "TransferSubnetOwnershipTx",
  "TransformSubnetTx",
]);

const allTypes = Object.keys(transactionClasses) as TransactionType[];

const newTypes = allTypes.filter((type) => !sdkTypes.has(type));

/** Values of `txTypes`; the real names are always accepted. */
export const txTypeNames = [...allTypes, UNKNOWN] as const;

export type TxTypeName = (typeof txTypeNames)[number];

export function txTypeName<T extends string>(type: T, { hasRealTypeNames }: DataSettings): T | typeof UNKNOWN {
  return !hasRealTypeNames && !sdkTypes.has(type) ? UNKNOWN : type;
}

/** Classes of index rows for these types. */
export function classesOf(names: readonly TxTypeName[]): number[] {
  const types = names.flatMap((name): readonly TransactionType[] => (name === UNKNOWN ? newTypes : [name]));
  return [...new Set(types.map((type) => transactionClasses[type]))];
}
