import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { type Line, splitLines } from "../../../src/sources/archives/folder.ts";
import { blockItem } from "../../../src/sources/archives/lines.ts";
import { mergeByTime, type TimedItem } from "../../../src/sources/archives/merge.ts";
import { type Progress, parseAcceptedAt, type SourceItem } from "../../../src/sources/source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const NOTHING: Progress = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };
const ID = "2JeJDKL9Bvn1vLuuPL1DpUccBCVUh7iRnkv3a5pV9kJW5HbuQz";

describe("times of acceptance", () => {
  test("are instants, whatever their number of fraction digits", () => {
    const times = [
      "2026-11-21T07:51:20.7Z",
      "2026-11-21T07:51:20.776956105Z",
      "2026-11-21T07:51:20.77695611Z",
      "2026-11-21T09:51:21+02:00",
    ];
    const parsed = times.map(parseAcceptedAt);
    expect(parsed).toEqual([...parsed].sort((a, b) => (a < b ? -1 : 1)));
    expect(parsed[1]).toBe(1_795_247_480_776_956_105n);
    expect(parsed[3]).toBe(1_795_247_481_000_000_000n);
  });

  test("may be Unix seconds", () => {
    expect(parseAcceptedAt(1_622_505_600)).toBe(1_622_505_600_000_000_000n);
  });

  test.each([undefined, null, "", "yesterday", "2026-11-21", 1.5, "2026-11-21T07:51:20.1234567890Z"])("are not %j", (value) => {
    expect(() => parseAcceptedAt(value)).toThrow(/RFC 3339/);
  });
});

describe("lines", () => {
  test("are those of the text, wherever its chunks are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\n"))),
        fc.array(fc.nat(50)),
        async (texts, cuts) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
          const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort((a, b) => a - b);
          const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
          const lines: Line[] = [];
          for await (const line of splitLines(toStream(chunks), "file")) lines.push(line);
          expect(lines).toEqual(texts.map((text, i) => ({ text, origin: `file:${i + 1}` })));
        },
      ),
    );
  });
});

describe("block lines", () => {
  const bytes = Buffer.from("00112233445566", "hex");
  const common = { height: 5, id: ID, acceptedAt: 7 };
  test.each([
    ["a container in hex", { ...common, container: "0x00112233445566", bytes: "0xffff", containerID: ID }],
    ["a container in base64", { ...common, container: bytes.toString("base64") }],
    ["bytes without wrapper", { ...common, bytes: "0x00112233445566" }],
  ])("with %s give the bytes to execute", (_, line) => {
    const item = blockItem({ text: JSON.stringify(line), origin: "P:1" }, "00".repeat(32), 0n);
    expect(item).toMatchObject({ kind: "block", height: 5n, acceptedAt: 7_000_000_000n, origin: "P:1" });
    expect(bytes.equals(item!.container)).toBe(true);
  });

  test("up to the height that the store has are left out, without being decoded", () => {
    const line = { text: JSON.stringify({ ...common, container: "nonsense!" }), origin: "P:1" };
    expect(blockItem(line, "00".repeat(32), 5n)).toBeUndefined();
    expect(() => blockItem(line, "00".repeat(32), 4n)).toThrow("P:1: container is neither hex nor base64");
  });

  test.each([
    ["no JSON", "{"],
    ["no object", "7"],
    ["no height", JSON.stringify({ ...common, height: undefined, bytes: "0x00" })],
    ["a height that is no integer", JSON.stringify({ ...common, height: 1.5, bytes: "0x00" })],
    ["odd hex", JSON.stringify({ ...common, bytes: "0x000" })],
    ["no bytes", JSON.stringify(common)],
    ["an ID with a wrong checksum", JSON.stringify({ ...common, id: `${ID.slice(0, -1)}1`, bytes: "0x00" })],
  ])("with %s are refused by file and line", (_, text) => {
    expect(() => blockItem({ text, origin: "blocks/P.jsonl:17" }, "00".repeat(32), 0n)).toThrow(
      expect.objectContaining({ code: "archive-line", message: expect.stringContaining("blocks/P.jsonl:17: ") }),
    );
  });
});

describe("merging", () => {
  test("orders by time, keeps each stream's own order, and prefers earlier streams at equal times", async () => {
    const stream = async function* (...times: number[]): AsyncGenerator<TimedItem> {
      for (const time of times) yield { time: BigInt(time), item: { kind: "block", origin: `${times[0]}:${time}` } as SourceItem };
    };
    const merged: string[] = [];
    for await (const { origin } of mergeByTime([stream(1, 5, 4, 9), stream(2, 5, 9), stream()])) merged.push(origin!);
    expect(merged).toEqual(["1:1", "2:2", "1:5", "1:4", "2:5", "1:9", "2:9"]);
  });
});

