/** Messages to the P-chain from the chain that manages an L1, signed by the L1's validators. */
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Account, Anything } from "../wallet.ts";
import type { TestNode } from "./nodes.ts";

const { Address, BigIntPr, BlsPublicKey, BlsSignature, bls, Bytes, Id, Int, NodeId, PChainOwner, pvmSerial, utils }: Anything = avalanchejs;
const { AddressedCallPayloads, codec, WarpMessage, WarpSignature, WarpUnsignedMessage }: Anything = pvmSerial.warp;
const { AddressedCall, L1ValidatorWeightMessage, RegisterL1ValidatorMessage }: Anything = AddressedCallPayloads;

export interface Manager {
  readonly networkId: number;
  readonly chainId: string;
  readonly address: Uint8Array;
}

export interface Registration {
  readonly subnetId: string;
  readonly node: TestNode;
  readonly owner: Account;
  readonly weight: bigint;
  /** Unix seconds */
  readonly expiry: bigint;
}

export function registration({ subnetId, node, owner, weight, expiry }: Registration): Uint8Array {
  const owners = PChainOwner.fromNative([owner.bytes]);
  const publicKey = BlsPublicKey.fromPublicKeyBytes(node.publicKey);
  return packed(
    new RegisterL1ValidatorMessage(
      Id.fromString(subnetId),
      NodeId.fromString(node.nodeId),
      publicKey,
      new BigIntPr(expiry),
      owners,
      owners,
      new BigIntPr(weight),
    ),
  );
}

export function weightChange(validationId: string, nonce: bigint, weight: bigint): Uint8Array {
  return packed(new L1ValidatorWeightMessage(Id.fromString(validationId), new BigIntPr(nonce), new BigIntPr(weight)));
}

/**
 * @param validators that have a weight, all of them: their order gives each its bit
 * @param signers of them
 */
export function signedMessage(manager: Manager, message: Uint8Array, validators: readonly TestNode[], signers = validators): Uint8Array {
  const call = packed(new AddressedCall(new Address(manager.address), new Bytes(message)));
  const unsigned = new WarpUnsignedMessage(new Int(manager.networkId), Id.fromString(manager.chainId), new Bytes(call));
  const signatures = signers.map(({ secretKey }) => bls.signatureFromBytes(bls.sign(packed(unsigned), secretKey)));
  const aggregate = signatures.reduce((sum, signature) => sum.add(signature));
  const signature = BlsSignature.fromSignatureBytes(bls.signatureToBytes(aggregate));
  return packed(new WarpMessage(unsigned, new WarpSignature(new Bytes(bitSet(validators, signers)), signature)));
}

/** The package's own packer takes only what stands behind a type ID. */
const packed = (value: Anything): Uint8Array => Buffer.concat([CODEC_VERSION, value.toBytes(codec)]);
const CODEC_VERSION = Buffer.alloc(2);

/** A big-endian number without leading zeros; validators are in the order of their uncompressed keys. */
function bitSet(validators: readonly TestNode[], signers: readonly TestNode[]): Uint8Array {
  const uncompressed = ({ publicKey }: TestNode) => bls.publicKeyFromBytes(publicKey).toRawBytes(false);
  const order = [...validators].sort((a, b) => utils.bytesCompare(uncompressed(a), uncompressed(b)));
  const bits = signers.reduce((sum, signer) => sum | (1n << BigInt(order.indexOf(signer))), 0n);
  const hex = bits.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}
