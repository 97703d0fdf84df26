import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_U64 } from "../../../src/base/bytes/amount.ts";
import { gasOf, sum } from "../../../src/chains/platform/complexity.ts";
import { complexityOf, feeOf } from "../../../src/chains/platform/fee.ts";
import { localNetwork } from "../../../src/network/presets.ts";
import { vectors, vectorTx } from "./tx/vectors.ts";

const parameters = localNetwork().dynamicFees;
const metered = vectors.filter(({ complexity }) => complexity !== undefined);

describe("fees of P-chain transactions", () => {
  test.each(metered)("$name costs the published complexity and gas", ({ name, complexity, gas }) => {
    const { unsigned } = vectorTx(name);
    expect(complexityOf(unsigned)).toEqual(complexity);
    expect(gasOf(complexityOf(unsigned), parameters)).toBe(BigInt(gas!));
  });

  test.each(metered)("the bandwidth of $name is its length in bytes", ({ bytes, complexity }) => {
    expect(complexity!.bandwidth).toBe(bytes.length / 2);
  });

  test.each(["AddValidatorTx", "AddDelegatorTx", "TransformSubnetTx"])("%s cannot be metered", (name) => {
    expect(() => complexityOf(vectorTx(name).unsigned)).toThrow(expect.objectContaining({ code: "unsupported-tx" }));
  });

  test("the fee is gas at the block's price, and nothing before there was a price", () => {
    const { unsigned } = vectorTx("BaseTx");
    expect(feeOf(unsigned, 3n, parameters)).toBe(3n * 5199n);
    expect(feeOf(unsigned, undefined, parameters)).toBe(0n);
    expect(feeOf(vectorTx("AddValidatorTx").unsigned, undefined, parameters)).toBe(0n);
  });

  test("a fee of more than 64 bits is an overflow", () => {
    const { unsigned } = vectorTx("BaseTx");
    expect(() => feeOf(unsigned, MAX_U64, parameters)).toThrow(expect.objectContaining({ code: "fee-overflow" }));
  });

  test("adding dimensions does not depend on how they are grouped", () => {
    const part = fc.record({ bandwidth: fc.nat(), reads: fc.nat(), writes: fc.nat(), compute: fc.nat() });
    fc.assert(
      fc.property(fc.array(part), fc.array(part), (a, b) => {
        expect(sum(sum(...a), sum(...b))).toEqual(sum(...a, ...b));
      }),
    );
  });
});
