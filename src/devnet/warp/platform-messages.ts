/**
 * What the P-chain's validators sign: that a subnet became an L1, that a validator is or will never again be registered, and what it weighs
 * (chain-formats 7.3). Each message must be true of the state. Texts are those of the node's answers to requests for signatures.
 */

import { MAX_U64 } from "../../base/bytes/amount.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { PlatformState } from "../../chains/platform/state/platform-state.ts";
import { type L1Message, parseL1Message, parseRegisterL1Validator, registrationId } from "../../chains/platform/warp/l1-messages.ts";
import { parseAddressedCall, type UnsignedWarpMessage } from "../../chains/platform/warp/message.ts";
import { readJustification } from "./justification.ts";

/** @param justification what the message alone does not say: a subnet's ID, or where a removed validator came from */
export function requireTrue({ payload }: UnsignedWarpMessage, justification: Uint8Array, state: PlatformState): void {
  const call = within("failed to parse warp addressed call", () => parseAddressedCall(payload));
  if (call.sourceAddress.length !== 0) throw refusal("source address should be empty");
  const message = within("failed to parse warp addressed call payload", () => parseL1Message(call.payload));
  switch (message.kind) {
    case "SubnetToL1Conversion":
      requireConversion(message.id, justification, state);
      return;
    case "L1ValidatorRegistration":
      if (message.registered) requireRegistered(message.validationId, state);
      else requireGone(message.validationId, justification, state);
      return;
    case "L1ValidatorWeight":
      requireWeight(message, state);
      return;
    case "RegisterL1Validator":
      throw refusal("unsupported warp addressed call payload type: *message.RegisterL1Validator");
  }
}

function requireConversion(id: Id, justification: Uint8Array, state: PlatformState): void {
  if (justification.length !== 32) {
    throw refusal(`failed to parse justification: invalid hash length: expected 32 bytes but got ${justification.length}`);
  }
  const expected = conversionOf(Buffer.from(justification).toString("hex"), state).conversionId;
  if (id === expected) return;
  throw refusal(`provided conversionID "${formatId(id)}" != expected conversionID "${formatId(expected)}"`);
}

function requireRegistered(validationId: Id, state: PlatformState): void {
  if (state.l1Validator(validationId) === undefined) throw refusal(`validation "${formatId(validationId)}" does not exist`);
}

/** The validator is not registered, and never will be again. */
function requireGone(validationId: Id, bytes: Uint8Array, state: PlatformState): void {
  const justification = within("failed to parse justification", () => readJustification(bytes));
  if (justification === undefined) throw refusal("invalid justification type: <nil>");
  if (justification.kind === "conversion") {
    const { subnetId, index } = justification;
    const number = Buffer.alloc(4);
    number.writeUInt32BE(index);
    requireSame(validationId, sha256Hex(Buffer.concat([Buffer.from(subnetId, "hex"), number])));
    conversionOf(subnetId, state);
    requireAbsent(validationId, state);
    return;
  }
  const { expiry } = within("failed to parse RegisterL1Validator justification", () => parseRegisterL1Validator(justification.message));
  requireSame(validationId, registrationId(justification.message));
  requireAbsent(validationId, state);
  if (expiry <= state.timestamp || state.hasExpiry({ timestamp: expiry, validationId })) return;
  throw refusal(`validation "${formatId(validationId)}" can be registered until ${expiry}`);
}

function requireWeight({ validationId, nonce, weight }: Extract<L1Message, { kind: "L1ValidatorWeight" }>, state: PlatformState): void {
  if (nonce === MAX_U64) throw refusal("impossible nonce");
  requireRegistered(validationId, state);
  const validator = state.l1Validator(validationId)!;
  if (nonce + 1n !== validator.minNonce) throw refusal(`provided nonce ${nonce} != expected nonce (${validator.minNonce} - 1)`);
  if (weight !== validator.weight) throw refusal(`provided weight ${weight} != expected weight ${validator.weight}`);
}

function conversionOf(subnetId: Id, state: PlatformState) {
  const conversion = state.subnet(subnetId)?.conversion;
  if (conversion === undefined) throw refusal(`subnet "${formatId(subnetId)}" has not been converted`);
  return conversion;
}

function requireSame(validationId: Id, justified: Id): void {
  if (validationId === justified) return;
  throw refusal(`validationID "${formatId(validationId)}" != justificationID "${formatId(justified)}"`);
}

function requireAbsent(validationId: Id, state: PlatformState): void {
  if (state.l1Validator(validationId) !== undefined) throw refusal(`validation "${formatId(validationId)}" exists`);
}

function within<T>(prefix: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FirnError) throw refusal(`${prefix}: ${error.message}`);
    throw error;
  }
}

function refusal(text: string): FirnError {
  return new FirnError("warp", text);
}
