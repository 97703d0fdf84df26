/** The explorer's decoding of calls, logs and errors against viem and ethers, and against hostile bytes. */
import { AbiCoder } from "ethers";
import fc from "fast-check";
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { describe, expect, test } from "vitest";
import type { AbiParameter } from "../../../explorer/src/screens/evm/abi/abi-item.ts";
import { checksummed, selectorOf, signatureOf, topicOf } from "../../../explorer/src/screens/evm/abi/abi-item.ts";
import { decodeCall, decodeError, decodeLog, indexAbi, reasonOf } from "../../../explorer/src/screens/evm/abi/decode.ts";
import {
  DecodingError,
  decodeValues,
  type Field,
  MOST_BYTES_SHOWN,
  MOST_ITEMS_SHOWN,
  MOST_VALUES,
  type Value,
} from "../../../explorer/src/screens/evm/abi/decode-values.ts";
import { encodeCall } from "../../../explorer/src/screens/evm/abi/encode.ts";
import { wellKnown } from "../../../explorer/src/screens/evm/abi/well-known.ts";
import { tokenContract } from "../../sdk/devnet/tokens.ts";

/** A parameter with values as viem takes them. */
interface Typed {
  readonly parameter: AbiParameter;
  readonly value: fc.Arbitrary<unknown>;
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const bytesOf = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength }).map(hex);
const sizes = fc.integer({ min: 1, max: 32 });
const named = (type: string): AbiParameter => ({ name: "x", type });

const scalar: fc.Arbitrary<Typed> = fc.oneof(
  sizes.map((size) => ({ parameter: named(`uint${8 * size}`), value: fc.bigInt({ min: 0n, max: 2n ** BigInt(8 * size) - 1n }) })),
  sizes.map((size) => {
    const half = 2n ** BigInt(8 * size - 1);
    return { parameter: named(`int${8 * size}`), value: fc.bigInt({ min: -half, max: half - 1n }) };
  }),
  sizes.map((size) => ({ parameter: named(`bytes${size}`), value: bytesOf(size) })),
  fc.constant({ parameter: named("address"), value: bytesOf(20) }),
  fc.constant({ parameter: named("bool"), value: fc.boolean() }),
  fc.constant({ parameter: named("bytes"), value: bytesOf(0, 80) }),
  fc.constant({ parameter: named("string"), value: fc.string({ unit: "binary", maxLength: 40 }) }),
);

const typed = fc.letrec<{ any: Typed; list: Typed; tuple: Typed }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, scalar, tie("list"), tie("tuple")),
  list: fc.tuple(tie("any"), fc.option(fc.integer({ min: 1, max: 3 }))).map(([{ parameter, value }, length]) => ({
    parameter: { ...parameter, type: `${parameter.type}[${length ?? ""}]` },
    value: fc.array(value, length === null ? { maxLength: 4 } : { minLength: length, maxLength: length }),
  })),
  tuple: fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((parts) => ({
    parameter: { name: "x", type: "tuple", components: parts.map(({ parameter }, i) => ({ ...parameter, name: `p${i}` })) },
    value: fc.tuple(...parts.map(({ value }) => value)),
  })),
})).any;

/** Parameters and one value for each. */
const call = fc
  .array(typed, { maxLength: 4 })
  .chain((all) =>
    fc.record({ parameters: fc.constant(all.map(({ parameter }) => parameter)), values: fc.tuple(...all.map(({ value }) => value)) }),
  );

/** A decoded value as viem has it. */
function plain(value: Value): unknown {
  switch (value.kind) {
    case "number":
      return value.number;
    case "bool":
      return value.isTrue;
    case "address":
      return value.address;
    case "bytes":
      return value.hex;
    case "text":
      return value.text;
    case "hash":
      return value.hash;
    case "list":
      return value.items.map(plain);
    case "tuple":
      return value.fields.map((field) => plain(field.value));
  }
}
const plains = (fields: readonly Field[]) => fields.map(({ value }) => plain(value));
const encoded = (parameters: readonly AbiParameter[], values: readonly unknown[]) => encodeAbiParameters(parameters, values).slice(2);

const word = (number: number | bigint) => number.toString(16).padStart(64, "0");
const OTHER = `0x${"ab".repeat(20)}`;

