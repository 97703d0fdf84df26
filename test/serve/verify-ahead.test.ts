import { expect, test } from "vitest";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { signDigest } from "../../src/base/signatures/secp256k1.ts";
import { recoverAhead } from "../../src/serve/transaction-verifier.ts";
import { CountedWork } from "../base/work/counted-work.ts";

test("keys of many signatures are recovered in turns, whatever is wrong with some of them", async () => {
  const digest = sha256(Buffer.from("many inputs"));
  const key = (n: number) => Buffer.from((n + 1).toString(16).padStart(64, "0"), "hex");
  const signatures = Array.from({ length: 200 }, (_, n) => (n % 10 === 3 ? Buffer.alloc(65, n) : signDigest(digest, key(n))));
  const work = new CountedWork();
  await recoverAhead(work, digest, [...signatures, Buffer.alloc(3)]);
  expect(work.turns).toBeGreaterThanOrEqual(10);
});
