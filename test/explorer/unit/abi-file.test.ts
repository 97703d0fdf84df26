/** ABIs from files that anybody may have written. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { AbiFileError, MOST_FILE_BYTES, readAbi } from "../../../explorer/src/screens/evm/abi/abi-file.ts";
import { selectorOf } from "../../../explorer/src/screens/evm/abi/abi-item.ts";
import { tokenContract } from "../../sdk/devnet/tokens.ts";

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  { abi: never[] }
>;
const functionF = (inputs: unknown) => JSON.stringify([{ type: "function", name: "f", inputs }]);

describe("what a file may be", () => {
  test.each(Object.entries(artifacts))(
    "the ABI of %s is read from a list and from an artifact, with the selectors that viem computes",
    (_, { abi }) => {
      const known = (abi as { type: string }[]).filter(({ type }) => !["fallback", "receive"].includes(type));
      if (known.length === 0) return expect(() => readAbi(JSON.stringify(abi))).toThrow("The ABI has no function, event or error.");
      const read = readAbi(JSON.stringify(abi));
      expect(read.map(({ type }) => type)).toEqual(known.map(({ type }) => type));
      const selectors = (items: readonly unknown[]) => (items as { type: string }[]).filter(({ type }) => type === "function");
      expect(read.filter(({ type }) => type === "function").map(selectorOf)).toEqual(
        selectors(abi).map((item) => toFunctionSelector(item as never)),
      );
      // Foundry and Hardhat write other things beside it
      expect(readAbi(JSON.stringify({ _format: "hh-sol-artifact-1", contractName: "C", abi, bytecode: { object: "0x00" } }))).toEqual(read);
      // what the browser keeps is read again
      expect(readAbi(JSON.stringify(read))).toEqual(read);
    },
  );

  test("short names of types are completed, and an old `constant` is understood", () => {
    const abi = readAbi(JSON.stringify([{ name: "f", constant: true, inputs: [{ name: "", type: "uint[2]" }] }]));
    expect(abi).toMatchObject([{ type: "function", stateMutability: "view", inputs: [{ type: "uint256[2]" }], outputs: [] }]);
  });
});

describe("what is wrong is said", () => {
  test.each([
    ["", "The file is not JSON. Give the ABI as a JSON file, or an artifact of Foundry or Hardhat."],
    ["{}", 'The file has no ABI: it should be a list of items, or an object with such a list as "abi".'],
    ["null", 'The file has no ABI: it should be a list of items, or an object with such a list as "abi".'],
    ["[]", "The ABI has no function, event or error."],
    ["[5]", "In the ABI, item 1 is not an object."],
    ['[{"type":"struct"}]', 'In the ABI, item 1 has the type "struct"; known are function, event, error, constructor.'],
    ['[{"type":"event","name":"<b>"}]', 'In the ABI, item 1 (event) has the name "<b>"; a name has letters, digits, _ and $.'],
    [functionF(5), "In the ABI, function f has parameters that are not a list."],
    [functionF([null]), "In the ABI, function f has a parameter of type none, which is not a type of the ABI."],
    [functionF([{ type: "uint7" }]), 'In the ABI, function f has a parameter of type "uint7", which is not a type of the ABI.'],
    [functionF([{ type: "bytes33" }]), 'In the ABI, function f has a parameter of type "bytes33", which is not a type of the ABI.'],
    [functionF([{ type: "uint256[0]" }]), 'In the ABI, function f has a parameter of type "uint256[0]", which is not a type of the ABI.'],
    [
      functionF([{ type: "uint256[99999999]" }]),
      'In the ABI, function f has a parameter of type "uint256[99999999]", which is not a type of the ABI.',
    ],
    [functionF([{ type: "tuple" }]), "In the ABI, function f has a tuple without components."],
    [
      functionF([{ type: "bool", name: "a b" }]),
      'In the ABI, function f has a parameter with the name "a b"; a name has letters, digits, _ and $.',
    ],
  ])("%s", (text, message) => {
    expect(() => readAbi(text)).toThrow(new AbiFileError(message));
  });

  test("files, lists and types beyond the bounds are refused", () => {
    const nested = (depth: number): object => (depth === 0 ? { type: "bool" } : { type: "tuple", components: [nested(depth - 1)] });
    expect(() => readAbi(" ".repeat(MOST_FILE_BYTES + 1))).toThrow("The file is too long: an ABI or an artifact has at most 8 MiB.");
    expect(() => readAbi(JSON.stringify(Array(4001).fill({ name: "f" })))).toThrow("The ABI has 4001 items; at most 4000 are read.");
    expect(() => readAbi(functionF(Array(20_001).fill({ type: "bool" })))).toThrow("The ABI has more than 20000 parameters.");
    expect(readAbi(functionF([nested(16)]))).toHaveLength(1);
    expect(() => readAbi(functionF([nested(17)]))).toThrow("In the ABI, function f has tuples that are nested more than 16 deep.");
    expect(() => readAbi("[".repeat(2_000_000))).toThrow(AbiFileError);
  });

  test("any JSON is read or refused with a sentence", () => {
    const { abi } = tokenContract("Coin");
    const parts = fc.constantFrom(...abi.flatMap((item) => [item.type, ...Object.keys(item), ...Object.values(item)]));
    const item = fc.dictionary(
      fc.constantFrom("type", "name", "inputs", "outputs", "components", "anonymous"),
      fc.oneof(parts, fc.jsonValue({ maxDepth: 3 })),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(item).map((items) => JSON.stringify(items)),
        ),
        (text) => {
          try {
            expect(readAbi(text).length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(AbiFileError);
          }
        },
      ),
    );
  });
});
