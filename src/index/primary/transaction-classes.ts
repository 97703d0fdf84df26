/** Types of transactions as a key column. Numbers are on disk: a new type gets a new one, none is used again. 0 stands for any type. */
import type { UnsignedTx as AssetTx } from "../../asset/tx/registry.ts";
import type { AtomicTx } from "../../atomic/tx.ts";
import type { TxKind as PlatformTxKind } from "../../platform/tx/registry.ts";

/** The node's name of a type, whichever chain it is of. */
export type TransactionType = PlatformTxKind | AssetTx["kind"] | AtomicTx["unsigned"]["kind"];

export const transactionClasses: Readonly<Record<TransactionType, number>> = {
  BaseTx: 1,
  ImportTx: 2,
  ExportTx: 3,
  CreateAssetTx: 4,
  OperationTx: 5,
  AddValidatorTx: 6,
  AddSubnetValidatorTx: 7,
  AddDelegatorTx: 8,
  CreateChainTx: 9,
  CreateSubnetTx: 10,
  AdvanceTimeTx: 11,
  RewardValidatorTx: 12,
  RemoveSubnetValidatorTx: 13,
  TransformSubnetTx: 14,
  AddPermissionlessValidatorTx: 15,
  AddPermissionlessDelegatorTx: 16,
  TransferSubnetOwnershipTx: 17,
  ConvertSubnetToL1Tx: 18,
  RegisterL1ValidatorTx: 19,
  SetL1ValidatorWeightTx: 20,
  IncreaseL1ValidatorBalanceTx: 21,
  DisableL1ValidatorTx: 22,
  AddAutoRenewedValidatorTx: 23,
  SetAutoRenewedValidatorConfigTx: 24,
  RewardAutoRenewedValidatorTx: 25,
};

/** Classes of the types that occur on the X-chain, for merges of all of them. */
export const assetChainClasses: readonly number[] = [1, 2, 3, 4, 5];

/** Classes of the types that occur on the C-chain. */
export const atomicClasses: readonly number[] = [2, 3];

/** Types that make stakers. */
export const stakingTypes = [
  "AddValidatorTx",
  "AddSubnetValidatorTx",
  "AddDelegatorTx",
  "AddPermissionlessValidatorTx",
  "AddPermissionlessDelegatorTx",
  "AddAutoRenewedValidatorTx",
] as const satisfies readonly TransactionType[];
export const stakingClasses: readonly number[] = stakingTypes.map((type) => transactionClasses[type]);

/** Types that can make or change an L1 validator. */
export const l1ValidatorTypes = [
  "ConvertSubnetToL1Tx",
  "RegisterL1ValidatorTx",
  "SetL1ValidatorWeightTx",
  "IncreaseL1ValidatorBalanceTx",
  "DisableL1ValidatorTx",
] as const satisfies readonly TransactionType[];
export const l1ValidatorClasses: readonly number[] = l1ValidatorTypes.map((type) => transactionClasses[type]);

/** @param type the node's name, as facts of execution have it */
export function classOf(type: string): number {
  const found = transactionClasses[type as TransactionType];
  if (found === undefined) throw new TypeError(`${type} has no class: give it a number in transaction-classes.ts`);
  return found;
}
