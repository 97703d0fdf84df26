import { beforeAll, describe, expect, test } from "vitest";
import { generateSecretKey, isVerified, proofOfPossessionProblem, publicKeyOfSecret } from "../../src/primitives/bls.ts";
import { allHold, holds, loadPairings, type Possession, provePossession } from "../../src/primitives/possession.ts";
import { verifyProofsOfPossession } from "../../src/primitives/proofs-ahead.ts";

function makePossession(): Possession {
  const secret = generateSecretKey();
  return { publicKey: publicKeyOfSecret(secret), proof: provePossession(secret) };
}

const possessions = Array.from({ length: 6 }, makePossession);
const foreign = { publicKey: possessions[0]!.publicKey, proof: possessions[1]!.proof };
const noPoint = { publicKey: possessions[2]!.publicKey, proof: new Uint8Array(96) };
const noKey = { publicKey: "00", proof: possessions[2]!.proof };

test("in JavaScript, before WebAssembly is loaded, the equation tells a proof from another key's", () => {
  expect([holds(possessions[0]!), holds(foreign)]).toEqual([true, false]);
  expect([allHold(possessions.slice(0, 2)), allHold([possessions[1]!, foreign])]).toEqual([true, false]);
});

describe("in WebAssembly", () => {
  beforeAll(loadPairings);

  test("every equation alone", () => {
    expect(possessions.map(holds)).toEqual(possessions.map(() => true));
    expect(holds(foreign)).toBe(false);
  });

  test("all at once, where one false proof spoils the product, also two that cancel out", () => {
    expect(allHold(possessions)).toBe(true);
    expect(allHold([...possessions, foreign])).toBe(false);
    const [a, b] = possessions as [Possession, Possession];
    const swapped = [
      { publicKey: a.publicKey, proof: b.proof },
      { publicKey: b.publicKey, proof: a.proof },
    ];
    expect(allHold(swapped)).toBe(false);
  });
});

describe("ahead of time, on other threads", () => {
  test("each proof is judged by itself, and those that hold are remembered", async () => {
    expect(possessions.some(isVerified)).toBe(false);
    const list = [foreign, ...possessions, noPoint, noKey];
    expect(await verifyProofsOfPossession(list)).toEqual([false, ...possessions.map(() => true), false, false]);
    expect(possessions.every(isVerified)).toBe(true);
    expect([foreign, noPoint, noKey].some(isVerified)).toBe(false);
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