describe("values", () => {
  test("whatever viem encodes is decoded to the same values", () => {
    fc.assert(
      fc.property(call, ({ parameters, values }) => {
        expect(plains(decodeValues(parameters, encoded(parameters, values)))).toEqual(values);
      }),
    );
  });

  test("what ethers encodes is decoded to the same values", () => {
    const types = ["(uint256,string[],(bytes,int24)[2])[]", "bytes32[2][]", "string"];
    const values = [
      [
        [
          5n,
          ["a", "", "ü"],
          [
            ["0x01", -3n],
            ["0x", 8388607n],
          ],
        ],
      ],
      [[`0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`]],
      "z".repeat(40),
    ];
    const parameters: AbiParameter[] = [
      {
        name: "",
        type: "tuple[]",
        components: [named("uint256"), named("string[]"), { name: "", type: "tuple[2]", components: [named("bytes"), named("int24")] }],
      },
      named("bytes32[2][]"),
      named("string"),
    ];
    expect(plains(decodeValues(parameters, AbiCoder.defaultAbiCoder().encode(types, values).slice(2)))).toEqual(values);
  });

  test("bytes of anybody are decoded or refused, and nothing else is thrown", () => {
    const anything = fc.tuple(
      fc.array(typed, { minLength: 1, maxLength: 3 }),
      fc.uint8Array({ maxLength: 400 }),
      fc.array(fc.nat(12), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(anything, ([all, bytes, small]) => {
        // small numbers are offsets and lengths that lead somewhere
        const data = `${small.map((number) => word(32 * number)).join("")}${hex(bytes).slice(2)}`;
        const parameters = all.map(({ parameter }) => parameter);
        try {
          expect(decodeValues(parameters, data)).toHaveLength(parameters.length);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodingError);
        }
      }),
    );
  });

  test.each([
    ["address", "f".repeat(64)],
    ["bool", word(2)],
    ["uint8", word(256)],
    ["int8", word(128)],
    ["bytes4", `${"11".repeat(5)}${"0".repeat(54)}`],
    ["string", word(2n ** 255n)],
    ["string", `${word(32)}${word(33)}${"0".repeat(64)}`],
    ["uint256[]", `${word(32)}${word(2)}${word(1)}`],
    ["uint256", "00"],
  ])("%s is not decoded from what no compiler writes", (type, data) => {
    expect(() => decodeValues([named(type)], data)).toThrow(DecodingError);
  });

  test("of long lists and texts the beginning is decoded, and their lengths are known", () => {
    const [list, text] = decodeValues(
      [named("uint256[]"), named("bytes")],
      encoded([named("uint256[]"), named("bytes")], [Array(300).fill(1n), `0x${"ab".repeat(5000)}`]),
    );
    expect(list!.value).toMatchObject({ kind: "list", length: 300 });
    expect((list!.value as Extract<Value, { kind: "list" }>).items).toHaveLength(MOST_ITEMS_SHOWN);
    expect(text!.value).toEqual({ kind: "bytes", length: 5000, hex: `0x${"ab".repeat(MOST_BYTES_SHOWN)}` });
  });

  test("offsets that lead to the same bytes again and again are given up after a bounded number of values", () => {
    // each list has 200 items, all of which are the next list; the innermost items are texts
    const level = `${word(200)}${Array.from({ length: 200 }, () => word(200 * 32)).join("")}`;
    const data = `${word(32)}${level.repeat(5)}${word(4)}${"61626364".padEnd(64, "0")}`;
    expect(() => decodeValues([named("string[][][][][]")], data)).toThrow(`there are more than ${MOST_VALUES} values`);
  });
});

