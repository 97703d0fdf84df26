import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateSecretKey, isVerified, proofOfPossessionProblem, publicKeyOfSecret } from "../../src/primitives/bls.ts";
import { allHold, holds, loadPairings, provePossession, scriptEquation } from "../../src/primitives/possession.ts";
import { type Equation, POWER_BYTES, type Possession } from "../../src/primitives/possession-equation.ts";
import { loadNativeEquation, nativeLibraryPath } from "../../src/primitives/possession-native.ts";
import { loadWasmEquation } from "../../src/primitives/possession-wasm.ts";
import { verifyProofsOfPossession } from "../../src/primitives/proofs-ahead.ts";

function makePossession(): Possession {
  const secret = generateSecretKey();
  return { publicKey: publicKeyOfSecret(secret), proof: provePossession(secret) };
}

const possessions = Array.from({ length: 6 }, makePossession);
const foreign = { publicKey: possessions[0]!.publicKey, proof: possessions[1]!.proof };
const noPoint = { publicKey: possessions[2]!.publicKey, proof: new Uint8Array(96) };
const noKey = { publicKey: "00", proof: possessions[2]!.proof };
/** at infinity, or on the curve but not in the group */
const unsound: Possession[] = [
  { publicKey: `c0${"00".repeat(47)}`, proof: Buffer.from(`c0${"00".repeat(95)}`, "hex") },
  { publicKey: possessions[3]!.publicKey, proof: Buffer.from(`c0${"00".repeat(95)}`, "hex") },
  { publicKey: `80${"00".repeat(46)}04`, proof: possessions[3]!.proof },
  { publicKey: possessions[3]!.publicKey, proof: possessions[3]!.proof.subarray(1) },
];

const swapped = [
  { publicKey: possessions[0]!.publicKey, proof: possessions[1]!.proof },
  { publicKey: possessions[1]!.publicKey, proof: possessions[0]!.proof },
];
const implementations: [string, boolean, () => Equation | Promise<Equation>][] = [
  ["JavaScript", true, () => scriptEquation],
  ["WebAssembly", true, loadWasmEquation],
  ["compiled code, where there is a binary", nativeLibraryPath() !== undefined, () => loadNativeEquation()!],
];

describe.each(implementations)("in %s", (_, isThere, load) => {
  test.skipIf(!isThere)("every equation alone", async () => {
    const equation = await load();
    expect(possessions.map((possession) => equation([possession], undefined))).toEqual(possessions.map(() => true));
    expect(equation([foreign], undefined)).toBe(false);
  });

  test.skipIf(!isThere)("all at once, where one false proof spoils the product, also two that cancel out", async () => {
    const equation = await load();
    const all = (list: readonly Possession[]) => equation(list, randomBytes(list.length * POWER_BYTES));
    expect([all(possessions), all([...possessions, foreign]), all(swapped)]).toEqual([true, false, false]);
  });
});

test.skipIf(nativeLibraryPath() === undefined)("compiled code and WebAssembly judge any batch and any powers alike", async () => {
  const [native, wasm] = [loadNativeEquation()!, await loadWasmEquation()];
  const anyPossession = fc.record({ key: fc.nat(5), proof: fc.nat(5) });
  const anyPower = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
  const cancelling = swapped.map((_, i): [{ key: number; proof: number }, bigint] => [{ key: i, proof: 1 - i }, 7n]);
  let held = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(fc.nat(5), anyPossession), anyPower), { minLength: 1, maxLength: 5 }),
      // the same power for all lets errors cancel out: also then both say the same
      fc.boolean(),
      (chosen, isSame) => {
        const list = chosen.map(([one]) => {
          const { key, proof } = typeof one === "number" ? { key: one, proof: one } : one;
          return { publicKey: possessions[key]!.publicKey, proof: possessions[proof]!.proof };
        });
        const powers = Buffer.alloc(list.length * POWER_BYTES);
        for (const [i, [, power]] of chosen.entries()) powers.writeBigUInt64LE(isSame ? chosen[0]![1] : power, i * POWER_BYTES);
        const verdict = native(list, powers);
        if (verdict) held++;
        expect(wasm(list, powers)).toBe(verdict);
      },
    ),
    { examples: [[cancelling, true]], numRuns: 60 },
  );
  expect(held).toBeGreaterThan(0);
});

test("the fastest that is there tells proofs from others', one by one and all at once", async () => {
  await loadPairings();
  expect([possessions.every(holds), holds(foreign)]).toEqual([true, false]);
  expect([allHold(possessions), allHold([...possessions, foreign]), allHold(swapped)]).toEqual([true, false, false]);
});

describe("ahead of time, on other threads", () => {
  test("each proof is judged by itself, and those that hold are remembered", async () => {
    expect(possessions.some(isVerified)).toBe(false);
    const list = [foreign, ...possessions, noPoint, noKey, ...unsound];
    expect(await verifyProofsOfPossession(list)).toEqual(list.map((one) => possessions.includes(one)));
    expect(possessions.every(isVerified)).toBe(true);
    expect([foreign, noPoint, noKey, ...unsound].some(isVerified)).toBe(false);
    expect(proofOfPossessionProblem(foreign.publicKey, foreign.proof)).toBe("invalid proof of possession");
  });

  test("more than one batch, and several calls at once, are answered in their order", async () => {
    const [fresh, last] = [makePossession(), makePossession()];
    const many = [...Array.from({ length: 70 }, () => noPoint), last];
    const [a, b, c] = await Promise.all([verifyProofsOfPossession(many), verifyProofsOfPossession([fresh]), verifyProofsOfPossession([])]);
    expect(a).toEqual(many.map((possession) => possession === last));
    expect([b, c]).toEqual([[true], []]);
  });
});
