import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { View } from "../../../src/base/table/view.ts";
import type { CChainBlock } from "../../../src/chains/atomic/block.ts";
import { CChain } from "../../../src/chains/atomic/chain.ts";
import { atomicTxs } from "../../../src/chains/atomic/tables.ts";
import { encodeAtomicTx, parseAtomicTx } from "../../../src/chains/atomic/tx.ts";
import { SharedMemory } from "../../../src/chains/shared-memory/shared-memory.ts";
import { sharedElements } from "../../../src/chains/shared-memory/tables.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { openRecording } from "../../conformance/asset/recording.ts";
import { bytesOf, readJson, readLines } from "../../conformance/json-lines.ts";
import { MemoryRows } from "../../conformance/memory-rows.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

interface RecordedBlock {
  readonly height: number;
  readonly id: string;
  readonly container: string | null;
  readonly atomicTxs: readonly { readonly id: string; readonly hex: string }[];
}

/** A C-chain over rows in memory, committed after every block; reads outside `keysRead` fail. */
function openChain(folder: string) {
  const { network } = openRecording(folder);
  const rows = new MemoryRows();
  const view = new View();
  rows.loadResident(view, CChain.residentTables);
  const chain = new CChain(network, view);
  chain.genesis(Buffer.from(readJson<{ cChainGenesis: string }>(folder, "genesis.json").cChainGenesis));
  const commit = () => {
    rows.apply(view.drain());
    view.evict();
  };
  return {
    network,
    rows,
    view,
    chain,
    commit,
    execute(block: CChainBlock, level: "full" | "replay" = "replay") {
      rows.prefetch(view, chain.keysRead(block));
      const facts = chain.execute(block, { network, level, clock: block.timestamp });
      commit();
      return facts;
    },
  };
}

function recordedBlocks(folder: string, chain: CChain): { recorded: RecordedBlock; block: CChainBlock }[] {
  return [...readLines<RecordedBlock>(folder, "blocks/C.jsonl")]
    .filter(({ container }) => container !== null)
    .map((recorded) => {
      const { inner } = unwrapBlock(bytesOf(recorded.container!), () => true);
      return { recorded, block: chain.parse(inner) };
    });
}

