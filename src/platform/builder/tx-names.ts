/**
 * What transactions refer to, by name: a transaction whose outputs are spent, a subnet, a validator's node, a validation. A transaction
 * that is not valid yet may become so by those that wait and deal with the same things.
 */
import { FirnError } from "../../primitives/errors.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { validationIdOf } from "../tx/convert-subnet-to-l1.ts";
import type { UnsignedTx } from "../tx/registry.ts";
import type { SignedTx } from "../tx/signed-tx.ts";
import { parseL1ValidatorWeight, parseRegisterL1Validator, registrationId } from "../warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage } from "../warp/message.ts";

/** What others may refer to once it is executed. */
export function namesMade({ id, unsigned }: SignedTx): string[] {
  return [id, ...subjects(unsigned)];
}

export function namesNeeded({ unsigned }: SignedTx): Set<string> {
  const spent = "inputs" in unsigned ? unsigned.inputs.map(({ txId }) => txId) : [];
  return new Set([...spent, ...subjects(unsigned)]);
}

/** What it deals with, but for the primary network, which nothing makes. */
function subjects(tx: UnsignedTx): string[] {
  return [...fieldsOf(tx), ...messageNames(tx)].filter((name) => name !== PRIMARY_NETWORK_ID);
}

function fieldsOf(tx: UnsignedTx): string[] {
  switch (tx.kind) {
    case "AddValidatorTx":
    case "AddDelegatorTx":
      return [tx.validator.nodeId];
    case "AddSubnetValidatorTx":
      return [tx.validator.nodeId, tx.validator.subnetId];
    case "AddPermissionlessValidatorTx":
    case "AddPermissionlessDelegatorTx":
      return [tx.validator.nodeId, tx.subnetId];
    case "AddAutoRenewedValidatorTx":
      return [Buffer.from(tx.nodeId).toString("hex")];
    case "RemoveSubnetValidatorTx":
      return [tx.nodeId, tx.subnetId];
    case "CreateChainTx":
    case "TransformSubnetTx":
    case "TransferSubnetOwnershipTx":
      return [tx.subnetId];
    case "ConvertSubnetToL1Tx":
      return [tx.subnetId, tx.chainId, ...tx.validators.map((_, index) => validationIdOf(tx.subnetId, index))];
    case "IncreaseL1ValidatorBalanceTx":
    case "DisableL1ValidatorTx":
      return [tx.validationId];
    case "SetAutoRenewedValidatorConfigTx":
      return [tx.txId];
    default:
      return [];
  }
}

/** A message that cannot be read names nothing, and fails in execution. */
function messageNames(tx: UnsignedTx): string[] {
  if (tx.kind !== "RegisterL1ValidatorTx" && tx.kind !== "SetL1ValidatorWeightTx") return [];
  try {
    const { payload } = parseAddressedCall(parseWarpMessage(tx.message).payload);
    if (tx.kind === "SetL1ValidatorWeightTx") return [parseL1ValidatorWeight(payload).validationId];
    return [registrationId(payload), parseRegisterL1Validator(payload).subnetId];
  } catch (error) {
    if (error instanceof FirnError) return [];
    throw error;
  }
}
