/**
 * The flow check: every input may be spent, and no more is produced than was consumed (chain-rules 9.1–9.3). Texts and order of the checks
 * are the node's.
 */

import { MAX_U64 } from "../../base/bytes/amount.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { utxoIdOf } from "../../base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../base/codec/codec.ts";
import { RuleError, within } from "../../network/execution.ts";
import { verifyCredential } from "./authorization.ts";
import { type Output, type TransferableInput, type TransferableOutput, type Utxo, unlockedInput, unlockedOutput } from "./output.ts";
import { type Credential, outputOwners } from "./owner.ts";
import type { Base, TxContext } from "./tx/base.ts";
import type { Signed } from "./tx/signed.ts";

type AnyTx = Signed<Base & { readonly kind: string }>;

export interface Spend {
  readonly inputs: readonly TransferableInput[];
  /** the UTXO that each input consumes */
  readonly utxos: readonly Utxo[];
  /** the credential for each input */
  readonly credentials: readonly Credential[];
  readonly outputs: readonly TransferableOutput[];
  /** amounts by asset that do not become outputs: fees, balances of L1 validators */
  readonly produced: ReadonlyMap<Id, bigint>;
}

interface FlowOptions {
  /** credentials of the inputs; by default all of the transaction's. Needed where one is an authorization */
  readonly credentials?: readonly Credential[];
  /** an amount of another asset that does not become an output */
  readonly reserve?: { readonly assetId: Id; readonly amount: bigint };
}

/** Runs the flow check of a transaction that consumes UTXOs of this chain and produces its outputs and what its definition adds to them. */
export function verifyFlow(tx: AnyTx, context: TxContext, options: FlowOptions = {}): void {
  const { credentials = tx.credentials, reserve } = options;
  const { avaxAssetId } = context.network;
  const produced = new Map([[avaxAssetId, producedAvax(context)]]);
  if (reserve !== undefined) produced.set(reserve.assetId, reserve.amount);
  const { inputs } = tx.unsigned;
  const utxos = inputs.map((input) => {
    const utxo = context.state.utxo(utxoIdOf(input));
    if (utxo !== undefined) return utxo;
    const text = `failed to read consumed UTXO ${formatId(input.txId)}:${input.outputIndex} due to: not found`;
    throw new RuleError("utxo-not-found", text, { txId: input.txId, outputIndex: input.outputIndex });
  });
  verifySpend(tx, { inputs, utxos, credentials, outputs: [...tx.unsigned.outputs, ...context.produced], produced }, context);
}

/** nAVAX spent on balances and the fee. */
export function producedAvax(context: TxContext): bigint {
  let total = 0n;
  for (const balance of context.balances) {
    total = within("getting utxos getting utxos failed to add validator balance", () => addAmounts(total, balance));
  }
  const fee = context.fee();
  return within("adding fee", () => addAmounts(total, fee));
}

export function verifySpend(tx: AnyTx, spend: Spend, context: TxContext): void {
  const { inputs, utxos, credentials, outputs, produced } = spend;
  if (inputs.length !== credentials.length) {
    const text = `wrong number of credentials: ${inputs.length} inputs != ${credentials.length} credentials`;
    throw new RuleError("credential-count", text);
  }
  const consumed = new Booking();
  inputs.forEach((input, i) => {
    consume(tx, input, utxos[i]!, credentials[i]!, context, consumed);
  });
  const used = new Booking();
  for (const [assetId, amount] of produced) used.addUnlocked(assetId, amount);
  for (const { assetId, output } of outputs) {
    if (output.kind === "LockOut") used.addLocked(assetId, output.locktime, output.output, output.output.amount);
    else used.addUnlocked(assetId, output.amount);
  }
  verifyBalance(consumed, used);
}

