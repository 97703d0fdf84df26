import fc from "fast-check";
import { decodeFunctionData, encodeAbiParameters, encodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { callData, readNumber, readText, selectorOf } from "../../src/evm/abi.ts";
import { decodeAggregate, encodeAggregate } from "../../src/evm/tokens/multicall.ts";

const multicallAbi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) view returns (Result[])",
]);

const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((array) => Buffer.from(array).toString("hex"));
const hex = (buffer: Buffer) => `0x${buffer.toString("hex")}` as const;
const fromHex = (text: string) => Buffer.from(text.slice(2), "hex");
const stringAnswer = (text: string) => fromHex(encodeAbiParameters([{ type: "string" }], [text]));
/** A string as a contract may return it that never heard of UTF-8. */
const rawAnswer = (text: Buffer) => fromHex(encodeAbiParameters([{ type: "bytes" }], [hex(text)]));

describe("Texts of answers", () => {
  test("are read as encoders write them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
        expect(readText(stringAnswer(text), 10_000)).toBe(text);
      }),
    );
  });

  test("are cut behind a whole character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 80 }), fc.nat(120), (text, maxBytes) => {
        const whole = text.replaceAll(/[\ud800-\udfff]/gu, "");
        const read = readText(stringAnswer(whole), maxBytes)!;
        expect(whole.startsWith(read)).toBe(true);
        expect(Buffer.byteLength(read)).toBeLessThanOrEqual(maxBytes);
        const next = [...whole.slice(read.length)][0] ?? "";
        if (next !== "") expect(Buffer.byteLength(read + next)).toBeGreaterThan(maxBytes);
      }),
    );
  });

  test("may be bytes32, with or without padding", () => {
    const word = (text: string) => Buffer.concat([Buffer.from(text)], 32);
    expect(readText(word("MKR"), 100)).toBe("MKR");
    expect(readText(word("A name of exactly 32 characters!"), 100)).toBe("A name of exactly 32 characters!");
    expect(readText(word(""), 100)).toBe("");
    expect(readText(Buffer.alloc(32, 0xff), 100)).toBeUndefined();
  });

  test("are none where the bytes are no UTF-8", () => {
    expect(readText(rawAnswer(Buffer.from("41fffec042", "hex")), 100)).toBeUndefined();
    expect(readText(rawAnswer(Buffer.from("c3a9", "hex")), 100)).toBe("é");
  });

  test("are none where places and lengths lead outside the answer", () => {
    const word = (value: bigint) => value.toString(16).padStart(64, "0");
    const huge = 2n ** 256n - 1n;
    for (const words of [
      [huge, huge],
      [32n, 2n ** 255n],
      [32n, 33n, huge],
      [64n, 1n],
      [65n, 1n],
    ]) {
      expect(readText(Buffer.from(words.map(word).join(""), "hex"), 100), words.join()).toBeUndefined();
    }
    expect(readText(Buffer.alloc(31, 1), 100)).toBeUndefined();
    expect(readText(Buffer.alloc(0), 100)).toBeUndefined();
  });

  test("are read or refused, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(100), (array, maxBytes) => {
        const text = readText(Buffer.from(array), maxBytes);
        if (text !== undefined) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(maxBytes, 0));
      }),
    );
  });
});

test("A number is one word and nothing else", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      const answer = fromHex(encodeAbiParameters([{ type: "uint256" }], [value]));
      expect(readNumber(answer)).toBe(value);
      expect(readNumber(answer.subarray(1))).toBeUndefined();
      expect(readNumber(Buffer.concat([answer, answer]))).toBeUndefined();
    }),
  );
});

test("Calls are what an ABI encoder makes of them", () => {
  fc.assert(
    fc.property(address, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (holder, id) => {
      const abi = parseAbi(["function balanceOf(address,uint256) view returns (uint256)"]);
      expect(callData("balanceOf(address,uint256)", holder, id)).toBe(encodeFunctionData({ abi, args: [`0x${holder}`, id] }));
    }),
  );
  expect(selectorOf("transfer(address,uint256)")).toBe("a9059cbb");
});

describe("Several calls in one", () => {
  test("are encoded as aggregate3 takes them", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ to: address, data: bytes.map(hex) }), { maxLength: 6 }), (calls) => {
        const [decoded] = decodeFunctionData({ abi: multicallAbi, data: encodeAggregate(calls) as `0x${string}` }).args;
        expect(
          decoded.map(({ target, callData, allowFailure }) => ({ to: target.slice(2).toLowerCase(), data: callData, allowFailure })),
        ).toEqual(calls.map((call) => ({ ...call, allowFailure: true })));
      }),
    );
  });

  test("are answered each, a failed one by nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 6 }), (results) => {
        const answer = encodeFunctionResult({
          abi: multicallAbi,
          result: results.map(({ success, returnData }) => ({ success, returnData: hex(returnData) })),
        });
        expect(decodeAggregate(fromHex(answer), results.length)).toEqual(
          results.map(({ success, returnData }) => (success ? returnData : undefined)),
        );
        expect(decodeAggregate(fromHex(answer), results.length + 1)).toBeUndefined();
      }),
    );
  });

  test("are answered or not understood, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(3), (array, count) => {
        const answers = decodeAggregate(Buffer.from(array), count);
        if (answers !== undefined) expect(answers).toHaveLength(count);
      }),
    );
  });
});
