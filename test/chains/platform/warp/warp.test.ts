import { aggregateSignatures, SecretKey, Signature } from "@chainsafe/blst";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_U64 } from "../../../../src/base/bytes/amount.ts";
import { canonicalSet } from "../../../../src/chains/platform/validator-sets.ts";
import {
  conversionId,
  encodeL1Message,
  parseL1ValidatorWeight,
  parseRegisterL1Validator,
} from "../../../../src/chains/platform/warp/l1-messages.ts";
import {
  countSigners,
  encodeWarpMessage,
  encodeWarpPayload,
  parseAddressedCall,
  parseWarpMessage,
  signerPositions,
  unsignedWarpBytes,
  type WarpMessage,
} from "../../../../src/chains/platform/warp/message.ts";
import { verifyWarpMessage } from "../../../../src/chains/platform/warp/verify.ts";
import { vectorTx } from "../tx/vectors.ts";

const NETWORK = 12345;
const CHAIN = "11".repeat(32);
const secrets = [1, 2, 3, 4].map((byte) => SecretKey.fromKeygen(Buffer.alloc(32, byte)));
const keyOf = (secret: SecretKey) => Buffer.from(secret.toPublicKey().toBytes()).toString("hex");
const nodeOf = (number: number) => number.toString(16).padStart(40, "0");

/** Four validators of weight 25, in the order in which signatures refer to them. */
const set = canonicalSet(new Map(secrets.map((secret, i) => [nodeOf(i), { weight: 25n, publicKey: keyOf(secret) }])));
const inOrder = set.validators.map(({ publicKey }) => secrets.find((secret) => keyOf(secret) === publicKey)!);

function signedBy(positions: readonly number[], changes: Partial<WarpMessage> = {}): WarpMessage {
  const unsigned = { networkId: NETWORK, sourceChainId: CHAIN, payload: Buffer.from("payload"), ...changes };
  const message = unsignedWarpBytes(unsigned);
  const signatures = positions.map((position) => Signature.fromBytes(inOrder[position]!.sign(message).toBytes()));
  const signature = signatures.length === 0 ? Buffer.alloc(96) : Buffer.from(aggregateSignatures(signatures).toBytes());
  const bits = positions.reduce((sum, position) => sum | (1 << position), 0);
  const signers = bits === 0 ? Buffer.alloc(0) : Buffer.from([bits]);
  return { ...unsigned, signature: { kind: "BitSetSignature", signers, signature }, ...changes };
}

describe("warp messages", () => {
  test("three quarters of the weight are enough, one half is not", () => {
    expect(() => verifyWarpMessage(signedBy([0, 1, 3]), NETWORK, set)).not.toThrow();
    expect(() => verifyWarpMessage(signedBy([0, 3]), NETWORK, set)).toThrow("signature weight is insufficient: 67*100 > 100*50");
  });

  test("validators without a key count in the total weight but cannot sign", () => {
    const members = new Map(secrets.map((secret, i) => [nodeOf(i), { weight: 25n, publicKey: keyOf(secret) as string | undefined }]));
    members.set(nodeOf(9), { weight: 100n, publicKey: undefined });
    const diluted = canonicalSet(members);
    expect(diluted.validators).toHaveLength(4);
    expect(() => verifyWarpMessage(signedBy([0, 1, 2, 3]), NETWORK, diluted)).toThrow("67*200 > 100*100");
  });

  test("nodes that share a key sign together", () => {
    const [first, second] = [keyOf(secrets[0]!), keyOf(secrets[1]!)];
    const { validators } = canonicalSet(
      new Map([first, first, second].map((publicKey, i) => [nodeOf(i), { weight: BigInt(i + 1), publicKey }])),
    );
    expect(validators.find(({ publicKey }) => publicKey === first)).toMatchObject({ weight: 3n, nodeIds: [nodeOf(0), nodeOf(1)] });
  });

  test("another network, an unknown signer, a padded bit set and a foreign signature are told apart", () => {
    const good = signedBy([0, 1, 2]);
    const { signature } = good;
    const refusals = [
      { message: signedBy([0, 1, 2], { networkId: 1 }), text: "wrong networkID" },
      {
        message: { ...good, signature: { ...signature, signers: Buffer.from([16]) } },
        text: "unknown validator: NumIndices (4) >= NumFilteredValidators (4)",
      },
      { message: { ...good, signature: { ...signature, signers: Buffer.from([0, 7]) } }, text: "bitset is invalid" },
      { message: { ...good, payload: Buffer.from("another") }, text: "signature is invalid" },
      {
        message: { ...good, signature: { ...signature, signature: Buffer.alloc(96, 1) } },
        text: "failed to parse signature: couldn't decompress signature",
      },
    ];
    for (const { message, text } of refusals) expect(() => verifyWarpMessage(message, NETWORK, set)).toThrow(text);
  });

  test("signers are the set bits of a big-endian number", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 200 })), (positions) => {
        const bits = positions.reduce((sum, position) => sum | (1n << BigInt(position)), 0n);
        const hex = bits === 0n ? "" : bits.toString(16);
        const signers = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
        expect(signerPositions(signers)).toEqual(positions.toSorted((a, b) => a - b));
        expect(countSigners(signers)).toBe(positions.length);
      }),
    );
  });

  test("the published message reads and encodes back, envelope, call and registration", () => {
    const tx = vectorTx("RegisterL1ValidatorTx").unsigned;
    if (tx.kind !== "RegisterL1ValidatorTx") throw new TypeError(tx.kind);
    const { message } = tx;
    const warp = parseWarpMessage(message);
    const call = parseAddressedCall(warp.payload);
    const registration = parseRegisterL1Validator(call.payload);
    expect(encodeWarpMessage(warp).equals(message)).toBe(true);
    expect(encodeWarpPayload(call).equals(warp.payload)).toBe(true);
    expect(encodeL1Message(registration).equals(call.payload)).toBe(true);
    // both owners of this one are without addresses
    expect(call.payload).toHaveLength(182 - 2 * 20);
  });

  test("unreadable messages are broken rules with the node's texts", () => {
    expect(() => parseWarpMessage(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: "unreadable-message" }));
    expect(() => parseWarpMessage(Buffer.alloc(1))).toThrow("couldn't unpack codec version");
    const hash = encodeWarpPayload({ kind: "Hash", hash: CHAIN });
    expect(() => parseAddressedCall(hash)).toThrow("wrong payload type: *payload.Hash");
    const registered = encodeL1Message({ kind: "L1ValidatorRegistration", validationId: CHAIN, registered: true });
    expect(() => parseL1ValidatorWeight(registered)).toThrow("wrong payload type: *message.L1ValidatorRegistration");
  });

  test("the last nonce is for removal only", () => {
    const weigh = (weight: bigint) => encodeL1Message({ kind: "L1ValidatorWeight", validationId: CHAIN, nonce: MAX_U64, weight });
    expect(parseL1ValidatorWeight(weigh(0n)).weight).toBe(0n);
    expect(() => parseL1ValidatorWeight(weigh(1n))).toThrow("maxUint64 nonce is reserved for removal");
  });

  test("a conversion's ID depends on the order of its validators", () => {
    const validators = [1, 2].map((i) => ({ nodeId: Buffer.alloc(20, i), blsPublicKey: "ab".repeat(48), weight: 1n }));
    const conversion = { subnetId: CHAIN, managerChainId: CHAIN, managerAddress: Buffer.from([1]) };
    expect(conversionId({ ...conversion, validators })).not.toBe(conversionId({ ...conversion, validators: validators.toReversed() }));
  });
});