function consume(tx: AnyTx, input: TransferableInput, utxo: Utxo, credential: Credential, context: TxContext, consumed: Booking): void {
  const { assetId, output } = utxo;
  if (assetId !== input.assetId) {
    const text = `input asset ID does not match UTXO asset ID: ${formatId(input.assetId)} != ${formatId(assetId)}`;
    throw new RuleError("asset-mismatch", text);
  }
  const locktime = output.kind === "LockOut" ? output.locktime : 0n;
  verifyLock(input, locktime, context.clock);
  const owner = unlockedOutput(output);
  const transfer = unlockedInput(input.input);
  within("failed to verify transfer", () => {
    if (owner.amount !== transfer.amount) {
      const text = `utxo amount and input amount are not equal: ${owner.amount} != ${transfer.amount}`;
      throw new RuleError("amount-mismatch", text);
    }
    verifyCredential(tx, transfer, credential, owner, context);
  });
  if (context.clock >= locktime) consumed.addUnlocked(assetId, transfer.amount);
  else consumed.addLocked(assetId, locktime, owner, transfer.amount);
}

/** A UTXO whose lock lasts must be consumed by a locked input, and a locked input must always have the UTXO's locktime. */
function verifyLock({ input }: TransferableInput, locktime: bigint, clock: bigint): void {
  if (input.kind !== "LockIn") {
    if (clock < locktime) throw new RuleError("not-marked-locked", "locked funds not marked as locked");
    return;
  }
  if (input.locktime === locktime) return;
  const text = `input locktime does not match UTXO locktime: ${input.locktime} != ${locktime}`;
  throw new RuleError("locktime-mismatch", text);
}

/** Unlocked amounts may cover missing locked ones, but not the reverse. */
function verifyBalance(consumed: Booking, used: Booking): void {
  for (const { assetId, locktime, ownerId, amount } of used.locked.values()) {
    const missing = amount - consumed.lockedAmount(assetId, locktime, ownerId);
    if (missing <= 0n) continue;
    const available = consumed.unlocked.get(assetId) ?? 0n;
    if (missing > available) {
      const text = `${formatId(ownerId)} needs ${missing - available} more ${formatId(assetId)} for locktime ${locktime}`;
      throw new RuleError("insufficient-locked-funds", `insufficient locked funds: ${text}`);
    }
    consumed.unlocked.set(assetId, available - missing);
  }
  for (const [assetId, amount] of used.unlocked) {
    const missing = amount - (consumed.unlocked.get(assetId) ?? 0n);
    if (missing <= 0n) continue;
    const text = `insufficient unlocked funds: needs ${missing} more ${formatId(assetId)}`;
    throw new RuleError("insufficient-unlocked-funds", text, { missing, assetId });
  }
}

interface LockedAmount {
  readonly assetId: Id;
  readonly locktime: bigint;
  /** hash of the owner */
  readonly ownerId: Id;
  amount: bigint;
}

/** Amounts by asset, and locked amounts by asset, locktime and owner. */
class Booking {
  readonly unlocked = new Map<Id, bigint>();
  readonly locked = new Map<string, LockedAmount>();

  addUnlocked(assetId: Id, amount: bigint): void {
    this.unlocked.set(assetId, addAmounts(this.unlocked.get(assetId) ?? 0n, amount));
  }

  addLocked(assetId: Id, locktime: bigint, owner: Exclude<Output, { kind: "LockOut" }>, amount: bigint): void {
    const ownerId = sha256Hex(encodeVersioned(outputOwners, owner));
    const key = lockedKey(assetId, locktime, ownerId);
    const entry = this.locked.get(key);
    if (entry === undefined) this.locked.set(key, { assetId, locktime, ownerId, amount });
    else entry.amount = addAmounts(entry.amount, amount);
  }

  lockedAmount(assetId: Id, locktime: bigint, ownerId: Id): bigint {
    return this.locked.get(lockedKey(assetId, locktime, ownerId))?.amount ?? 0n;
  }
}

function lockedKey(assetId: Id, locktime: bigint, ownerId: Id): string {
  return `${assetId}${ownerId}${locktime}`;
}

/** Throws a RuleError if the sum exceeds 64 bits. */
export function addAmounts(a: bigint, b: bigint): bigint {
  if (a + b > MAX_U64) throw new RuleError("overflow", "overflow");
  return a + b;
}
