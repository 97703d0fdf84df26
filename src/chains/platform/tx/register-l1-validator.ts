/** Registers an L1 validator as a warp message from the L1's manager requests. Rules: chain-rules 10.16, 8.4. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { bytes, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { NotYetError, RuleError } from "../../../network/execution.ts";
import { baseComplexity, PROOF_OF_POSSESSION_MICROSECONDS, sum, warpComplexity } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { blsSignatureNumbers } from "../output.ts";
import { proofOf, verifyProofOfPossession } from "../signer.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { parseRegisterL1Validator, registrationId, toNodeId } from "../warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage, readMessage } from "../warp/message.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";
import { endOfBalance, verifyManager } from "./l1-rules.ts";

const codec = variant("RegisterL1ValidatorTx", { ...baseFields, balance: u64, proofOfPossession: blsSignatureNumbers, message: bytes });
export type RegisterL1ValidatorTx = Value<typeof codec>;

/** Seconds before its expiry from which a registration may be used. */
const EXPIRY_WINDOW = 86_400n;

export const registerL1Validator = defineTx<RegisterL1ValidatorTx>({
  name: "RegisterL1ValidatorTx",
  typeId: 36,
  since: "etna",
  codec,
  complexity: (tx) =>
    sum(
      // balance, proof, length of the message
      { bandwidth: 8 + 96 + 4, reads: 5, writes: 6, compute: PROOF_OF_POSSESSION_MICROSECONDS },
      baseComplexity(tx),
      warpComplexity(tx.message),
    ),
  names: ({ message }) => readMessage(message, (payload) => [registrationId(payload), parseRegisterL1Validator(payload).subnetId]),
  balances: ({ balance }) => [balance],
  warpMessage: ({ message }) => message,
  proofs: ({ message, proofOfPossession }) =>
    readMessage(message, (payload) => [proofOf({ publicKey: parseRegisterL1Validator(payload).blsPublicKey, proofOfPossession })]),
  keysRead: inputKeys,
  verifyForm: verifyBase,
  execute(tx, context) {
    const { balance, proofOfPossession, message } = tx.unsigned;
    const { state } = context;
    verifyFlow(tx, context);
    const warp = parseWarpMessage(message);
    const call = parseAddressedCall(warp.payload);
    const registration = parseRegisterL1Validator(call.payload);
    const { subnetId, nodeId, blsPublicKey, expiry, weight, remainingBalanceOwner, disableOwner } = registration;
    verifyManager(subnetId, warp.sourceChainId, call.sourceAddress, state);
    verifyExpiry(expiry, state.timestamp);
    const validationId = registrationId(call.payload);
    verifyUnused({ timestamp: expiry, validationId }, state);
    verifyProofOfPossession({ publicKey: blsPublicKey, proofOfPossession });
    const row = {
      subnetId,
      nodeId: toNodeId(nodeId),
      publicKey: blsPublicKey,
      remainingBalanceOwner,
      deactivationOwner: disableOwner,
      startTime: state.timestamp,
      weight,
      minNonce: 0n,
      endAccumulatedFee: endOfBalance(balance, context),
    };
    state.putL1Validator(validationId, row, tx.id);
    applyBase(tx, state);
    state.putExpiry({ timestamp: expiry, validationId });
  },
});

function verifyExpiry(expiry: bigint, now: bigint): void {
  if (expiry <= now) {
    throw new RuleError("expired", `warp message expired at ${expiry} and it is currently ${now}`);
  }
  const left = expiry - now;
  if (left <= EXPIRY_WINDOW) return;
  const text = `time is ${left} seconds in the future but the limit is ${EXPIRY_WINDOW}`;
  throw new NotYetError("too-early", `warp message not yet allowed because ${text}`);
}

function verifyUnused(expiry: Parameters<PlatformState["hasExpiry"]>[0], state: PlatformState): void {
  if (!state.hasExpiry(expiry)) return;
  throw new RuleError("already-issued", `warp message already issued for validationID ${formatId(expiry.validationId)}`);
}