describe("a recording", () => {
  test("gives the same items from a folder and from one packed file", async () => {
    const packed = new URL("../../recordings/x-dag.br", import.meta.url).pathname;
    expect(await itemsOf(packed)).toEqual(await itemsOf(recordingFolder("x-dag")));
  });

  test("interleaves what other chains put into shared memory, before the block that may use it", async () => {
    const items = await itemsOf(recordingFolder("p-eras-old"));
    const firstImport = items.findIndex((item) => item.kind === "block" && item.height === 6n);
    const puts = items.slice(firstImport - 3, firstImport);
    expect(puts.map((item) => item.kind)).toEqual(["shared-memory", "shared-memory", "shared-memory"]);
    expect(items[firstImport - 4]).toMatchObject({ kind: "block", height: 5n });
  });

  test("has its genesis from the node's genesis file if its bytes are not there", async () => {
    const folder = xDagWithout("genesis-P.hex");
    expect(await itemsOf(folder)).toEqual(await itemsOf(recordingFolder("x-dag")));
    rmSync(join(folder, "genesis.json"));
    await expect(itemsOf(folder)).rejects.toThrow(/it needs genesis-P\.hex or genesis\.json/);
  });

  test.each([
    ["network.json", "{", /^network\.json: /],
    ["network.json", "[]", /^network\.json: networkID is missing/],
    ["genesis-P.hex", "zz", /^genesis-P\.hex: .*invalid byte/],
    ["genesis-P.hex", "0000", /^genesis-P\.hex: .*short/],
    ["blocks/foo.jsonl", "", /^blocks\/foo\.jsonl: /],
    ["sharedmemory.jsonl", '{"by":"P"}', /^sharedmemory\.jsonl:1: key is missing/],
  ])("with a damaged %s (%j) names the file", async (name, text, message) => {
    const folder = xDagWithout();
    mkdirSync(join(folder, "blocks"));
    writeFileSync(join(folder, name), text);
    await expect(itemsOf(folder)).rejects.toThrow(expect.objectContaining({ message: expect.stringMatching(message) }));
    await expect(itemsOf(folder)).rejects.toBeInstanceOf(FirnError);
  });

  test("whose shared memory has traits that are no addresses is refused by file and line", async () => {
    const folder = xDagWithout();
    const path = join(folder, "sharedmemory.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace('"traits":["', '"traits":["zz'));
    await expect(itemsOf(folder)).rejects.toThrow(/^sharedmemory\.jsonl:1: traits is/);
  });

  test("that is packed but cut short, empty or nonsense is refused by its path", async () => {
    const packed = readFileSync(new URL("../../recordings/x-dag.br", import.meta.url));
    const path = join(scratchDirectory(), "recording.br");
    for (const bytes of [packed.subarray(0, 5000), Buffer.alloc(0), Buffer.from("nonsense"), brotliCompressSync("nonsense\n")]) {
      writeFileSync(path, bytes);
      await expect(itemsOf(path)).rejects.toMatchObject({ code: "archive-damaged", message: expect.stringContaining(path) });
    }
  });

  test("without network.json is refused with what is missing", async () => {
    const folder = scratchDirectory();
    mkdirSync(join(folder, "blocks"));
    writeFileSync(join(folder, "blocks/P.jsonl.gz"), gzipSync(""));
    await expect(itemsOf(folder)).rejects.toThrow(/no network\.json/);
    await expect(itemsOf(join(folder, "nowhere"))).rejects.toMatchObject({ code: "archive-missing" });
  });
});

/** A copy of the recording, with one file less. */
function xDagWithout(missing?: string): string {
  const copy = scratchDirectory();
  for (const name of ["network.json", "genesis.json", "genesis-P.hex", "vertices.jsonl", "blocks.jsonl", "sharedmemory.jsonl"]) {
    if (name !== missing) writeFileSync(join(copy, name), readFileSync(join(recordingFolder("x-dag"), name)));
  }
  return copy;
}

async function itemsOf(path: string): Promise<SourceItem[]> {
  const source = await openArchive({ path, instance: networkInstance });
  const items: SourceItem[] = [];
  for await (const run of source.items(NOTHING)) items.push(...run);
  return items;
}

async function* toStream(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
