import { describe, expect, test } from "vitest";
import { blockIndexMethods, txIndexMethods, vertexIndexMethods } from "../../../../src/api/rpc/index-api/methods.ts";
import { proposervmMethods } from "../../../../src/api/rpc/proposervm-methods.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { formatAcceptedAt } from "../../../../src/base/json/accepted-at.ts";
import { View } from "../../../../src/base/table/view.ts";
import type { AssetTxFacts } from "../../../../src/chains/asset/facts.ts";
import { assetTxs, assetVertices } from "../../../../src/chains/asset/tables.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import { projectAsset, projectBlock } from "../../../../src/index/platform.ts";
import { ChainNode, id } from "../chain-node.ts";

const second = 1_000_000_000n;

/** A chain with genesis and `count` blocks: container n is the bytes 0a, n, 0b with ID 100 + n. */
function nodeWithBlocks(count: number): ChainNode {
  const node = new ChainNode(blockIndexMethods);
  const { chainId } = node.chain;
  const view = new View();
  for (let n = 0; n <= count; n++) {
    const isGenesis = n === 0;
    const [head, tail] = isGenesis ? [new Uint8Array(0), new Uint8Array(0)] : [Uint8Array.of(0x0a), Uint8Array.of(0x0b)];
    const unwrapped = { containerId: id(isGenesis ? 1000 : 100 + n), head, inner: Uint8Array.of(n), tail };
    projectBlock(view, { chainId, height: BigInt(n), blockId: id(1000 + n), unwrapped, acceptedAt: BigInt(n) * second + 500n });
  }
  node.reader.apply(view.drain());
  return node;
}

const container = (n: number) => ({
  id: formatId(id(100 + n)),
  bytes: `0x0a${n.toString(16).padStart(2, "0")}0b`,
  timestamp: `1970-01-01T00:00:0${n}.0000005Z`,
  encoding: "hexnc",
  index: `${n - 1}`,
});

describe("the index of blocks", () => {
  test("counts from the block after genesis, and gives whole containers", async () => {
    const node = nodeWithBlocks(3);
    expect(await node.result("index.getContainerByIndex", { index: 0, encoding: "hexnc" })).toEqual(container(1));
    expect(await node.result("index.getLastAccepted", { encoding: "hexnc" })).toEqual(container(3));
    expect(await node.result("index.getContainerByID", { id: container(2).id, encoding: "hexnc" })).toEqual(container(2));
    expect(await node.ask("index.getIndex", { id: container(2).id })).toBe('{"index":"1"}');
  });

  test("knows neither genesis nor the IDs of blocks inside their wrapper", async () => {
    const node = nodeWithBlocks(2);
    for (const stranger of [id(1000), id(1001), id(7)]) {
      expect(await node.ask("index.isAccepted", { id: formatId(stranger) })).toBe('{"isAccepted":false}');
      expect(await node.ask("index.getIndex", { id: formatId(stranger) })).toBe("not found");
      expect(await node.ask("index.getContainerByID", { id: formatId(stranger) })).toBe("not found");
    }
    expect(await node.ask("index.isAccepted", { id: container(2).id })).toBe('{"isAccepted":true}');
  });

  test("says of which block the container is not known, and denies nothing that it cannot know", async () => {
    const node = nodeWithBlocks(2);
    const view = new View();
    const unwrapped = { containerId: EMPTY_ID, head: new Uint8Array(0), inner: Uint8Array.of(3), tail: new Uint8Array(0) };
    projectBlock(view, { chainId: node.chain.chainId, height: 3n, blockId: id(1003), unwrapped, acceptedAt: 3n * second });
    node.reader.apply(view.drain());
    const unknown = /^the container of block 3 is not known: Firn read the block from a node without its proposervm header; /;
    expect(await node.ask("index.getContainerByIndex", { index: 2 })).toMatch(unknown);
    expect(await node.ask("index.getLastAccepted", {})).toMatch(unknown);
    expect(await node.ask("index.getContainerRange", { startIndex: 0, numToFetch: 3 })).toMatch(unknown);
    for (const stranger of [id(7), id(1003), EMPTY_ID]) {
      for (const method of ["index.isAccepted", "index.getIndex", "index.getContainerByID"]) {
        expect(await node.ask(method, { id: formatId(stranger) })).toMatch(unknown);
      }
    }
    expect(await node.result("index.getContainerByIndex", { index: 1, encoding: "hexnc" })).toEqual(container(2));
    expect(await node.ask("index.isAccepted", { id: container(2).id })).toBe('{"isAccepted":true}');
    const proposervm = new ChainNode(proposervmMethods);
    projectBlock(view, { chainId: proposervm.chain.chainId, height: 3n, blockId: id(1003), unwrapped, acceptedAt: 3n * second });
    proposervm.reader.apply(view.drain());
    expect(await proposervm.ask("proposervm.getCurrentEpoch")).toMatch(unknown);
  });

  test("gives ranges that end with the index", async () => {
    const node = nodeWithBlocks(4);
    const range = (params: object) => node.result("index.getContainerRange", { encoding: "hexnc", ...params });
    expect(await range({ numToFetch: 2 })).toEqual({ containers: [container(1), container(2)] });
    expect(await range({ startIndex: "2", numToFetch: "1024" })).toEqual({ containers: [container(3), container(4)] });
  });

  test.each([
    [{ numToFetch: 0 }, "numToFetch must be in [1,1024] but is 0"],
    [{ numToFetch: 1025 }, "numToFetch must be in [1,1024] but is 1025"],
    [{ startIndex: 4, numToFetch: 1 }, "start index (4) > last accepted index (3)"],
    [{ numToFetch: 1, encoding: "json" }, "unsupported encoding in method"],
  ])("refuses the range %j", async (params, text) => {
    expect(await nodeWithBlocks(4).ask("index.getContainerRange", params)).toBe(text);
  });

  test("says that nothing was accepted while there is only genesis", async () => {
    const node = nodeWithBlocks(0);
    expect(await node.ask("index.getLastAccepted")).toBe("no containers have been accepted");
    expect(await node.ask("index.getContainerRange", { numToFetch: 1 })).toBe("no containers have been accepted");
    expect(await node.ask("index.getContainerByIndex")).toBe("no container at index 0");
    expect(await node.ask("index.getContainerByIndex", { index: "18446744073709551615" })).toBe(
      "no container at index 18446744073709551615",
    );
  });
});

