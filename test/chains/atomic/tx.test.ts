import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { signingAccount } from "../../../src/chains/atomic/spend.ts";
import { encodeAtomicTx, parseAtomicTx, parseExtraData } from "../../../src/chains/atomic/tx.ts";
import { batchBlock, importOfThree, mainnetExport, mainnetImport } from "./vectors.ts";

const vectors = [mainnetImport, mainnetExport, importOfThree];

/** Puts bare transactions behind one codec version, as extra data does since Apricot Phase 5. */
function batchOf(txs: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32BE(txs.length, 2);
  return Buffer.concat([head, ...txs.map((tx) => tx.subarray(2))]);
}

describe("atomic transactions", () => {
  test.each(vectors)("round-trip with the published ID $id", ({ id, bytes }) => {
    const tx = parseAtomicTx(bytes);
    expect(formatId(tx.id)).toBe(id);
    expect(encodeAtomicTx(tx)).toEqual(bytes);
  });

  test("name the UTXO that an import consumes", () => {
    const { unsigned } = parseAtomicTx(mainnetImport.bytes);
    if (unsigned.kind !== "ImportTx") throw new Error("expected an import");
    const [{ txId, outputIndex } = { txId: "", outputIndex: 0 }] = unsigned.importedInputs;
    expect(utxoId(txId, outputIndex)).toBe(mainnetImport.consumedUtxoId);
  });

  test("tell the account that signed an export", () => {
    const tx = parseAtomicTx(mainnetExport.bytes);
    expect(signingAccount(tx, tx.credentials[0]!.signatures[0]!)).toBe(mainnetExport.account);
  });

  test("come alone in extra data before Apricot Phase 5, and in a batch since", () => {
    const ids = (extraData: Buffer, isBatch: boolean) => parseExtraData(extraData, { isBatch }).map(({ id }) => formatId(id));
    expect(ids(mainnetImport.bytes, false)).toEqual([mainnetImport.id]);
    expect(ids(batchOf(vectors.map(({ bytes }) => bytes)), true)).toEqual(vectors.map(({ id }) => id));
    expect(ids(Buffer.alloc(0), true)).toEqual([]);
    expect(() => ids(mainnetImport.bytes, true)).toThrow(CodecError);
    expect(() => ids(batchOf([]), true)).toThrow(CodecError);
  });

  test("are refused when a type stands where it is not allowed", () => {
    const bytes = Buffer.from(mainnetImport.bytes);
    bytes.writeUInt32BE(7, 2);
    expect(() => parseAtomicTx(bytes)).toThrow(expect.objectContaining({ kind: "wrong-type" }));
    bytes.writeUInt32BE(99, 2);
    expect(() => parseAtomicTx(bytes)).toThrow(expect.objectContaining({ kind: "unknown-type" }));
  });

  test("that are damaged fail with nothing but a CodecError, or read as what they then say", () => {
    const damaged = fc.record({
      bytes: fc.constantFrom(...vectors.map(({ bytes }) => bytes), batchBlock.bytes),
      at: fc.nat(),
      value: fc.nat({ max: 255 }),
      length: fc.nat(),
    });
    fc.assert(
      fc.property(damaged, ({ bytes, at, value, length }) => {
        const mutated = Buffer.from(bytes.subarray(0, length % 7 === 0 ? length % bytes.length : bytes.length));
        if (mutated.length > 0) mutated[at % mutated.length] = value;
        try {
          expect(encodeAtomicTx(parseAtomicTx(mutated))).toEqual(mutated);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
