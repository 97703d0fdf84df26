import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../../src/base/codec/rlp.ts";
import { encodeSubnetEvmBlock, parseSubnetEvmBlock } from "../../../src/chains/subnet-evm/block.ts";

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const legacy = fc.array(fc.uint8Array(), { maxLength: 4 }).map((items) => encodeRlpList(items.map(encodeRlpString)));
const typed = fc.tuple(fc.integer({ min: 1, max: 4 }), legacy).map(([type, list]) => Buffer.concat([Buffer.of(type), list]));

/** Ethereum's 15 fields, the base fee, and what upgrades add. */
function headerOf(parent: Uint8Array, height: bigint, timestamp: bigint, more: readonly bigint[]): Buffer {
  const fields = Array.from({ length: 15 }, () => encodeRlpString(new Uint8Array()));
  fields[0] = encodeRlpString(parent);
  fields[8] = encodeRlpInteger(height);
  fields[11] = encodeRlpInteger(timestamp);
  return encodeRlpList([...fields, ...more.map(encodeRlpInteger)]);
}

describe("A block of Subnet-EVM", () => {
  test("is read as it was written: header, transactions in network form, no uncles", () => {
    const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(
        word,
        u64,
        u64,
        fc.array(u64, { maxLength: 8 }),
        fc.array(fc.oneof(legacy, typed)),
        (parent, height, timestamp, more, txs) => {
          const header = headerOf(parent, height, timestamp, more);
          const block = parseSubnetEvmBlock(encodeSubnetEvmBlock({ header, transactions: txs }));
          expect(block).toEqual({
            id: keccak256(header).toString("hex"),
            parentId: Buffer.from(parent).toString("hex"),
            height,
            timestamp,
            baseFee: more[0],
            transactions: txs,
          });
        },
      ),
    );
  });

  test("has three parts and a header of 15 to 30 fields", () => {
    const header = headerOf(new Uint8Array(32), 1n, 1n, []);
    const nothing = encodeRlpList([]);
    for (const parts of [
      [header, nothing],
      [header, nothing, nothing, nothing],
      [nothing, nothing, nothing],
    ]) {
      expect(() => parseSubnetEvmBlock(encodeRlpList(parts))).toThrow(CodecError);
    }
    expect(() => parseSubnetEvmBlock(Buffer.alloc(3))).toThrow(CodecError);
  });
});
