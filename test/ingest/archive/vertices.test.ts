/** An archive's vertices are held against the network's stop vertex by their hashes alone, before any of them is executed. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { verifyArchive } from "../../../src/ingest/archive/verify.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openStore } from "../../../src/store/open.ts";
import { bytesOf } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { storeRows } from "../../faults/store-rows.ts";
import { dagNetwork, lines, type VertexLine } from "../../sources/upstream/dag-network.ts";
import { scratchDirectory } from "../../store/scratch.ts";

let folder: string;
let vertices: VertexLine[];

beforeEach(() => {
  folder = dagNetwork(scratchDirectory(), { isShort: true });
  vertices = readFileSync(join(folder, "vertices.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as VertexLine);
});

function write(changed: readonly VertexLine[]): void {
  writeFileSync(join(folder, "vertices.jsonl"), lines(changed));
}

/** Returns the rows of its store, which is empty if nothing was executed. */
async function imported(): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const source = await openArchive({ path: folder, instance: networkInstance });
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  let failure: unknown;
  await ingestSource({ store, source, level: "full" }).catch((error) => {
    failure = error;
  });
  await store.close();
  const rows = await storeRows(directory);
  if (failure !== undefined) throw Object.assign(failure as Error, { rows: rows.size });
  return rows;
}

/** Nothing of it is executed, not even genesis. */
async function expectRefused(reason: RegExp): Promise<void> {
  await expect(imported()).rejects.toMatchObject({ message: expect.stringMatching(reason), rows: 0 });
  await expect(verifyArchive(folder)).rejects.toThrow(reason);
}

function vertexLine(bytes: Buffer): VertexLine {
  return { id: formatId(sha256Hex(bytes)), bytes: `0x${bytes.toString("hex")}` };
}

function changed(at: number, change: (bytes: Buffer) => void): VertexLine[] {
  const bytes = bytesOf(vertices[at]!.bytes);
  change(bytes);
  return vertices.with(at, vertexLine(bytes));
}

const FIRST_PARENT = 2 + 32 + 8 + 4 + 4;

describe("vertices of an archive", () => {
  test("that are the DAG below the stop vertex are imported and verified", async () => {
    expect((await imported()).size).toBeGreaterThan(100);
    expect(await verifyArchive(folder)).toMatchObject({ vertices: vertices.length });
  });

  test("are refused if one is missing, or comes twice", async () => {
    write(vertices.toSpliced(4, 1));
    await expectRefused(/the parent \w+ of vertex \w+ does not come before it/);
    write(vertices.toSpliced(4, 0, vertices[3]!));
    await expectRefused(/vertex \w+ comes twice/);
  });

  test("are refused if one is changed, or its parent is unknown", async () => {
    write(changed(5, (bytes) => bytes.writeUInt8(bytes.at(-1)! ^ 1, bytes.length - 1)));
    await expectRefused(/the parent \w+ of vertex \w+ does not come before it/);
    write(changed(5, (bytes) => bytes.fill(0xaa, FIRST_PARENT, FIRST_PARENT + 32)));
    await expectRefused(/the parent \w+ of vertex \w+ does not come before it/);
  });

  test("are refused if there is one more, that is nobody's parent", async () => {
    const other = bytesOf(vertices[3]!.bytes);
    other.writeUInt8(other.at(-1)! ^ 1, other.length - 1);
    write(vertices.toSpliced(4, 0, vertexLine(other)));
    await expectRefused(/vertex \w+ is not an ancestor of the stop vertex/);
  });

  test("are refused with another stop vertex, without it, and if there are none", async () => {
    const last = vertices.length - 1;
    write(changed(last, (bytes) => bytes.writeUInt8(77, 41)));
    await expectRefused(/the last vertex is \w+, but the X-chain's DAG ended with \w+/);
    write(vertices.slice(0, -1));
    await expectRefused(/the last vertex is \w+, but the X-chain's DAG ended with \w+/);
    write([]);
    await expectRefused(/there are no vertices; the last one must be \w+/);
  });

  test("may be left out, but not with the blocks that follow them", async () => {
    rmSync(join(folder, "vertices.jsonl"));
    await expect(imported()).rejects.toThrow(/the chain is a DAG: its stop vertex has not been accepted/);
    await expect(verifyArchive(folder)).rejects.toThrow(/there are no vertices; the last one must be \w+/);
    rmSync(join(folder, "blocks", "X.jsonl"));
    expect((await imported()).size).toBeGreaterThan(100);
    expect(await verifyArchive(folder)).toMatchObject({ vertices: 0 });
  });

  test("are refused whatever is changed in them", async () => {
    const index = fc.nat(vertices.length - 1);
    const change = fc.oneof(
      fc.record({ kind: fc.constant("remove" as const), at: index }),
      fc.record({ kind: fc.constant("repeat" as const), at: index, to: index }),
      fc.record({ kind: fc.constant("flip" as const), at: index, place: fc.nat(100_000), bit: fc.nat(7), hasItsId: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(change, async (drawn) => {
        if (drawn.kind === "remove") write(vertices.toSpliced(drawn.at, 1));
        else if (drawn.kind === "repeat") write(vertices.toSpliced(drawn.to, 0, vertices[drawn.at]!));
        else {
          const flipped = changed(drawn.at, (bytes) => {
            const place = drawn.place % bytes.length;
            bytes.writeUInt8(bytes[place]! ^ (1 << drawn.bit), place);
          });
          write(drawn.hasItsId ? flipped : flipped.with(drawn.at, { ...flipped[drawn.at]!, id: vertices[drawn.at]!.id }));
        }
        await expectRefused(/./);
      }),
      { numRuns: 40 },
    );
  });
});

test("vertices of a network whose stop vertex is not known must end with one that has all others as ancestors", async () => {
  folder = scratchDirectory();
  const recording = recordingFolder("x-dag");
  for (const name of ["network.json", "genesis-P.hex", "vertices.jsonl", "blocks.jsonl", "sharedmemory.jsonl"]) {
    writeFileSync(join(folder, name), readFileSync(join(recording, name)));
  }
  expect((await verifyArchive(folder)).vertices).toBe(15);
  const recorded = readFileSync(join(folder, "vertices.jsonl"), "utf8").trimEnd().split("\n");
  writeFileSync(join(folder, "vertices.jsonl"), `${recorded.slice(0, -1).join("\n")}\n`);
  await expectRefused(/the last vertex is \w+, but the X-chain's DAG ended with its stop vertex/);
});
