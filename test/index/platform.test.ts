import { expect, test } from "vitest";
import { PLATFORM_CHAIN_ID as chainId } from "../../src/base/bytes/id.ts";
import { View } from "../../src/base/table/view.ts";
import type { PlatformFacts } from "../../src/chains/platform/facts.ts";
import { projectPlatform } from "../../src/index/platform.ts";
import { blockHeights, blocks, containerHeights, PLATFORM_UTXOS, utxosByAddress } from "../../src/index/tables.ts";
import { validatorSetProgress } from "../../src/index/validator-snapshots.ts";
import { MemoryReader } from "../api/rpc/memory-reader.ts";

const id = (text: string) => text.padStart(64, "0");
const address = (text: string) => text.padStart(40, "0");
const bytes = (...values: number[]) => Uint8Array.from(values);
const noSet = () => new Map();

function facts(changes: Partial<PlatformFacts>): PlatformFacts {
  const nothing = { blocks: [], height: 1n, timestamp: 10n, produced: [], consumed: [], validatorChanges: [], createdChains: [] };
  return { ...nothing, events: [], accruedFees: 0n, supply: 0n, activeL1Validators: 0, ...changes };
}

function newView(): View {
  const view = new View();
  view.setResident(validatorSetProgress);
  return view;
}

test("a proposal and its option are found by height, block and container, with what was around them", async () => {
  const view = newView();
  const proposal = { blockId: id("a1"), parentId: id("a0"), kind: "BanffProposalBlock", height: 1n, bytes: bytes(1) } as const;
  const option = { blockId: id("a2"), parentId: id("a1"), kind: "BanffCommitBlock", height: 2n, bytes: bytes(2) } as const;
  const source = (containerId: string, inner: Uint8Array, acceptedAt: bigint) => ({
    unwrapped: { containerId, head: bytes(8), inner, tail: bytes(9) },
    acceptedAt,
  });
  const sources = [source(id("c1"), proposal.bytes, 5n), source(id("c2"), option.bytes, 6n)];
  projectPlatform(view, facts({ blocks: [proposal, option], height: 2n }), noSet, sources);
  const reader = new MemoryReader().apply(view.drain());
  expect(await reader.get(blocks, { chainId, height: 1n })).toEqual({
    blockId: id("a1"),
    containerId: id("c1"),
    head: bytes(8),
    bytes: bytes(1),
    tail: bytes(9),
    acceptedAt: 5n,
  });
  expect(await reader.get(blockHeights, { chainId, blockId: id("a2") })).toEqual({ height: 2n });
  expect(await reader.get(containerHeights, { chainId, containerId: id("c2") })).toEqual({ height: 2n });
});

test("the genesis block stands for itself and was accepted at chain time", async () => {
  const view = newView();
  const block = { blockId: id("a0"), parentId: id("9e"), kind: "ApricotCommitBlock", height: 0n, bytes: bytes(7) } as const;
  projectPlatform(view, facts({ blocks: [block], height: 0n, timestamp: 3n }), noSet);
  const reader = new MemoryReader().apply(view.drain());
  expect(await reader.get(blocks, { chainId, height: 0n })).toMatchObject({
    containerId: id("a0"),
    bytes: bytes(7),
    acceptedAt: 3_000_000_000n,
  });
});

test("a UTXO is listed under each of its addresses until it is consumed", async () => {
  const view = newView();
  const addresses = [address("1"), address("2"), address("2")];
  projectPlatform(view, facts({ produced: [{ utxoId: id("b"), bytes: bytes(4), addresses, rank: 5n }] }), noSet);
  const reader = new MemoryReader().apply(view.drain());
  const listed = () => reader.scan(utxosByAddress, { prefix: { chain: PLATFORM_UTXOS }, limit: 10 });
  expect((await listed()).map(({ key }) => key.address)).toEqual([address("1"), address("2")]);
  projectPlatform(view, facts({ height: 2n, consumed: [{ utxoId: id("b"), addresses, rank: 5n }] }), noSet);
  reader.apply(view.drain());
  expect(await listed()).toEqual([]);
});
