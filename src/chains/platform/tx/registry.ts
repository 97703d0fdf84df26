/** Lists all kinds of transactions. To add one, write its file and add a line here, or in `staker-tx.ts` if it adds a staker. */

import { type Codec, decodeVersioned, type JsonContext, MAX_MESSAGE_BYTES, type Value } from "../../../base/codec/codec.ts";
import type { TransferableInput, TransferableOutput } from "../output.ts";
import { advanceTimeTx } from "./advance-time.ts";
import { anyOf, type TxDefinition } from "./base.ts";
import { baseTx } from "./base-tx.ts";
import { convertSubnetToL1 } from "./convert-subnet-to-l1.ts";
import { createChain } from "./create-chain.ts";
import { createSubnet } from "./create-subnet.ts";
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
import { type Signed, signed } from "./signed.ts";
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

type TxGroup = keyof typeof groups;
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

// What transactions consume and produce, from their definitions.

/** What it consumes: its own inputs, then those from shared memory. */
export function inputsOf(tx: UnsignedTx): readonly TransferableInput[] {
  return [...("inputs" in tx ? tx.inputs : []), ...(definitionOf(tx.kind).imported?.(tx) ?? [])];
}

/** What it produces, by index: its own outputs, then stake or exports. */
export function outputsOf(tx: UnsignedTx): readonly TransferableOutput[] {
  return [...("outputs" in tx ? tx.outputs : []), ...(definitionOf(tx.kind).produced?.(tx) ?? [])];
}

/** nAVAX that become balances of L1 validators. */
export function balancesOf(tx: UnsignedTx): readonly bigint[] {
  return definitionOf(tx.kind).balances?.(tx) ?? [];
}

/** Signed transactions of every kind: as issued and stored, and as blocks contain them. */
export type SignedTx = Signed<UnsignedTx>;

/** Without codec version, as in blocks. */
export const signedTx: Codec<SignedTx> = signed(unsignedTx);

/** Parses a single transaction, with codec version and nothing after it. */
export function parseTx(bytes: Uint8Array): SignedTx {
  return decodeVersioned(signedTx, bytes, { limit: MAX_MESSAGE_BYTES });
}

/** The node's JSON of a transaction: `{"unsignedTx":…,"credentials":…,"id":…}`. */
export function txJson(tx: SignedTx, context: JsonContext): string {
  return signedTx.json(tx, context);
}
