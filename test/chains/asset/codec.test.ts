import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../src/base/bytes/address.ts";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { type Codec, decodeAll, decodeVersioned, encodeAll, encodeVersioned } from "../../../src/base/codec/codec.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { codecErrorText } from "../../../src/base/codec/error-text.ts";
import { type AssetCodec, assetCodec } from "../../../src/chains/asset/codec.ts";
import { assetBlocks, fromChecksummedHex, openRecording, readLines, recordedJson } from "../../conformance/asset/recording.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { NFT_FX, PROPERTY_FX, SECP256K1_FX, X_FXS } from "./wallet.ts";

interface Vector {
  name: string;
  bytes: string;
  id: string;
  json?: string;
}

/** More outside CI: `FIRN_FUZZ_RUNS=1000000`. */
const FUZZ_RUNS = Number(process.env.FIRN_FUZZ_RUNS ?? 20_000);
const FUZZ_TIMEOUT_MS = 60_000 + FUZZ_RUNS;

const codec = assetCodec(X_FXS);
const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as Vector[];
const isBlock = (bytes: Uint8Array) => bytes[5] === 20;

/** What encoding gives after decoding, the ID and the JSON of a block or transaction. */
function roundTrip(bytes: Buffer, hrp: string) {
  const context = { address: (address: string) => formatAddress("X", hrp, address) };
  if (isBlock(bytes)) {
    const block = codec.parseBlock(bytes);
    return { again: Buffer.from(codec.makeBlock(block).bytes), id: block.id, json: codec.blockJson(block, context) };
  }
  const tx = codec.parseTx(bytes);
  return { again: encodeVersioned(codec.tx, tx), id: tx.id, json: codec.txJson(tx, context) };
}

