import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../../src/base/codec/rlp.ts";
import { encodeCChainBlock, hashExtraData, parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { encodeExtraData } from "../../../src/chains/atomic/tx.ts";
import { batchBlock } from "./vectors.ts";

describe("RLP", () => {
  test("gives back strings and lists of every length", () => {
    const strings = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    fc.assert(
      fc.property(strings, (values) => {
        const items = rlpItems(readRlp(encodeRlpList(values.map(encodeRlpString))));
        expect(items.map((item) => rlpBytes(item))).toEqual(values.map((value) => Buffer.from(value)));
      }),
    );
  });

  test.each([
    ["a length that fits a shorter form", "b801ff"],
    ["a length with a leading zero", `b90038${"00".repeat(56)}`],
    ["a single byte in a long form", "8105"],
    ["bytes behind the item", "0000"],
    ["a string that ends early", "83aabb"],
    ["a length that ends early", "b9"],
    ["no bytes", ""],
  ])("refuses %s", (_what, hex) => {
    expect(() => readRlp(Buffer.from(hex, "hex"))).toThrow(CodecError);
  });

  test("refuses numbers with leading zeros and numbers that are too long", () => {
    expect(rlpInteger(readRlp(Buffer.from("820400", "hex")))).toBe(1024n);
    expect(rlpInteger(readRlp(Buffer.from("80", "hex")))).toBe(0n);
    expect(() => rlpInteger(readRlp(Buffer.from("00", "hex")))).toThrow(CodecError);
    expect(() => rlpInteger(readRlp(Buffer.from("820001", "hex")))).toThrow(CodecError);
    expect(() => rlpInteger(readRlp(Buffer.from(`89${"01".repeat(9)}`, "hex")))).toThrow(CodecError);
  });
});

describe("a C-chain block", () => {
  test("is read with its batch of atomic transactions", () => {
    const block = parseCChainBlock(batchBlock.bytes, 0n);
    expect(block).toMatchObject({
      id: batchBlock.id,
      parentId: "82b862b033a8d2373290f26033030333b293fec4bd88a8768ae4748980fac3f7",
      height: 10n,
      timestamp: 1607576400n,
      baseFee: 25_000_000_000n,
      extraDataGasUsed: 22460n,
    });
    expect(block.atomicTxs.map(({ id }) => formatId(id))).toEqual(batchBlock.txIds);
    expect(block.transactions).toHaveLength(1);
    expect(hashExtraData(block.extraData)).toBe(block.extraDataHash);
  });

  test("is put together again from its parts", () => {
    const { transactions, extraData, bytes } = parseCChainBlock(batchBlock.bytes, 0n);
    const [header] = rlpItems(readRlp(bytes));
    expect(encodeCChainBlock({ header: header!.encoding, transactions, extraData })).toEqual(Buffer.from(bytes));
  });

  test("of a development network has an Ethereum header and any kind of transaction", () => {
    const zeros = (length: number) => encodeRlpString(new Uint8Array(length));
    const hashes = [32, 32, 20, 32, 32, 32, 256].map(zeros);
    const numbers = [0n, 7n, 15_000_000n, 42_000n, 1_800_000_000n].map(encodeRlpInteger);
    const header = encodeRlpList([...hashes, ...numbers, zeros(0), zeros(32), zeros(8), encodeRlpInteger(1n), zeros(32)]);
    const transactions = [encodeRlpList([encodeRlpInteger(1n)]), Buffer.from("02c101", "hex")];
    const { atomicTxs } = parseCChainBlock(batchBlock.bytes, 0n);
    const bytes = encodeCChainBlock({ header, transactions, extraData: encodeExtraData(atomicTxs) });
    const block = parseCChainBlock(bytes, 0n);
    expect(block).toMatchObject({ height: 7n, gasUsed: 42_000n, timestamp: 1_800_000_000n, baseFee: 1n, transactions });
    expect(block.extraDataHash).toBeUndefined();
    expect(block.atomicTxs).toEqual(atomicTxs);
  });

  test("whose extra data is of another era is refused", () => {
    expect(() => parseCChainBlock(batchBlock.bytes, 1607576401n)).toThrow(CodecError);
  });

  test("that is damaged fails with nothing but a CodecError", () => {
    fc.assert(
      fc.property(fc.nat({ max: batchBlock.bytes.length - 1 }), fc.nat({ max: 255 }), fc.nat(), (at, value, cut) => {
        const damaged = Buffer.from(batchBlock.bytes.subarray(0, cut % 5 === 0 ? cut % batchBlock.bytes.length : undefined));
        if (at < damaged.length) damaged[at] = value;
        try {
          parseCChainBlock(damaged, 0n);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
