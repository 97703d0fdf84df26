import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { generateSecretKey, isVerified, proofOfPossessionProblem, publicKeyOfSecret } from "../../../src/base/signatures/bls.ts";
import { allHold, holds, loadPairings, provePossession, scriptEquation } from "../../../src/base/signatures/possession.ts";
import type { Equation, Possession } from "../../../src/base/signatures/possession-equation.ts";
import { loadNativeEquation } from "../../../src/base/signatures/possession-native.ts";
import { loadWasmEquation } from "../../../src/base/signatures/possession-wasm.ts";
import { verifyProofsOfPossession } from "../../../src/base/signatures/proofs-ahead.ts";
import { scratchDirectory } from "../../store/scratch.ts";

afterEach(() => void vi.unstubAllEnvs());

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
/** a copy of the compiled library cannot be loaded on Windows */
const hasNative = process.platform !== "win32";
const implementations: [string, boolean, () => Equation | Promise<Equation>][] = [
  ["JavaScript", true, () => scriptEquation],
  ["WebAssembly", true, loadWasmEquation],
  ["compiled code", hasNative, () => loadNativeEquation()!],
];

describe.each(implementations)("in %s", (_, isThere, load) => {
  test.skipIf(!isThere)("every equation alone", async () => {
    const equation = await load();
    expect(possessions.map((possession) => equation([possession]))).toEqual(possessions.map(() => true));
    expect(equation([foreign])).toBe(false);
  });

  test.skipIf(!isThere)("all at once, where one false proof spoils the product, also two that cancel out", async () => {
    const equation = await load();
    expect([equation(possessions), equation([...possessions, foreign]), equation(swapped)]).toEqual([true, false, false]);
  });
});

test.skipIf(!hasNative)("compiled code and WebAssembly judge any batch alike", async () => {
  const [native, wasm] = [loadNativeEquation()!, await loadWasmEquation()];
  const anyPossession = fc.record({ key: fc.nat(5), proof: fc.nat(5) });
  let held = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(5), anyPossession), { minLength: 1, maxLength: 5 }), (chosen) => {
      const list = chosen.map((one) => {
        const { key, proof } = typeof one === "number" ? { key: one, proof: one } : one;
        return { publicKey: possessions[key]!.publicKey, proof: possessions[proof]!.proof };
      });
      const verdict = native(list);
      if (verdict) held++;
      expect(wasm(list)).toBe(verdict);
      expect(verdict).toBe(chosen.every((one) => typeof one === "number" || one.key === one.proof));
    }),
    { numRuns: 60 },
  );
  expect(held).toBeGreaterThan(0);
});

test.skipIf(!hasNative)("where no copy of the library can be made, there is none, and nothing is left behind", () => {
  const folder = scratchDirectory();
  vi.stubEnv("TMPDIR", join(folder, "missing"));
  expect(loadNativeEquation()).toBeUndefined();
  vi.stubEnv("TMPDIR", folder);
  expect(loadNativeEquation()).toBeDefined();
  expect(readdirSync(folder)).toEqual([]);
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
