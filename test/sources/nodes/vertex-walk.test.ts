/** A long DAG is read back from its stop vertex in many runs: through failures, restarts and lies, what is whole in the end is that DAG. */
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { BadAnswerError } from "../../../src/sources/nodes/chain-reader.ts";
import type { IndexedVertex } from "../../../src/sources/nodes/vertex-reader.ts";
import { VertexSpool } from "../../../src/sources/nodes/vertex-spool.ts";
import { VertexWalk } from "../../../src/sources/nodes/vertex-walk.ts";
import { UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { stopVertex } from "../upstream/dag-network.ts";

const CHAIN = Buffer.alloc(32, 7);
const signal = new AbortController().signal;

/** Vertices without transactions, which nothing here reads. `choose` draws a whole number below another. */
function dagOf(count: number, choose: (below: number) => number): Buffer[] {
  const vertices: Buffer[] = [];
  const childless = new Set<Id>();
  for (let at = 0; at < count; at++) {
    const recent = [1, 2, 3].map(() => vertices[Math.max(0, at - 1 - choose(Math.min(at, 40) || 1))]);
    const parents = [...new Set(recent.flatMap((bytes) => (bytes === undefined ? [] : [sha256Hex(bytes)])))];
    const bytes = Buffer.concat([stopVertex(CHAIN, parents, BigInt(at)), Buffer.alloc(4)]);
    bytes.writeUInt16BE(0);
    // the epoch comes before the parents
    const body = Buffer.concat([bytes.subarray(0, 42), Buffer.alloc(4), bytes.subarray(42)]);
    vertices.push(body);
    for (const parent of parents) childless.delete(parent);
    childless.add(sha256Hex(body));
  }
  // a vertex has 128 parents at most, a stop vertex of these tests any number
  return [...vertices, stopVertex(CHAIN, [...childless], BigInt(count))];
}

/** @param failing tells for each call whether it fails */
function readerOf(vertices: readonly Buffer[], failing: () => boolean = () => false) {
  const at = (index: number): IndexedVertex => ({ index: BigInt(index), id: sha256Hex(vertices[index]!), bytes: vertices[index]! });
  return {
    asked: 0,
    async last() {
      return at(vertices.length - 1);
    },
    async range(_: number, from: bigint, count: number) {
      if (failing()) throw new UpstreamError("unavailable", "the node is away");
      this.asked += count;
      return Array.from({ length: count }, (_, i) => at(Number(from) + i));
    },
  };
}

function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

async function taken(walk: VertexWalk, skip = 0): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const { first, vertices } of walk.vertices(BigInt(skip))) {
    expect(first).toBe(BigInt(skip + found.length));
    found.push(...vertices.map((bytes) => Buffer.from(bytes)));
  }
  return found;
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 });

describe("a walk", () => {
  test("is whole after any failures and restarts, and gives the vertices in the node's order from any place on", async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.integer({ min: 1, max: 4000 }), async (seed, count) => {
        const choose = chooser(seed);
        const vertices = dagOf(count, choose);
        const [directory, stopVertexId] = [scratchDirectory(), sha256Hex(vertices.at(-1)!)];
        const reader = readerOf(vertices, () => choose(3) === 0);
        let walk: VertexWalk;
        do {
          walk = new VertexWalk({ stopVertexId, reader, spool: new VertexSpool(directory) });
          await walk.restore();
          await walk.run(0, signal).catch((error) => expect(error).toBeInstanceOf(UpstreamError));
        } while (!walk.isWhole);
        const skip = choose(vertices.length);
        expect(Buffer.concat(await taken(walk, skip)).equals(Buffer.concat(vertices.slice(skip)))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  test("asks for no vertex twice, and for none after it is whole", async () => {
    const vertices = dagOf(5000, chooser(1));
    const options = { stopVertexId: sha256Hex(vertices.at(-1)!), reader: readerOf(vertices), spool: new VertexSpool(scratchDirectory()) };
    const walk = new VertexWalk(options);
    await walk.run(0, signal);
    expect(options.reader.asked).toBe(vertices.length);
    const again = new VertexWalk(options);
    await again.restore();
    await again.run(0, signal);
    expect({ asked: options.reader.asked, isWhole: again.isWhole }).toEqual({ asked: vertices.length, isWhole: true });
  });

  test("finds every lie, keeps nothing of it, and is whole with what an honest node gives afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom("remove", "repeat", "change", "add", "swap"), async (seed, kind) => {
        const choose = chooser(seed);
        const vertices = dagOf(2500, choose);
        const at = choose(vertices.length - 2);
        const other = Buffer.from(vertices[at]!);
        other.writeUInt8(other[41]! ^ 1, 41);
        const lies = {
          remove: () => vertices.toSpliced(at, 1),
          repeat: () => vertices.toSpliced(at, 0, vertices[at]!),
          change: () => vertices.with(at, other),
          add: () => vertices.toSpliced(at, 0, other),
          // the stop vertex has a parent whose place it takes
          swap: () => [...vertices.slice(0, -2), vertices.at(-1)!, vertices.at(-2)!],
        } as const;
        const stopVertexId = sha256Hex(vertices.at(-1)!);
        const directory = scratchDirectory();
        const lying = new VertexWalk({ stopVertexId, reader: readerOf(lies[kind]()), spool: new VertexSpool(directory) });
        await expect(lying.run(0, signal)).rejects.toBeInstanceOf(BadAnswerError);
        expect(lying.isWhole).toBe(false);
        const honest = new VertexWalk({ stopVertexId, reader: readerOf(vertices), spool: new VertexSpool(directory) });
        await honest.restore();
        await honest.run(0, signal);
        expect(honest.isWhole).toBe(true);
        expect(Buffer.concat(await taken(honest)).equals(Buffer.concat(vertices))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  test("begins anew if what it kept is damaged", async () => {
    const vertices = dagOf(3000, chooser(5));
    const directory = scratchDirectory();
    const options = { stopVertexId: sha256Hex(vertices.at(-1)!), reader: readerOf(vertices), spool: new VertexSpool(directory) };
    await new VertexWalk(options).run(0, signal);
    const [file] = readdirSync(directory).slice(-1);
    appendFileSync(join(directory, file!), Buffer.from([0, 0, 0, 3, 1, 2, 3]));
    const walk = new VertexWalk(options);
    await walk.restore();
    expect(walk.taken).toBe(0);
    await walk.run(0, signal);
    expect(walk.isWhole).toBe(true);
  });
});
