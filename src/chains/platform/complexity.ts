/**
 * The parts of a transaction's complexity (chain-rules 7.2). Bytes count the encoded parts; each input and authorization includes its
 * credential.
 */
import { MAX_U64 } from "../../base/bytes/amount.ts";
import type { DynamicFeeParameters } from "../../network/network.ts";
import type { TransferableInput, TransferableOutput } from "./output.ts";
import { unlockedInput, unlockedOutput } from "./output.ts";
import type { Authorization, L1Owner, Owner } from "./owner.ts";
import type { Signer } from "./signer.ts";
import { countSigners, parseWarpMessage } from "./warp/message.ts";

const ADDRESS_BYTES = 20;
const LOCK_BYTES = 8 + 4; // locktime, type ID
const OUTPUT_BYTES = 32 + 4 + 8 + 16; // asset, type ID, amount, owner
const INPUT_BYTES = 32 + 4 + 32 + 4 + 4 + 8 + 8; // UTXO ID, asset, type IDs of input and credential, amount, two counts
const SIGNATURE_BYTES = 4 + 65; // index, signature
const SIGNATURE_MICROSECONDS = 200;
const OWNER_BYTES = 8 + 4 + 4; // locktime, threshold, count
const AUTHORIZATION_BYTES = 4 + 4; // two counts
const PROOF_OF_POSSESSION_BYTES = 48 + 96; // key, signature
const L1_VALIDATOR_BYTES = 4 + 8 + 8 + 4 * 4; // length of the node ID, weight, balance, thresholds and counts of two owners
const BLS_VERIFY_MICROSECONDS = 1000;
const BLS_AGGREGATE_MICROSECONDS = 5;
const WARP_READS = 3 + 20; // chain to subnet, set of validators

/** Verifying a proof of possession: validating the key and verifying the signature. */
export const PROOF_OF_POSSESSION_MICROSECONDS = 50 + BLS_VERIFY_MICROSECONDS;

/** Version, type ID, network, chain, three counts of the base transaction, count of credentials. */
const BASE_BYTES = 2 + 4 + 4 + 32 + 4 + 4 + 4 + 4;

export function outputsComplexity(outputs: readonly TransferableOutput[]): Dimensions {
  let bandwidth = 0;
  for (const { output } of outputs) {
    bandwidth += OUTPUT_BYTES + ADDRESS_BYTES * unlockedOutput(output).addresses.length;
    if (output.kind === "LockOut") bandwidth += LOCK_BYTES;
  }
  return { bandwidth, reads: 0, writes: outputs.length, compute: 0 };
}

export function inputsComplexity(inputs: readonly TransferableInput[]): Dimensions {
  let bandwidth = 0;
  let signatures = 0;
  for (const { input } of inputs) {
    bandwidth += INPUT_BYTES;
    if (input.kind === "LockIn") bandwidth += LOCK_BYTES;
    signatures += unlockedInput(input).signatureIndices.length;
  }
  bandwidth += SIGNATURE_BYTES * signatures;
  return { bandwidth, reads: inputs.length, writes: inputs.length, compute: SIGNATURE_MICROSECONDS * signatures };
}

/** The fields of every transaction with inputs, and its envelope. */
export function baseComplexity(tx: {
  readonly outputs: readonly TransferableOutput[];
  readonly inputs: readonly TransferableInput[];
  readonly memo: Uint8Array;
}): Dimensions {
  return sum({ bandwidth: BASE_BYTES + tx.memo.length }, outputsComplexity(tx.outputs), inputsComplexity(tx.inputs));
}

/** Without the owner's type ID. */
export function ownerComplexity({ addresses }: Owner): Partial<Dimensions> {
  return { bandwidth: OWNER_BYTES + ADDRESS_BYTES * addresses.length };
}

/** With its credential, without both type IDs. */
export function authorizationComplexity({ signatureIndices }: Authorization): Partial<Dimensions> {
  const signatures = signatureIndices.length;
  return { bandwidth: AUTHORIZATION_BYTES + SIGNATURE_BYTES * signatures, compute: SIGNATURE_MICROSECONDS * signatures };
}

/** Without the signer's type ID. */
export function signerComplexity(signer: Signer): Partial<Dimensions> {
  if (signer.kind === "Empty") return {};
  return { bandwidth: PROOF_OF_POSSESSION_BYTES, compute: PROOF_OF_POSSESSION_MICROSECONDS };
}

export function l1ValidatorComplexity(validator: {
  readonly nodeId: Uint8Array;
  readonly remainingBalanceOwner: L1Owner;
  readonly deactivationOwner: L1Owner;
}): Partial<Dimensions> {
  const addresses = validator.remainingBalanceOwner.addresses.length + validator.deactivationOwner.addresses.length;
  return {
    bandwidth: L1_VALIDATOR_BYTES + PROOF_OF_POSSESSION_BYTES + validator.nodeId.length + ADDRESS_BYTES * addresses,
    writes: 4,
    compute: PROOF_OF_POSSESSION_MICROSECONDS,
  };
}

/** Throws if the message cannot be parsed or its signer set is not in the shortest form. */
export function warpComplexity(message: Uint8Array): Partial<Dimensions> {
  const signers = countSigners(parseWarpMessage(message).signature.signers);
  return {
    bandwidth: message.length,
    reads: WARP_READS,
    compute: BLS_VERIFY_MICROSECONDS + BLS_AGGREGATE_MICROSECONDS * signers,
  };
}

// The cost of a transaction for the network in four dimensions, which are weighted to gas (chain-rules 7.2).

export interface Dimensions {
  /** bytes; for ordinary transactions the length of the signed transaction */
  readonly bandwidth: number;
  readonly reads: number;
  readonly writes: number;
  /** µs */
  readonly compute: number;
}

/** Adds dimensions; a part contains only those that are not 0. */
export function sum(...parts: readonly Partial<Dimensions>[]): Dimensions {
  const total = { bandwidth: 0, reads: 0, writes: 0, compute: 0 };
  for (const part of parts) {
    total.bandwidth += part.bandwidth ?? 0;
    total.reads += part.reads ?? 0;
    total.writes += part.writes ?? 0;
    total.compute += part.compute ?? 0;
  }
  return total;
}

export function gasOf({ bandwidth, reads, writes, compute }: Dimensions, weights: DynamicFeeParameters): bigint {
  return (
    BigInt(bandwidth) * weights.bandwidthWeight +
    BigInt(reads) * weights.dbReadWeight +
    BigInt(writes) * weights.dbWriteWeight +
    BigInt(compute) * weights.computeWeight
  );
}

/** The integer approximation of minPrice · e^(excess / K), used for gas and L1 fees (chain-rules 7.3). */
export function exponentialPrice(minPrice: bigint, excess: bigint, conversionConstant: bigint): bigint {
  if (excess === 0n) return minPrice;
  const limit = conversionConstant * MAX_U64;
  let term = minPrice * conversionConstant;
  let sum = 0n;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    if (sum >= limit) return MAX_U64;
    term = (term * excess) / conversionConstant / i;
  }
  return sum / conversionConstant;
}
