import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";

test("the ID of a UTXO is the hash of its index and its transaction, whatever was asked before", () => {
  const hashed = (txId: string, outputIndex: number) => {
    const index = Buffer.alloc(8);
    index.writeBigUInt64BE(BigInt(outputIndex));
    return createHash("sha256").update(index).update(txId, "hex").digest("hex");
  };
  const anyTx = fc.constantFrom("00".repeat(32), "01".repeat(32), "ff".repeat(32));
  const anyIndex = fc.oneof(fc.nat(40), fc.constantFrom(65_536, 2 ** 32 - 1));
  fc.assert(
    fc.property(fc.array(fc.tuple(anyTx, anyIndex)), (asked) => {
      for (const [txId, outputIndex] of asked) expect(utxoId(txId, outputIndex)).toBe(hashed(txId, outputIndex));
    }),
  );
});
