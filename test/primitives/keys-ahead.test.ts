import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { afterEach, describe, expect, test, vi } from "vitest";
import { recoverKeysAhead, type SignedDigest } from "../../src/primitives/keys-ahead.ts";
import { loadCompiledCurve, publicKeyOf, recoverPublicKey, rememberPublicKey, signDigest } from "../../src/primitives/secp256k1.ts";

interface Signed extends SignedDigest {
  readonly key: Uint8Array;
}

function sign(): Signed {
  const privateKey = randomBytes(32).fill(1, 0, 1);
  const digest = randomBytes(32);
  return { digest, signature: signDigest(digest, privateKey), key: publicKeyOf(privateKey) };
}

const many = (count: number) => Array.from({ length: count }, sign);
const changed = ({ digest, signature }: Signed, at: number, byte: number): SignedDigest => {
  const bytes = Buffer.from(signature);
  bytes[at] = byte;
  return { digest, signature: bytes };
};

/** Calls of the compiled library in this thread. */
const recoveries = () =>
  vi.spyOn(createRequire(import.meta.url)("secp256k1/bindings.js") as { ecdsaRecover(): Uint8Array }, "ecdsaRecover");

afterEach(() => {
  vi.restoreAllMocks();
});

describe.skipIf(loadCompiledCurve() === undefined)("keys that were recovered ahead", () => {
  test("are right, and not recovered again", async () => {
    const signed = many(300);
    const here = recoveries();
    await recoverKeysAhead(signed);
    for (const { digest, signature, key } of signed) expect(Buffer.from(recoverPublicKey(digest, signature))).toEqual(Buffer.from(key));
    expect(here).not.toHaveBeenCalled();
    const another = sign();
    recoverPublicKey(another.digest, another.signature);
    expect(here).toHaveBeenCalledOnce();
  });

  test("leave signatures without a key to whoever verifies, among valid ones", async () => {
    const valid = many(20);
    const short = { digest: valid[0]!.digest, signature: valid[0]!.signature.subarray(0, 64) };
    // a high s, a code for a compressed key, a code that is none, an r beyond the field
    const invalid = [
      changed(sign(), 32, 0xff),
      changed(sign(), 64, 4),
      changed(sign(), 64, 9),
      { ...short, signature: Buffer.alloc(65, 0) },
      short,
    ];
    const problems = () =>
      invalid.map(({ digest, signature }) => {
        try {
          return recoverPublicKey(digest, signature);
        } catch (error) {
          return (error as Error).message;
        }
      });
    const before = problems();
    expect(before.every((problem) => typeof problem === "string")).toBe(true);
    await recoverKeysAhead([...invalid.slice(0, 2), ...valid, ...invalid.slice(2)]);
    expect(problems()).toEqual(before);
    const here = recoveries();
    for (const { digest, signature, key } of valid) expect(Buffer.from(recoverPublicKey(digest, signature))).toEqual(Buffer.from(key));
    expect(here).not.toHaveBeenCalled();
  });

  test("are those of the signatures, however many calls there are at once", async () => {
    const calls = Array.from({ length: 5 }, () => many(40));
    await Promise.all(calls.map(recoverKeysAhead));
    for (const { digest, signature, key } of calls.flat())
      expect(Buffer.from(recoverPublicKey(digest, signature))).toEqual(Buffer.from(key));
  });
});

test("a key that is remembered is the answer", () => {
  const { digest, signature } = sign();
  const other = sign().key;
  rememberPublicKey(digest, signature, other);
  expect(recoverPublicKey(digest, signature)).toBe(other);
});
