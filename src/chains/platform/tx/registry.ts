/** Lists all kinds of transactions. To add one, write its file and add a line here, or in `staker-tx.ts` if it adds a staker. */
import type { Codec, Value } from "../../../base/codec/codec.ts";
import { advanceTimeTx } from "./advance-time.ts";
import { baseTx } from "./base-tx.ts";
import { convertSubnetToL1 } from "./convert-subnet-to-l1.ts";
import { createChain } from "./create-chain.ts";
import { createSubnet } from "./create-subnet.ts";
import { anyOf, type TxDefinition } from "./define-tx.ts";
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
import { stakerDefinitions } from "./staker-tx.ts";
import { transferSubnetOwnership } from "./transfer-subnet-ownership.ts";
import { transformSubnet } from "./transform-subnet.ts";

/** Grouped by how the index and the APIs treat them. */
const groups = {
  /** kinds that add a staker */
  staking: stakerDefinitions,
  /** kinds that end a staker's period */
  reward: [rewardValidator, rewardAutoRenewedValidator],
  /** kinds that create or change L1 validators */
  l1Validator: [convertSubnetToL1, registerL1Validator, setL1ValidatorWeight, increaseL1ValidatorBalance, disableL1Validator],
  other: [
    baseTx,
    importTx,
    exportTx,
    createSubnet,
    createChain,
    transformSubnet,
    transferSubnetOwnership,
    removeSubnetValidator,
    setAutoRenewedValidatorConfig,
    advanceTimeTx,
  ],
} as const;

export const definitions = [...groups.staking, ...groups.reward, ...groups.l1Validator, ...groups.other] as const;

/** The unsigned part of a transaction of any kind. */
export type UnsignedTx = Value<(typeof definitions)[number]["codec"]>;
export type TxKind = UnsignedTx["kind"];

// a definition is only called with transactions of its own kind, but a lookup by name hides this from the compiler
export type AnyDefinition = TxDefinition<UnsignedTx>;
const byKind = new Map(definitions.map((definition) => [definition.name as string, definition as unknown as AnyDefinition]));
const byTypeId = new Map(definitions.map((definition) => [definition.typeId, definition as unknown as AnyDefinition]));

export const unsignedTx: Codec<UnsignedTx> = anyOf<(typeof definitions)[number]>(definitions);

export type TxGroup = keyof typeof groups;
type TxOf<G extends TxGroup> = Value<(typeof groups)[G][number]["codec"]>;

export function kindsOf<G extends TxGroup>(group: G): readonly TxOf<G>["kind"][] {
  return groups[group].map(({ name }) => name);
}

export function isOf<G extends TxGroup>(group: G, tx: UnsignedTx): tx is TxOf<G> {
  return groups[group].some(({ name }) => name === tx.kind);
}

export function definitionOf(kind: TxKind): AnyDefinition {
  return byKind.get(kind)!;
}

export function definitionWithId(typeId: number): AnyDefinition {
  const definition = byTypeId.get(typeId);
  if (definition === undefined) throw new RangeError(`${typeId} is no transaction's type ID`);
  return definition;
}
