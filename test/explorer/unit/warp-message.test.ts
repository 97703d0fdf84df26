import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressOfCb58,
  addressText,
  bytesOf,
  cb58,
  decodeWarpMessage,
  hexOf,
  nodeId,
} from "../../../explorer/src/screens/primary/warp-message.ts";
import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { encodeCb58, formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { encodeL1Message, type L1Message } from "../../../src/chains/platform/warp/l1-messages.ts";
import { countSigners, encodeWarpMessage, encodeWarpPayload } from "../../../src/chains/platform/warp/message.ts";

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString("hex"));
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const owner = fc.record({ threshold: fc.nat(9), addresses: fc.array(hex(20), { maxLength: 4 }) });
const registration = fc.record({
  kind: fc.constant("RegisterL1Validator" as const),
  ...{ subnetId: hex(32), nodeId: fc.uint8Array({ minLength: 20, maxLength: 20 }), blsPublicKey: hex(48), expiry: u64, weight: u64 },
  ...{ remainingBalanceOwner: owner, disableOwner: owner },
});
const weight = fc.record({ kind: fc.constant("L1ValidatorWeight" as const), validationId: hex(32), nonce: u64, weight: u64 });
const signed = fc.record({
  networkId: fc.nat(2 ** 32 - 1),
  sourceChainId: hex(32),
  sourceAddress: fc.uint8Array({ maxLength: 40 }),
  // the shortest form: a bit set does not begin with zeros
  signers: fc.uint8Array({ maxLength: 8 }).filter((bytes) => bytes[0] !== 0),
});

function encode(
  message: L1Message,
  { sourceAddress, signers, ...rest }: { networkId: number; sourceChainId: string; sourceAddress: Uint8Array; signers: Uint8Array },
) {
  const payload = encodeWarpPayload({ kind: "AddressedCall", sourceAddress, payload: encodeL1Message(message) });
  return encodeWarpMessage({ ...rest, payload, signature: { kind: "BitSetSignature", signers, signature: new Uint8Array(96) } });
}

const plain = (shown: { threshold: number; addresses: readonly Uint8Array[] }) => ({
  threshold: shown.threshold,
  addresses: shown.addresses.map((each) => Buffer.from(each).toString("hex")),
});

describe("a warp message in a transaction", () => {
  test("is read as the P-chain reads it", () => {
    fc.assert(
      fc.property(fc.oneof(registration, weight), signed, (message, envelope) => {
        const read = decodeWarpMessage(encode(message, envelope))!;
        expect(read.networkId).toBe(envelope.networkId);
        expect(read.sourceChainId).toBe(formatId(envelope.sourceChainId));
        expect(hexOf(read.sourceAddress)).toBe(`0x${Buffer.from(envelope.sourceAddress).toString("hex")}`);
        expect(read.signers).toBe(countSigners(envelope.signers));
        if (message.kind === "L1ValidatorWeight") {
          const { nonce, weight } = message;
          expect(read.message).toEqual({ is: "weight", validationId: formatId(message.validationId), nonce, weight });
          return;
        }
        if (read.message?.is !== "registration") throw new Error("it is no registration");
        const { expiry, weight } = message;
        expect(read.message).toMatchObject({ subnetId: formatId(message.subnetId), expiry, weight });
        expect(Buffer.from(read.message.nodeId)).toEqual(Buffer.from(message.nodeId));
        expect(hexOf(read.message.blsPublicKey)).toBe(`0x${message.blsPublicKey}`);
        expect(plain(read.message.disableOwner)).toEqual(message.disableOwner);
        expect(plain(read.message.remainingBalanceOwner)).toEqual(message.remainingBalanceOwner);
      }),
    );
  });

  test("that ends early, or is anything else, is not read, and does no harm", () => {
    fc.assert(
      fc.property(fc.oneof(registration, weight), signed, fc.nat(), (message, envelope, cut) => {
        const bytes = encode(message, envelope);
        expect(decodeWarpMessage(bytes.subarray(0, cut % bytes.length))).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodeWarpMessage(bytes)));
  });
});

test("IDs and addresses are written as everywhere else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 20, maxLength: 20 }), (id, address) => {
      const [idHex, addressHex] = [Buffer.from(id).toString("hex"), Buffer.from(address).toString("hex")];
      expect(cb58(id)).toBe(formatId(idHex));
      expect(nodeId(address)).toBe(formatNodeId(addressHex));
      expect(addressText("custom", address)).toBe(encodeBech32("custom", addressHex));
      expect(Buffer.from(addressOfCb58(encodeCb58(address))!)).toEqual(Buffer.from(address));
      expect(bytesOf(hexOf(id))).toEqual(id);
    }),
  );
  expect(addressOfCb58("0OIl")).toBeUndefined();
  expect(bytesOf("0x123")).toBeUndefined();
  expect(bytesOf("0xgg")).toBeUndefined();
});
