/** The proofs of possession that executing a block verifies: so costly that they are verified ahead of it, on other threads. */
import { FirnError } from "../primitives/errors.ts";
import type { Possession } from "../primitives/possession.ts";
import { blockTxs, type PlatformBlock } from "./block/block.ts";
import type { ProofOfPossession, Signer } from "./signer.ts";
import type { RegisterL1ValidatorTx } from "./tx/register-l1-validator.ts";
import type { UnsignedTx } from "./tx/registry.ts";
import { parseRegisterL1Validator } from "./warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage } from "./warp/message.ts";

export function blockProofs(block: PlatformBlock): Possession[] {
  return blockTxs(block).flatMap(({ unsigned }) => txProofs(unsigned));
}

function txProofs(tx: UnsignedTx): Possession[] {
  switch (tx.kind) {
    case "AddPermissionlessValidatorTx":
    case "AddAutoRenewedValidatorTx":
      return signerProofs(tx.signer);
    case "ConvertSubnetToL1Tx":
      return tx.validators.map(({ signer }) => proofOf(signer));
    case "RegisterL1ValidatorTx":
      return registrationProofs(tx);
    default:
      return [];
  }
}

function signerProofs(signer: Signer): Possession[] {
  return signer.kind === "ProofOfPossession" ? [proofOf(signer)] : [];
}

/** The key is in the warp message; one that cannot be read has none, and fails in execution. */
function registrationProofs({ message, proofOfPossession }: RegisterL1ValidatorTx): Possession[] {
  try {
    const { blsPublicKey } = parseRegisterL1Validator(parseAddressedCall(parseWarpMessage(message).payload).payload);
    return [{ publicKey: blsPublicKey, proof: proofOfPossession }];
  } catch (error) {
    if (error instanceof FirnError) return [];
    throw error;
  }
}

function proofOf({ publicKey, proofOfPossession }: Omit<ProofOfPossession, "kind">): Possession {
  return { publicKey, proof: proofOfPossession };
}
