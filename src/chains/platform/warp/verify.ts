/**
 * Checks whether enough of a subnet's validators signed a warp message (chain-rules 14.2). Texts and order of the checks are the node's.
 */

import { verifyAggregate } from "../../../base/signatures/bls.ts";
import { BlsError, parseSignature } from "../../../base/signatures/bls-values.ts";
import { RuleError } from "../../../network/execution.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { definitionOf, type SignedTx } from "../tx/registry.ts";
import { subnetOfChain } from "../tx/same-subnet.ts";
import type { CanonicalSet, ValidatorSets } from "../validator-sets.ts";
import { parseWarpMessage, signerPositions, unsignedWarpBytes, type WarpMessage } from "./message.ts";

/** of the P-chain, and of EVM chains unless their genesis says otherwise */
export const QUORUM_NUMERATOR = 67n;
const QUORUM_DENOMINATOR = 100n;

/** A set that changes with every block is not tried at more heights than these. */
const MOST_TRIED_HEIGHTS = 64;

/**
 * Verifies the messages of all transactions that have one, against the validator sets at `height`. If the height is not known, since the block
 * came without its container, one of the recent sets must do.
 */
export function verifyWarpMessages(txs: readonly SignedTx[], state: PlatformState, sets: ValidatorSets, height: bigint | undefined): void {
  for (const { unsigned } of txs) {
    const bytes = definitionOf(unsigned.kind).warpMessage?.(unsigned);
    if (bytes === undefined) continue;
    const message = parseWarpMessage(bytes);
    const subnetId = subnetOfChain(message.sourceChainId, state);
    const verifyAt = (at: bigint) => verifyWarpMessage(message, state.network.networkId, sets.canonicalAt(subnetId, at));
    if (height !== undefined) verifyAt(height);
    else verifyAtSome(sets.recentHeights(subnetId), verifyAt);
  }
}

/** Throws the error of the first height if none will do. */
function verifyAtSome(heights: Iterable<bigint>, verifyAt: (height: bigint) => void): void {
  let first: RuleError | undefined;
  let tried = 0;
  for (const height of heights) {
    try {
      verifyAt(height);
      return;
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      first ??= error;
    }
    if (++tried === MOST_TRIED_HEIGHTS) break;
  }
  throw first;
}

/** @param quorumNumerator percent of the weight that must have signed */
export function verifyWarpMessage(
  message: WarpMessage,
  networkId: number,
  { validators, totalWeight }: CanonicalSet,
  quorumNumerator = QUORUM_NUMERATOR,
): void {
  if (message.networkId !== networkId) throw new RuleError("wrong-network", "wrong networkID");
  const positions = signerPositions(message.signature.signers);
  const highest = positions.at(-1) ?? -1;
  if (highest >= validators.length) {
    const text = `unknown validator: NumIndices (${highest}) >= NumFilteredValidators (${validators.length})`;
    throw new RuleError("unknown-signer", text);
  }
  const signers = positions.map((position) => validators[position]!);
  const weight = signers.reduce((total, signer) => total + signer.weight, 0n);
  if (totalWeight * quorumNumerator > weight * QUORUM_DENOMINATOR) {
    const text = `${quorumNumerator}*${totalWeight} > ${QUORUM_DENOMINATOR}*${weight}`;
    throw new RuleError("insufficient-weight", `signature weight is insufficient: ${text}`);
  }
  verifySignature(
    message,
    signers.map(({ publicKey }) => publicKey),
  );
}

function verifySignature(message: WarpMessage, publicKeys: readonly string[]): void {
  try {
    parseSignature(message.signature.signature);
    // in a subnet without weight no signers are needed for a quorum
    if (publicKeys.length === 0) throw new RuleError("no-signers", "no public keys");
    if (verifyAggregate(unsignedWarpBytes(message), publicKeys, message.signature.signature)) return;
  } catch (error) {
    if (!(error instanceof BlsError)) throw error;
    throw new RuleError("unreadable-signature", `failed to parse signature: ${error.message}`, {}, { cause: error });
  }
  throw new RuleError("invalid-signature", "signature is invalid");
}
