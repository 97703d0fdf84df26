/** All kinds of transactions. A new kind is its file and a line here. */
import type { Codec, Value } from "../../primitives/codec/codec.ts";
import { union } from "../../primitives/codec/struct.ts";
import { txTypeIds } from "../type-ids.ts";
import { addAutoRenewedValidator } from "./add-auto-renewed-validator.ts";
import { addDelegator } from "./add-delegator.ts";
import { addPermissionlessDelegator } from "./add-permissionless-delegator.ts";
import { addPermissionlessValidator } from "./add-permissionless-validator.ts";
import { addSubnetValidator } from "./add-subnet-validator.ts";
import { addValidator } from "./add-validator.ts";
import { advanceTimeTx } from "./advance-time.ts";
import { baseTx } from "./base-tx.ts";
import { convertSubnetToL1 } from "./convert-subnet-to-l1.ts";
import { createChain } from "./create-chain.ts";
import { createSubnet } from "./create-subnet.ts";
import type { TxDefinition } from "./define-tx.ts";
import { disableL1Validator } from "./disable-l1-validator.ts";
import { exportTx } from "./export.ts";
import { importTx } from "./import.ts";
import { increaseL1ValidatorBalance } from "./increase-l1-validator-balance.ts";
import { registerL1Validator } from "./register-l1-validator.ts";
import { removeSubnetValidator } from "./remove-subnet-validator.ts";
import { rewardAutoRenewedValidator } from "./reward-auto-renewed-validator.ts";
import { rewardValidator } from "./reward-validator.ts";
import { setAutoRenewedValidatorConfig } from "./set-auto-renewed-validator-config.ts";
import { setL1ValidatorWeight } from "./set-l1-validator-weight.ts";
import { transferSubnetOwnership } from "./transfer-subnet-ownership.ts";
import { transformSubnet } from "./transform-subnet.ts";

export const definitions = [
  addValidator,
  addSubnetValidator,
  addDelegator,
  createChain,
  createSubnet,
  importTx,
  exportTx,
  advanceTimeTx,
  rewardValidator,
  removeSubnetValidator,
  transformSubnet,
  addPermissionlessValidator,
  addPermissionlessDelegator,
  transferSubnetOwnership,
  baseTx,
  convertSubnetToL1,
  registerL1Validator,
  setL1ValidatorWeight,
  increaseL1ValidatorBalance,
  disableL1Validator,
  addAutoRenewedValidator,
  setAutoRenewedValidatorConfig,
  rewardAutoRenewedValidator,
] as const;

/** What is signed: a transaction of any kind. */
export type UnsignedTx = Value<(typeof definitions)[number]["codec"]>;
export type TxKind = UnsignedTx["kind"];

// a definition is only ever given transactions of its own kind, which the compiler cannot see through a lookup by name
type AnyDefinition = TxDefinition<UnsignedTx>;
const byKind = new Map(definitions.map((definition) => [definition.name as string, definition as unknown as AnyDefinition]));
const byTypeId = new Map(definitions.map((definition) => [definition.typeId, definition as unknown as AnyDefinition]));

/** The u32 type ID, then the body. */
export const unsignedTx: Codec<UnsignedTx> = union(
  Object.fromEntries(definitions.map(({ typeId, codec }) => [typeId, codec])) as Record<number, (typeof definitions)[number]["codec"]>,
  txTypeIds,
);

export function definitionOf(kind: TxKind): AnyDefinition {
  return byKind.get(kind)!;
}

export function definitionWithId(typeId: number): AnyDefinition {
  const definition = byTypeId.get(typeId);
  if (definition === undefined) throw new RangeError(`${typeId} is no transaction's type ID`);
  return definition;
}
