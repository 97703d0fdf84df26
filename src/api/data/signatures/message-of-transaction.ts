/** The messages with which the P-chain answers managers of L1s (ACP-77). */
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { platformL1Validators, platformSubnets, platformTxs, TX_COMMITTED } from "../../../chains/platform/tables.ts";
import { signedTx } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import {
  encodeL1Message,
  type L1Message,
  parseL1ValidatorWeight,
  parseRegisterL1Validator,
  registrationId,
} from "../../../chains/platform/warp/l1-messages.ts";
import { encodeWarpPayload, parseAddressedCall, parseWarpMessage, unsignedWarpBytes } from "../../../chains/platform/warp/message.ts";
import { bytesOf } from "../../../index/stored-txs.ts";
import type { DataContext } from "../context.ts";
import { badRequest, notFound } from "../errors.ts";
import type { SigningRequest } from "./warp-signer.ts";

interface Answer {
  readonly message: L1Message;
  /** of the L1, whose validators sign */
  readonly subnetId: Id;
  readonly justification?: Uint8Array;
}

/** Costs three rows. Throws 404 if there is no such transaction, and 400 if the P-chain answers nothing to it. */
export async function messageOfTransaction(
  txId: Id,
  context: DataContext,
): Promise<Pick<SigningRequest, "message" | "subnetId" | "justification">> {
  const { reader, network } = context;
  const row = await reader.get(platformTxs, { txId });
  if (row?.status !== TX_COMMITTED) throw notFound("the P-chain has no such transaction that took effect");
  const { unsigned } = storedTx(signedTx, await bytesOf(reader, PLATFORM_CHAIN_ID, row));
  let answer: Answer | undefined;
  if (unsigned.kind === "ConvertSubnetToL1Tx") answer = await answerToConversion(unsigned.subnetId, context);
  else if (unsigned.kind === "RegisterL1ValidatorTx") answer = answerToRegistration(unsigned.message);
  else if (unsigned.kind === "SetL1ValidatorWeightTx") answer = await answerToWeight(unsigned.message, context);
  if (answer === undefined) {
    throw badRequest(
      "the P-chain answers no manager about this transaction: use one that converts a subnet, registers an L1's validator or changes its weight; for a removed validator, send the message and its justification",
    );
  }
  const { message, subnetId, justification } = answer;
  const payload = encodeWarpPayload({ kind: "AddressedCall", sourceAddress: new Uint8Array(), payload: encodeL1Message(message) });
  return {
    message: unsignedWarpBytes({ networkId: network.networkId, sourceChainId: PLATFORM_CHAIN_ID, payload }),
    subnetId,
    justification,
  };
}

async function answerToConversion(subnetId: Id, { reader }: DataContext): Promise<Answer | undefined> {
  const subnet = await reader.get(platformSubnets, { subnetId });
  if (subnet?.conversion === undefined) return undefined;
  const { conversionId } = subnet.conversion;
  return { message: { kind: "SubnetToL1Conversion", id: conversionId }, subnetId, justification: Buffer.from(subnetId, "hex") };
}

function answerToRegistration(message: Uint8Array): Answer | undefined {
  const payload = payloadOf(message);
  const { subnetId } = parseRegisterL1Validator(payload);
  return { message: { kind: "L1ValidatorRegistration", validationId: registrationId(payload), registered: true }, subnetId };
}

/** The answer repeats the message. Without a weight the validator is gone, which needs a justification. */
async function answerToWeight(message: Uint8Array, { reader }: DataContext): Promise<Answer | undefined> {
  const weight = parseL1ValidatorWeight(payloadOf(message));
  const validator = await reader.get(platformL1Validators, { validationId: weight.validationId });
  if (weight.weight === 0n || validator === undefined) return undefined;
  return { message: weight, subnetId: validator.subnetId };
}

function payloadOf(message: Uint8Array): Uint8Array {
  return parseAddressedCall(parseWarpMessage(message).payload).payload;
}