describe("calls, logs and errors", () => {
  test("the well-known list is what viem reads in it, and no two of its functions have the same selector", () => {
    const text = ({ name, type, components, indexed }: AbiParameter): string =>
      `${components ? `(${components.map(text).join(",")})${type.slice(5)}` : type}${indexed ? " indexed" : ""} ${name}`;
    const lines = wellKnown.map((item) => `${item.type} ${item.name}(${item.inputs.map(text).join(",")})`);
    const theirs = parseAbi(lines) as unknown as { name: string; inputs: unknown }[];
    expect(wellKnown.map(({ name, inputs }) => ({ name, inputs }))).toEqual(
      theirs.map(({ name, inputs }) => ({ name, inputs: JSON.parse(JSON.stringify(inputs)) })),
    );
    expect(wellKnown.map((item) => (item.type === "event" ? topicOf(item) : selectorOf(item)))).toEqual(
      wellKnown.map((item) => (item.type === "event" ? toEventSelector : toFunctionSelector)(signatureOf(item))),
    );
    const functions = wellKnown.filter(({ type }) => type === "function");
    expect(new Set(functions.map(selectorOf)).size).toBe(functions.length);
  });

  const { abi } = tokenContract("Coin");
  const own = indexAbi(JSON.parse(JSON.stringify(abi)));

  test("a call is decoded by the contract's own ABI first, else by the well-known list, else not", () => {
    const many = encodeFunctionData({ abi, functionName: "transferMany", args: [[OTHER], [7n]] });
    expect(decodeCall(many, own)).toMatchObject({ name: "transferMany", signature: "transferMany(address[],uint256[])", isOwn: true });
    expect(decodeCall(many)).toBeUndefined();
    const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [OTHER, 7n] });
    expect(decodeCall(transfer, own)).toMatchObject({ isOwn: true });
    expect(decodeCall(transfer)).toMatchObject({ isOwn: false, fields: [{ name: "to" }, { name: "value", value: { number: 7n } }] });
    expect(decodeCall(`${transfer.slice(0, 10)}${"f".repeat(128)}`)).toBeUndefined();
    for (const input of ["0x", "0xa9", "0xa9059cbb", "0xa9059cbb0"]) expect(decodeCall(input)).toBeUndefined();
  });

  test("a transfer of ERC-20 and one of ERC-721 are told apart by their topics, although their first topic is the same", () => {
    const topics = encodeEventTopics({
      abi,
      eventName: "Transfer",
      args: { f: OTHER, t: OTHER, from: OTHER, to: OTHER } as never,
    }) as string[];
    const coins = {
      topics: topics.slice(0, 1).concat(`0x${"0".repeat(24)}${OTHER.slice(2)}`, `0x${"0".repeat(64)}`),
      data: `0x${word(9)}`,
    };
    expect(decodeLog(coins)).toMatchObject({ fields: [{ name: "from" }, { name: "to" }, { name: "value", value: { number: 9n } }] });
    const nft = { topics: [...coins.topics, `0x${word(9)}`], data: "0x" };
    expect(decodeLog(nft)).toMatchObject({ fields: [{ name: "from" }, { name: "to" }, { name: "tokenId", value: { number: 9n } }] });
    expect(decodeLog({ ...nft, topics: [] })).toBeUndefined();
    expect(decodeLog({ ...coins, data: "0x" })).toBeUndefined();
  });

  test("of an indexed text a log has the hash", () => {
    const index = indexAbi([{ type: "event", name: "Said", inputs: [{ name: "what", type: "string", indexed: true }] }]);
    const hash = `0x${"12".repeat(32)}`;
    const topic = toEventSelector("Said(string)");
    expect(decodeLog({ topics: [topic, hash], data: "0x" }, index)?.fields).toEqual([
      { name: "what", type: "string", value: { kind: "hash", hash } },
    ]);
  });

  test("reasons of reverts are sentences, and custom errors are decoded", () => {
    const standard = parseAbi(["error Error(string message)", "error Panic(uint256 code)"]);
    const reason = (name: "Error" | "Panic", arg: unknown) =>
      reasonOf(decodeError(encodeErrorResult({ abi: standard, errorName: name, args: [arg] as never }))!);
    expect(reason("Error", "no")).toBe("no");
    expect(reason("Panic", 17n)).toBe("an arithmetic operation overflowed");
    expect(reason("Panic", 2n ** 200n)).toBe(`panic ${2n ** 200n}`);
    const short = decodeError(encodeErrorResult({ abi, errorName: "Short", args: [OTHER, 1n, 2n] as never }), own)!;
    expect([short.name, plains(short.fields), reasonOf(short)]).toEqual(["Short", [OTHER, 1n, 2n], undefined]);
  });
});

test("addresses have the letters that viem gives them", () => {
  fc.assert(
    fc.property(bytesOf(20), (address) => {
      expect(checksummed(address)).toBe(getAddress(address));
    }),
  );
});

describe("what a user types is encoded as viem encodes it", () => {
  const jsonOf = (value: unknown) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}` : part));

  test("for every type", () => {
    fc.assert(
      fc.property(call, ({ parameters, values }) => {
        // only lists and tuples are typed as JSON
        const texts = values.map((value) => (Array.isArray(value) ? jsonOf(value) : `${value}`));
        const item = { type: "function", name: "f", inputs: parameters.map((parameter, i) => ({ ...parameter, name: `a${i}` })) } as const;
        expect(encodeCall(item, texts)).toBe(`${selectorOf(item)}${encoded(parameters, values)}`);
      }),
    );
  });

  test("numbers in lists stay exact", () => {
    const item = { type: "function", name: "f", inputs: [named("uint256[]")] } as const;
    expect(encodeCall(item, ["[123456789012345678901234567890]"])).toBe(
      `${selectorOf(item)}${encoded(item.inputs, [[123456789012345678901234567890n]])}`,
    );
  });

  test.each([
    ["uint8", "256", "x must be a number of 8 bits, not below 0, got 256."],
    ["uint8", "-1", "x must be a number of 8 bits, not below 0, got -1."],
    ["int8", "128", "x must be a number of 8 bits, got 128."],
    ["uint256", "", "x must be a whole number, got nothing."],
    ["uint256", "1e3", "x must be a whole number, got 1e3."],
    ["address", "0x12", "x must be 0x and 40 hex digits, got 0x12."],
    ["bool", "yes", "x must be true or false, got yes."],
    ["bytes4", "0x123456", "x must be 0x and 8 hex digits, got 0x123456."],
    ["bytes", "0x1", "x must be 0x and pairs of hex digits, got 0x1."],
    ["uint8[2]", "[1]", "x must be a list of 2, got 1 items."],
    ["uint8[]", "1, 2", 'x must be a list as JSON, such as ["0x…", 5], got 1, 2.'],
  ])("%s from %j is refused with a sentence", (type, text, message) => {
    expect(() => encodeCall({ type: "function", name: "f", inputs: [named(type)] }, [text])).toThrow(message);
  });
});
