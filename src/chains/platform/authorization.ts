/** Checks credentials against owners (chain-formats 4, chain-rules 9.4). Texts and order of the checks are the node's. */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { recoverAddress, SignatureError } from "../../base/signatures/secp256k1.ts";
import { NotYetError, RuleError, within } from "../../network/execution.ts";
import type { TxExecution } from "./execution.ts";
import type { Authorization, Credential, OutputOwners } from "./owner.ts";
import type { SubnetRow } from "./tables.ts";
import type { Signed } from "./tx/signed.ts";

type AnyTx = Signed<{ readonly kind: string }>;

/** Checks that a credential satisfies an owner. At level `replay` the signatures are trusted, but their number is not. */
export function verifyCredential(
  tx: AnyTx,
  { signatureIndices }: { readonly signatureIndices: readonly number[] },
  { signatures }: Credential,
  owner: OutputOwners,
  { clock, level }: TxExecution,
): void {
  if (owner.locktime > clock) throw new NotYetError("time-locked", "output is time locked");
  if (owner.threshold < signatureIndices.length) throw new RuleError("too-many-signers", "input has more signers than expected");
  if (owner.threshold > signatureIndices.length) throw new RuleError("too-few-signers", "input has less signers than expected");
  if (signatures.length !== signatureIndices.length) {
    const text = "input expected a different number of signers than provided in the credential";
    throw new RuleError("signers-mismatch", text);
  }
  if (level === "replay") return;
  signatureIndices.forEach((index, i) => {
    const expected = owner.addresses[index];
    if (expected === undefined) throw new RuleError("no-such-address", "input referenced a nonexistent address in the output");
    const signer = signerOf(tx, signatures[i]!);
    if (signer === expected) return;
    const text = `wrong signature: expected signature from ${formatId(expected)} but got from ${formatId(signer)}`;
    throw new RuleError("wrong-signature", text, { expected, signer });
  });
}

function signerOf(tx: AnyTx, signature: Uint8Array): string {
  try {
    return recoverAddress(tx.digest, signature);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new RuleError(error.code, error.message, error.facts, { cause: error });
  }
}

/** Checks the last credential against an owner, and returns the others, which belong to the inputs. */
export function verifyAuthorization(
  tx: AnyTx,
  owner: OutputOwners,
  authorization: Authorization,
  context: TxExecution,
): readonly Credential[] {
  const last = tx.credentials.at(-1);
  if (last === undefined) throw new RuleError("credential-count", "should have the same number of credentials as inputs");
  within("unauthorized modification", () => verifyCredential(tx, authorization, last, owner, context));
  return tx.credentials.slice(0, -1);
}

interface SubnetPermit {
  readonly subnetId: Id;
  readonly subnetAuthorization: Authorization;
}

/** Checks that the subnet's owner agrees. */
export function verifySubnetAuthorization(tx: AnyTx, permit: SubnetPermit, context: TxExecution): readonly Credential[] {
  return verifyAuthorization(tx, findSubnet(permit.subnetId, context).owner, permit.subnetAuthorization, context);
}

/** Checks that the subnet's owner agrees, and that the subnet is neither elastic nor an L1. */
export function verifyPermissionedSubnetAuthorization(tx: AnyTx, permit: SubnetPermit, context: TxExecution): readonly Credential[] {
  const rest = verifySubnetAuthorization(tx, permit, context);
  const { subnetId } = permit;
  const { transformation, conversion } = findSubnet(subnetId, context);
  if (transformation === undefined && conversion === undefined) return rest;
  throw new RuleError("immutable-subnet", `"${formatId(subnetId)}" is immutable`, { subnetId });
}

function findSubnet(subnetId: Id, { state }: TxExecution): SubnetRow {
  const subnet = state.subnet(subnetId);
  if (subnet !== undefined) return subnet;
  if (state.tx(subnetId) === undefined) throw new RuleError("not-found", "not found", { subnetId });
  throw new RuleError("not-a-subnet", `"${formatId(subnetId)}" is not a subnet`, { subnetId });
}
