/** Whatever vertices the transactions of a DAG are in, and in whatever order these come, the state at its end is the same. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Id } from "../../../src/base/bytes/id.ts";
import { bytes, encodeVersioned, list, struct, u32, u64 } from "../../../src/base/codec/codec.ts";
import { id } from "../../../src/base/table/table.ts";
import { assetDeferredTxs } from "../../../src/chains/asset/tables.ts";
import type { SignedTx } from "../../../src/chains/asset/tx/registry.ts";
import { spentHere } from "../../../src/chains/asset/tx/value.ts";
import type { Vertex } from "../../../src/chains/asset/vertex.ts";
import { replayOf, sharedPuts } from "../../conformance/asset/checks.ts";
import { openRecording, readLines } from "../../conformance/asset/recording.ts";
import { bytesOf } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

const folder = recordingFolder("x-dag");
const recording = openRecording(folder);
const CLOCK = 10_000_000_000n;
const body = struct({ chainId: id, height: u64, epoch: u32, parentIds: list(id), txs: list(bytes) });

function started() {
  const replay = replayOf(recording);
  replay.genesis(recording.assetGenesis.bytes, { startsAsDag: true });
  for (const { source, element } of sharedPuts(folder, recording)) replay.receive(source, [element]);
  return replay;
}

const replayed = started();
const recorded = readLines(folder, "vertices.jsonl").map((line) => bytesOf((JSON.parse(line) as { bytes: string }).bytes));
const stop = recorded.at(-1)!;
const txs = new Map<Id, SignedTx>();
for (const vertex of recorded.map((each) => replayed.chain.parseVertex(each))) {
  for (const tx of vertex.txs) txs.set(tx.id, tx);
  replayed.executeVertex(vertex, CLOCK);
}

/** A vertex of these transactions; its parents are of no matter here. */
function vertexOf(chosen: readonly SignedTx[], parentIds: readonly Id[], chain = replayed.chain): Vertex {
  const sorted = [...chosen].sort((a, b) => (a.id < b.id ? -1 : 1)).map((tx) => tx.bytes);
  const fields = { chainId: recording.network.xChainId, height: 1n, epoch: 0, parentIds: [...parentIds].sort(), txs: sorted };
  return chain.parseVertex(encodeVersioned(body, fields, 0));
}

/** Executes them, each the child of the one before, and then a stop vertex. */
function executed(groups: readonly (readonly SignedTx[])[]) {
  const replay = started();
  let last: Id | undefined;
  for (const group of groups) {
    const vertex = vertexOf(group, last === undefined ? [] : [last], replay.chain);
    replay.executeVertex(vertex, CLOCK);
    last = vertex.id;
  }
  const parsed = replay.chain.parseVertex(stop);
  replay.executeVertex({ ...parsed, parentIds: [last!] }, CLOCK);
  return replay;
}

const groups = fc
  .shuffledSubarray([...txs.values()], { minLength: txs.size })
  .chain((order) => fc.array(fc.nat(2), { minLength: order.length, maxLength: order.length }).map((sizes) => grouped(order, sizes)));

/** Groups of one to three; some transactions come a second time. */
function grouped(order: readonly SignedTx[], sizes: readonly number[]): SignedTx[][] {
  const found: SignedTx[][] = [];
  for (let at = 0; at < order.length; at += sizes[found.length - 1]! + 1) {
    const again = sizes[at] === 2 && at > 0 ? [order[at - 1]!] : [];
    found.push([...new Set([...order.slice(at, at + sizes[found.length]! + 1), ...again])]);
  }
  return found;
}

test("the state is the same in any vertices and any order", () => {
  fc.assert(
    fc.property(groups, (drawn) => {
      const replay = executed(drawn);
      expect(replay.utxos()).toEqual(replayed.utxos());
      expect(replay.scalars.txCount).toBe(replayed.scalars.txCount);
      expect([...replay.view.rows(assetDeferredTxs)]).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("the stop vertex is refused while a transaction waits for one that is in no vertex", () => {
  const all = [...txs.values()];
  const spent = all.find(({ id: txId }) => all.some(({ unsigned }) => spentHere(unsigned).some((input) => input.txId === txId)))!;
  expect(() => executed([all.filter((tx) => tx !== spent)])).toThrow(/spends an output of \w+, which no vertex of the DAG contains/);
});

test("a transaction is executed with the one that it waited for, and is then in the state", () => {
  const all = [...txs.values()];
  const replay = started();
  const reversed = [...all].reverse().map((tx) => [tx]);
  let last: Id | undefined;
  const counts = reversed.map((group) => {
    const vertex = vertexOf(group, last === undefined ? [] : [last], replay.chain);
    last = vertex.id;
    return replay.executeVertex(vertex, CLOCK).txs.length;
  });
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length);
  // some spend what comes after them
  expect(counts).toContain(0);
  expect(Math.max(...counts)).toBeGreaterThan(1);
});
