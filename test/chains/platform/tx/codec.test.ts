import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { CodecError } from "../../../../src/base/codec/error.ts";
import { recoverAddress } from "../../../../src/base/signatures/secp256k1.ts";
import { blockJson, blockTxs, encodeBlock, type PlatformBlock, parseBlock } from "../../../../src/chains/platform/block.ts";
import { defineTx } from "../../../../src/chains/platform/tx/base.ts";
import { baseTx } from "../../../../src/chains/platform/tx/base-tx.ts";
import { definitions, parseTx, txJson, unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { unwrapBlock } from "../../../../src/network/proposervm.ts";
import { fromChecksummedHex, readLines, recordedJson } from "../../../conformance/asset/recording.ts";
import { bytesOf, readJson } from "../../../conformance/json-lines.ts";
import { type RecordingName, recordingFolder } from "../../../conformance/recordings.ts";
import { vectors } from "./vectors.ts";

const jsonContext = (hrp: string) => ({ address: (address: string) => formatAddress("P", hrp, address) });
const hrpOf = (folder: string) => readJson<{ hrp: string }>(folder, "network.json").hrp;

describe("transactions of the P-chain", () => {
  test.each(vectors)("$name has the published ID, digest and signer, and encodes to its bytes", ({ hrp, bytes, txId, digest, signer }) => {
    const input = Buffer.from(bytes, "hex");
    const tx = parseTx(input);
    expect(formatId(tx.id)).toBe(txId);
    expect(tx.digest.toString("hex")).toBe(digest);
    expect(formatAddress("P", hrp, recoverAddress(tx.digest, tx.credentials[0]!.signatures[0]!))).toBe(signer);
    expect(assemble(unsignedTx, tx.unsigned, [...tx.credentials]).bytes.equals(input)).toBe(true);
  });

  test("every kind is registered once, by name and by type ID", () => {
    expect(definitions).toHaveLength(23);
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(23);
    expect(new Set(definitions.map(({ typeId }) => typeId)).size).toBe(23);
    for (const { name, codec } of definitions) expect(codec.kind).toBe(name);
    expect(() => defineTx({ ...baseTx, name: "OtherTx" } as never)).toThrow("OtherTx and BaseTx have the same type ID 34");
  });

  test.each([
    ["latest-1", 201],
    ["eras-1", 366],
    ["p-eras-old", 1400],
  ] as const)("every transaction of %s encodes to its bytes and has the recorded JSON", (name, count) => {
    const folder = recordingFolder(name);
    const context = jsonContext(hrpOf(folder));
    const lines = readLines(folder, "txs/P.jsonl");
    expect(lines).toHaveLength(count);
    for (const line of lines) {
      const { hex, json } = JSON.parse(line) as { hex: string; json?: object };
      const input = name === "p-eras-old" ? bytesOf(hex) : fromChecksummedHex(hex);
      const tx = parseTx(input);
      expect(assemble(unsignedTx, tx.unsigned, [...tx.credentials]).bytes.equals(input)).toBe(true);
      if (json !== undefined) expect(txJson(tx, context)).toBe(recordedJson(line, "json"));
    }
  });

  test("bytes that are no transaction give a codec error, whatever they are", () => {
    const input = fc.tuple(fc.constantFrom(...vectors), fc.nat(), fc.uint8Array({ maxLength: 8 }), fc.nat({ max: 12 }));
    fc.assert(
      fc.property(input, ([{ bytes }, at, inserted, removed]) => {
        const original = Buffer.from(bytes, "hex");
        const start = at % original.length;
        const mutated = Buffer.concat([original.subarray(0, start), inserted, original.subarray(start + removed)]);
        expectParsedOrCodecError(mutated);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Either it is refused as bytes, or it is what it encodes to. */
function expectParsedOrCodecError(bytes: Buffer): void {
  try {
    const tx = parseTx(bytes);
    expect(assemble(unsignedTx, tx.unsigned, [...tx.credentials]).bytes.equals(bytes)).toBe(true);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
  }
}

describe("blocks of the P-chain", () => {
  test.each([
    ["latest-1", 226],
    ["eras-1", 419],
    ["p-eras-old", 2385],
    ["scale-1", 422],
  ] as const)("every block of %s encodes to its bytes and has the recorded ID and JSON", (name, atLeast) => {
    const folder = recordingFolder(name);
    const context = jsonContext(hrpOf(folder));
    let count = 0;
    for (const { line, id, json, input } of recordedBlocks(folder, name)) {
      const block = parseBlock(input);
      expect(encodeBlock(block).equals(input)).toBe(true);
      if (id !== undefined) expect(formatId(block.id)).toBe(id);
      if (json !== undefined) expect(blockJson(block, context)).toBe(recordedJson(line, "json"));
      count++;
    }
    expect(count).toBeGreaterThanOrEqual(atLeast);
  });

  test("a transaction inside a block has the ID that it has on its own", () => {
    const folder = recordingFolder("latest-1");
    for (const { input } of recordedBlocks(folder, "latest-1")) {
      for (const tx of blockTxs(parseBlock(input))) {
        expect(parseTx(tx.bytes).id).toBe(tx.id);
        expect(parseTx(tx.bytes).unsignedBytes.equals(tx.unsignedBytes)).toBe(true);
      }
    }
  });

  test("a block of more than 256 KiB is refused before it is read", () => {
    expect(() => parseBlock(Buffer.alloc(256 * 1024 + 1))).toThrow(expect.objectContaining({ kind: "oversize" }));
  });

  test("a transaction's type in the place of a block's is wrong, an unknown type is unknown", () => {
    const withType = (typeId: number) => Buffer.from(`0000${typeId.toString(16).padStart(8, "0")}`, "hex");
    expect(() => parseBlock(withType(12))).toThrow(expect.objectContaining({ kind: "wrong-type" }));
    expect(() => parseBlock(withType(99))).toThrow(expect.objectContaining({ kind: "unknown-type" }));
    // blocks are no part of the codec of transactions on their own
    expect(() => parseTx(withType(0))).toThrow(expect.objectContaining({ kind: "unknown-type" }));
    expect(() => parseTx(withType(7))).toThrow(expect.objectContaining({ kind: "wrong-type" }));
  });
});

interface BlockLine {
  id?: string;
  bytes?: string;
  container?: string;
  json?: object;
}

function* recordedBlocks(folder: string, name: RecordingName) {
  for (const line of readLines(folder, "blocks/P.jsonl")) {
    const { bytes, container, id, json } = JSON.parse(line) as BlockLine;
    yield { line, json, id: name === "scale-1" ? undefined : id, input: innerBytes(name, bytes, container) };
  }
}

function innerBytes(name: RecordingName, bytes: string | undefined, container: string | undefined): Buffer {
  if (name === "p-eras-old") return bytesOf(bytes!);
  if (name !== "scale-1") return fromChecksummedHex(bytes!);
  return Buffer.from(unwrapBlock(Buffer.from(container!, "base64"), isBlock).inner);
}

function isBlock(bytes: Uint8Array): boolean {
  return tryParse(bytes) !== undefined;
}

function tryParse(bytes: Uint8Array): PlatformBlock | undefined {
  try {
    return parseBlock(bytes);
  } catch {
    return undefined;
  }
}
