/** Transaction types as numbers in key columns. The numbers are on disk, so none is ever reused. 0 stands for any type. */
import { type UnsignedTx as AssetTx, txTypes } from "../../../chains/asset/tx/registry.ts";
import type { AtomicTx } from "../../../chains/atomic/tx.ts";
import { definitions, kindsOf, type TxKind as PlatformTxKind } from "../../../chains/platform/tx/registry.ts";

/** The node's name of a type, on any of the three chains. */
export type TransactionType = PlatformTxKind | AssetTx["kind"] | AtomicTx["unsigned"]["kind"];

/** Numbers that were assigned by hand. */
const numbered: Readonly<Partial<Record<PlatformTxKind, number>> & Record<Exclude<TransactionType, PlatformTxKind>, number>> = {
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

/** Later types of the P-chain have their type ID plus this. */
const NUMBERED_BY_TYPE_ID = 64;

const later = definitions.filter(({ name }) => !(name in numbered));

export const transactionClasses = {
  ...numbered,
  ...Object.fromEntries(later.map(({ name, typeId }) => [name, NUMBERED_BY_TYPE_ID + typeId])),
} as Readonly<Record<TransactionType, number>>;

/** Classes of all types on the X-chain, to merge their lists. */
export const assetChainClasses: readonly number[] = txTypes.map(({ name }) => transactionClasses[name]).sort((a, b) => a - b);

/** Classes of the types that create stakers. */
export const stakingClasses: readonly number[] = kindsOf("staking").map((type) => transactionClasses[type]);

/** Classes of the types that can create or change an L1 validator. */
export const l1ValidatorClasses: readonly number[] = kindsOf("l1Validator").map((type) => transactionClasses[type]);

/** @param type the node's name, as in the facts */
export function classOf(type: string): number {
  const found = transactionClasses[type as TransactionType];
  if (found === undefined) throw new TypeError(`${type} is not a transaction type`);
  return found;
}