describe("the indexes of a DAG", () => {
  /** Two vertices with a transaction each, then a linear block with one. */
  function nodeOf(methods: typeof txIndexMethods): ChainNode {
    const node = new ChainNode(methods);
    const { chainId } = node.chain;
    const view = new View();
    const nothing = { produced: [], consumed: [], genesisTxs: [], timestamp: undefined };
    const tx = (n: number, index: bigint): AssetTxFacts => {
      const signed = { id: id(n), bytes: Uint8Array.of(n) } as SignedTx;
      return { txId: id(n), index, tx: signed, produced: [], consumed: [], imported: [], exported: [] };
    };
    for (const n of [0, 1]) {
      const sequence = BigInt(n);
      view.put(
        assetTxs,
        { chain: 0, txId: id(20 + n) },
        { height: 0n, index: sequence, typeId: 0, offset: 0, size: 0, bytes: Uint8Array.of(0x20 + n) },
      );
      view.put(assetVertices, { chain: 0, vertexId: id(30 + n) }, { sequence, bytes: Uint8Array.of(0x30 + n) });
      const txs = [tx(20 + n, sequence)];
      projectAsset(view, { chain: 0, chainId, vertex: { vertexId: id(30 + n), sequence }, txs, ...nothing }, second);
    }
    view.put(assetTxs, { chain: 0, txId: id(22) }, { height: 1n, index: 2n, typeId: 0, offset: 0, size: 0, bytes: Uint8Array.of(0x22) });
    view.put(assetTxs, { chain: 0, txId: id(29) }, { height: 0n, index: 0n, typeId: 0, offset: 0, size: 0, bytes: Uint8Array.of(0x29) });
    const block = { blockId: id(40), parentId: id(39), height: 1n, bytes: new Uint8Array(0) };
    projectAsset(view, { chain: 0, chainId, block, txs: [tx(22, 2n)], ...nothing }, second);
    node.reader.apply(view.drain());
    return node;
  }

  test("list the transactions of vertices, not those of blocks or genesis", async () => {
    const node = nodeOf(txIndexMethods);
    expect(await node.result("index.getLastAccepted", { encoding: "hexnc" })).toMatchObject({
      id: formatId(id(21)),
      bytes: "0x21",
      index: "1",
    });
    expect(await node.ask("index.getIndex", { id: formatId(id(20)) })).toBe('{"index":"0"}');
    for (const stranger of [22, 29]) expect(await node.ask("index.getIndex", { id: formatId(id(stranger)) })).toBe("not found");
  });

  test("list the vertices in order", async () => {
    const node = nodeOf(vertexIndexMethods);
    const { containers } = await node.result<{ containers: { id: string; bytes: string }[] }>("index.getContainerRange", {
      numToFetch: 5,
      encoding: "hexnc",
    });
    expect(containers.map((vertex) => [vertex.id, vertex.bytes])).toEqual([
      [formatId(id(30)), "0x30"],
      [formatId(id(31)), "0x31"],
    ]);
    expect(await node.ask("index.isAccepted", { id: formatId(id(31)) })).toBe('{"isAccepted":true}');
  });
});

test.each([
  [0n, "1970-01-01T00:00:00Z"],
  [1_635_986_575_016_434_140n, "2021-11-04T00:42:55.01643414Z"],
  [1_795_249_150_000_000_001n, "2026-11-21T08:19:10.000000001Z"],
])("time %d is printed without trailing zeros", (nanoseconds, text) => {
  expect(formatAcceptedAt(nanoseconds)).toBe(text);
});
