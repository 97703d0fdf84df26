import { expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { blocks, sourceState } from "../../../../src/index/tables.ts";
import { id, PlatformNode } from "./platform-node.ts";

const NOW = 1_700_000_000n;

/** @param ages of blocks 0, 1, 2 …, in seconds */
function nodeWith(ages: readonly number[], isFollowing: boolean): PlatformNode {
  const node = new PlatformNode().moveTo({ height: BigInt(ages.length - 1) });
  node.clock = NOW;
  for (const [height, age] of ages.entries()) {
    const ids = { blockId: id(0x100 + height), containerId: id(0x200 + height) };
    const parts = { head: new Uint8Array(0), bytes: new Uint8Array(0), tail: new Uint8Array(0) };
    const acceptedAt = NOW * 1_000_000_000n - BigInt(Math.round(age * 1_000_000_000));
    node.reader.put(blocks, { chainId: PLATFORM_CHAIN_ID, height: BigInt(height) }, { ...ids, ...parts, acceptedAt });
  }
  if (isFollowing) node.reader.put(sourceState, { slot: 0 }, { seenAt: NOW, problem: "", upstreams: "[]" });
  return node;
}

test("a follower's proposed height is below the blocks that were accepted in the last 30 seconds", async () => {
  const node = nodeWith([90, 60, 30.000_000_001, 30, 2, 1], true);
  expect(await node.ask("getProposedHeight")).toBe('{"height":"2"}');
});

test("a follower whose blocks are all older than 30 seconds proposes the last height", async () => {
  expect(await nodeWith([90, 60, 31], true).ask("getProposedHeight")).toBe('{"height":"2"}');
});

test("no more than 64 blocks are recent, and genesis never is", async () => {
  expect(await nodeWith(new Array(101).fill(1), true).ask("getProposedHeight")).toBe('{"height":"36"}');
  expect(await nodeWith([1, 1], true).ask("getProposedHeight")).toBe('{"height":"0"}');
});

test("where no node is followed, the last height is proposed", async () => {
  expect(await nodeWith([90, 60, 2, 1], false).ask("getProposedHeight")).toBe('{"height":"3"}');
});