describe("codec of asset chains", () => {
  test.each(vectors)("$name decodes to its JSON and encodes to its bytes", ({ bytes, id, json }) => {
    const input = Buffer.from(bytes, "hex");
    const result = roundTrip(input, "avax");
    expect(result.again).toEqual(input);
    expect(formatId(result.id)).toBe(id);
    if (json !== undefined) expect(result.json).toBe(json);
  });

  test.each(["latest-1", "eras-1"] as const)("every block and transaction of %s has the recorded JSON", (name) => {
    const folder = recordingFolder(name);
    const { hrp } = openRecording(folder).network;
    const lines = [...readLines(folder, "blocks/X.jsonl"), ...readLines(folder, "txs/X.jsonl")];
    expect(lines.length).toBeGreaterThan(400);
    for (const line of lines) {
      const { bytes, hex } = JSON.parse(line) as { bytes?: string; hex?: string };
      const input = fromChecksummedHex(bytes ?? hex!);
      const result = roundTrip(input, hrp);
      expect(result.again.equals(input)).toBe(true);
      // null in the process that made block 0 and the genesis transaction
      const recorded = recordedJson(line, "json").replace('"txs":null', '"txs":[]').replace('"credentials":null', '"credentials":[]');
      expect(result.json).toBe(recorded);
    }
  });

  test.each(["scale-1", "x-dag"] as const)("every block of %s encodes to its bytes", (name) => {
    for (const { bytes } of assetBlocks(recordingFolder(name))) {
      expect(Buffer.from(codec.makeBlock(codec.parseBlock(bytes)).bytes).equals(bytes)).toBe(true);
    }
  });

  test("type IDs follow the order of the chain's fxs", () => {
    const other = assetCodec([NFT_FX, SECP256K1_FX, PROPERTY_FX]);
    expect([codec.typeId("secp256k1.TransferInput"), codec.typeId("nft.MintOutput")]).toEqual([5, 10]);
    expect([other.typeId("nft.MintOutput"), other.typeId("secp256k1.TransferInput"), other.typeId("property.Credential")]).toEqual([
      5, 10, 19,
    ]);
    expect(assetCodec([SECP256K1_FX]).typeId("nft.MintOutput")).toBeUndefined();
  });

  test("a chain with fewer fxs has its block type right behind their types", () => {
    const small = assetCodec([SECP256K1_FX]);
    const fields = { parentId: NFT_FX, height: 1n, time: 2n, merkleRoot: NFT_FX, txs: [] };
    expect(Buffer.from(small.makeBlock(fields).bytes).readUInt32BE(2)).toBe(10);
  });

  test("what is written with one order of fxs reads back in another, with other type IDs", () => {
    const other = assetCodec([NFT_FX, PROPERTY_FX, SECP256K1_FX]);
    for (const { bytes } of vectors.filter(({ bytes }) => !isBlock(Buffer.from(bytes, "hex")))) {
      const tx = codec.parseTx(Buffer.from(bytes, "hex"));
      const moved = other.makeTx(tx.unsigned, tx.credentials);
      expect(moved.bytes.length).toBe(tx.bytes.length);
      expect(moved.id).not.toBe(tx.id);
      expect(codec.makeTx(moved.unsigned, moved.credentials).id).toBe(tx.id);
    }
  });

  test("an fx that is unknown or listed twice makes no codec", () => {
    expect(() => assetCodec([PROPERTY_FX, PROPERTY_FX])).toThrow(expect.objectContaining({ code: "repeated-fx" }));
    expect(() => assetCodec(["ab".repeat(32)])).toThrow(expect.objectContaining({ code: "unknown-fx" }));
  });

  test("a registered type in the wrong place is told from an unknown one, in the node's words", () => {
    const bytes = Buffer.from(vectors[0]!.bytes, "hex");
    const withOutputType = (typeId: number) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt32BE(typeId, 78);
      return textOf(() => codec.parseTx(changed));
    };
    expect(withOutputType(11)).toBe(
      "couldn't unmarshal interface: *nftfx.TransferOutput does not implement interface avax.TransferableOut",
    );
    expect(withOutputType(5)).toBe(
      "couldn't unmarshal interface: *secp256k1fx.TransferInput does not implement interface avax.TransferableOut",
    );
    expect(withOutputType(21)).toBe("couldn't unmarshal interface: unknown type ID 21");
  });

  test("transactions above 256 KiB are refused unless the limit is lifted, as for genesis", () => {
    const tx = codec.parseTx(Buffer.from(vectors[0]!.bytes, "hex"));
    const large = codec.makeTx({ ...tx.unsigned, memo: Buffer.alloc(262_144) }, tx.credentials);
    expect(textOf(() => codec.parseTx(large.bytes))).toBe(`byte array exceeds maximum length: ${large.bytes.length} > 262144`);
    expect(codec.parseTx(large.bytes, { limit: Number.POSITIVE_INFINITY }).id).toBe(large.id);
  });

  test(
    "mutated objects decode and encode to themselves, or fail with a CodecError",
    () => {
      const inputs = vectors.map(({ bytes }) => Buffer.from(bytes, "hex"));
      const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
      fc.assert(
        fc.property(fc.constantFrom(...inputs), mutations, fc.nat(), (input, changes, cut) => {
          const mutated = Buffer.from(cut % 5 === 0 ? input.subarray(0, cut % input.length) : input);
          for (const [at, value] of changes) if (mutated.length > 0) mutated[at % mutated.length] = value;
          survives(codec, isBlock(input) ? blockOf : txOf, mutated);
        }),
        { numRuns: FUZZ_RUNS },
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    "random bytes decode and encode to themselves, or fail with a CodecError",
    () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (random, hasVersion) => {
          const input = Buffer.from(random);
          if (hasVersion && input.length > 2) input.writeUInt16BE(0, 0);
          survives(codec, txOf, input);
          survives(codec, blockOf, input);
          survives(codec, utxoOf, input);
        }),
        { numRuns: FUZZ_RUNS / 4 },
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test("a UTXO of each kind of output survives the round trip", () => {
    const { unsigned } = codec.parseTx(Buffer.from(vectors[1]!.bytes, "hex"));
    if (unsigned.kind !== "CreateAssetTx") throw new Error("expected a CreateAssetTx");
    const outputs = unsigned.initialStates.flatMap((state) => state.outputs);
    expect(outputs.length).toBeGreaterThanOrEqual(4);
    for (const output of outputs) {
      const utxo = { txId: NFT_FX, outputIndex: 3, assetId: PROPERTY_FX, output };
      expect(decodeAll(codec.utxo, encodeAll(codec.utxo, utxo))).toEqual(utxo);
    }
  });
});

const txOf = ({ tx }: AssetCodec): Codec<unknown> => tx;
const utxoOf = ({ utxo }: AssetCodec): Codec<unknown> => utxo;
const blockOf = ({ parseBlock, makeBlock }: AssetCodec): Codec<unknown> => ({
  decode: (reader) => parseBlock(Buffer.concat([Buffer.alloc(2), reader.slice(reader.left)])),
  encode: (writer, block) => writer.raw(makeBlock(block as ReturnType<typeof parseBlock>).bytes.subarray(2)),
  json: () => "",
});

function survives(of: AssetCodec, choose: (codec: AssetCodec) => Codec<unknown>, input: Buffer): void {
  try {
    expect(encodeVersioned(choose(of), decodeVersioned(choose(of), input)).equals(input)).toBe(true);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
  }
}

function textOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CodecError) return codecErrorText(error, codec);
    throw error;
  }
  throw new Error("expected a CodecError");
}