describe.each(["latest-1", "eras-1"] as const)("the C-chain of %s", (name) => {
  const folder = recordingFolder(name);

  test("executes all blocks, and leaves in shared memory what was exported and what is still owed", () => {
    const { chain, execute, rows, network } = openChain(folder);
    const exported = new Set<string>();
    const imported = new Set<string>();
    for (const { recorded, block } of recordedBlocks(folder, chain)) {
      expect(`0x${block.id}`).toBe(recorded.id);
      expect(Number(block.height)).toBe(recorded.height);
      const { atomicTxs: txs } = execute(block);
      expect(txs.map(({ id }) => formatId(id)).sort()).toEqual(recorded.atomicTxs.map(({ id }) => id).sort());
      for (const tx of txs) {
        expect(encodeAtomicTx(tx)).toEqual(Buffer.from(tx.bytes));
        expect(rows.get(atomicTxs, { txId: tx.id })).toMatchObject({ height: block.height, blockId: block.id });
        if (tx.unsigned.kind === "ExportTx") for (const i of tx.unsigned.exportedOutputs.keys()) exported.add(utxoId(tx.id, i));
        else for (const { txId, outputIndex } of tx.unsigned.importedInputs) imported.add(utxoId(txId, outputIndex));
      }
    }
    const elements = [...rows.all(sharedElements)];
    const keysOf = (isTombstone: boolean) =>
      new Set(elements.filter(({ value }) => value.isTombstone === isTombstone).map(({ key }) => key.key));
    expect(keysOf(false)).toEqual(exported);
    expect(keysOf(true)).toEqual(imported);
    expect(exported.size).toBeGreaterThan(0);
    expect(imported.size).toBeGreaterThan(0);
    expect(elements.every(({ key, value }) => (value.isTombstone ? key.destination : key.source) === network.cChainId)).toBe(true);
  });

  test("refuses a block that names another parent, or leaves out a height", () => {
    const { chain, execute } = openChain(folder);
    const [first, second, third] = recordedBlocks(folder, chain).map(({ block }) => block) as [CChainBlock, CChainBlock, CChainBlock];
    execute(first);
    expect(() => execute(third)).toThrow(expect.objectContaining({ code: "wrong-height", blockId: third.id }));
    expect(() => execute({ ...second, parentId: third.id })).toThrow(expect.objectContaining({ code: "wrong-parent" }));
    expect(() => execute({ ...second, timestamp: 0n })).toThrow(expect.objectContaining({ code: "wrong-time" }));
    expect(() => execute({ ...second, extraDataHash: first.id })).toThrow(expect.objectContaining({ code: "extra-data-hash" }));
    execute(second);
  });

  test("refuses an import, at level full, of what nobody exported", () => {
    const { chain, execute } = openChain(folder);
    const blocks = recordedBlocks(folder, chain).map(({ block }) => block);
    const importing = blocks.findIndex(({ atomicTxs: txs }) => txs.some(({ unsigned }) => unsigned.kind === "ImportTx"));
    for (const block of blocks.slice(0, importing)) execute(block, "full");
    const block = blocks[importing]!;
    expect(() => execute(block, "full")).toThrow(expect.objectContaining({ code: "missing-utxo", txId: block.atomicTxs[0]!.id }));
  });

  test("refuses a signature of somebody else, at level full", () => {
    const { chain, view, network, rows } = openChain(folder);
    const blocks = recordedBlocks(folder, chain).map(({ block }) => block);
    const tx = blocks.flatMap(({ atomicTxs: txs }) => txs).find(({ unsigned }) => unsigned.kind === "ImportTx")!;
    if (tx.unsigned.kind !== "ImportTx") throw new Error("expected an import");
    const { importedInputs, sourceChain } = tx.unsigned;
    const stranger = "11".repeat(20);
    rows.prefetch(view, chain.keysRead({ ...blocks[0]!, atomicTxs: [tx] }));
    new SharedMemory(view).put(
      sourceChain,
      network.cChainId,
      importedInputs.map((input) => ({ key: utxoId(input.txId, input.outputIndex), bytes: ownedBy(stranger, input), traits: [stranger] })),
    );
    const importing = blocks.find(({ atomicTxs: txs }) => txs.includes(tx))!;
    const at = { ...importing, height: 1n, parentId: "00".repeat(32) };
    expect(() => chain.execute(at, { network, level: "full", clock: at.timestamp })).toThrow(
      expect.objectContaining({ code: "wrong-signature" }),
    );
  });
});

test("a transaction keeps its bytes where a batch brought it", () => {
  const folder = recordingFolder("latest-1");
  const { chain } = openChain(folder);
  for (const { block } of recordedBlocks(folder, chain)) {
    for (const tx of block.atomicTxs) expect(parseAtomicTx(tx.bytes)).toEqual(tx);
  }
});

function ownedBy(
  owner: string,
  { txId, outputIndex, assetId, input }: { txId: string; outputIndex: number; assetId: string; input: { amount: bigint } },
) {
  const bytes = Buffer.alloc(2 + 32 + 4 + 32 + 4 + 8 + 8 + 4 + 4 + 20);
  bytes.write(txId, 2, "hex");
  bytes.writeUInt32BE(outputIndex, 34);
  bytes.write(assetId, 38, "hex");
  bytes.writeUInt32BE(7, 70);
  bytes.writeBigUInt64BE(input.amount, 74);
  bytes.writeUInt32BE(1, 90);
  bytes.writeUInt32BE(1, 94);
  bytes.write(owner, 98, "hex");
  return bytes;
}
