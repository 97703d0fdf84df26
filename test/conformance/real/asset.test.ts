/** The X-chain's vertices, blocks and transactions of mainnet and Fuji. */
import { describe, expect, test } from "vitest";
import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { checksumHex, formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { encodeHexChecksummed } from "../../../src/base/bytes/hex.ts";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../src/base/bytes/utxo-id.ts";
import { decodeAll, encodeAll, encodeVersioned } from "../../../src/base/codec/codec.ts";
import type { TransferOutput } from "../../../src/chains/asset/fx/secp256k1.ts";
import { parseVertex, vertexContents } from "../../../src/chains/asset/vertex.ts";
import { fuji, mainnet } from "../../../src/network/presets.ts";
import { bytesIn, itemsOf, jsonContext, stated, transactions, xCodec } from "./items.ts";

interface StatedTx {
  readonly id: string;
  readonly json?: object;
  readonly checksum?: string;
}

test("transactions of the X-chain encode to their bytes, have the stated ID, checksum and JSON", () => {
  const found = transactions().filter(({ item, asset }) => asset !== undefined && item.kind !== "block");
  expect(found.length).toBeGreaterThanOrEqual(20);
  for (const { item, asset: tx } of found) {
    const { id, json, checksum } = stated<StatedTx>(item);
    const bytes = bytesIn(item);
    const again = encodeVersioned(xCodec.tx, { unsigned: tx!.unsigned, credentials: tx!.credentials } as never);
    expect(again.equals(bytes), item.id).toBe(true);
    expect(formatId(tx!.id), item.id).toBe(id);
    if (checksum !== undefined) expect(checksumHex(bytes), item.id).toBe(checksum);
    if (json !== undefined) expect(xCodec.txJson(tx!, jsonContext(item)), item.id).toBe(JSON.stringify(json));
  }
});

describe("blocks of the X-chain", () => {
  test("encode to their bytes, have the stated ID and JSON", () => {
    const blocks = itemsOf("block", "X");
    expect(blocks).toHaveLength(2);
    for (const item of blocks) {
      const { blockId, height, json } = stated<{ blockId: string; height: number; json: object }>(item);
      const bytes = bytesIn(item);
      const block = xCodec.parseBlock(bytes);
      expect(Buffer.from(xCodec.makeBlock(block).bytes).equals(bytes), item.id).toBe(true);
      expect([formatId(block.id), Number(block.height)], item.id).toEqual([blockId, height]);
      expect(xCodec.blockJson(block, jsonContext(item)), item.id).toBe(JSON.stringify(json));
    }
  });

  test("begin with one that follows from the stop vertex and the time of Cortina", () => {
    for (const item of itemsOf("first-block", "X")) {
      const { times, cortinaXChainStopVertexId } = (item.network === "mainnet" ? mainnet : fuji).upgrades;
      const block = { parentId: cortinaXChainStopVertexId, height: 0n, time: times.cortina, merkleRoot: EMPTY_ID, txs: [] };
      expect(formatId(xCodec.makeBlock(block).id), item.id).toBe(stated<{ blockId: string }>(item).blockId);
    }
    expect(itemsOf("first-block", "X")).toHaveLength(2);
  });
});

test("a vertex has the stated height, parents and transactions, which keep the rules of mainnet", () => {
  const [item] = itemsOf("vertex");
  // whether the source gave a checksum with the bytes; the set has none
  const { checksum: _, ...contents } = stated<{ height: number; parents: string[]; txIds: string[]; checksum: boolean }>(item!);
  const bytes = bytesIn(item!);
  const { height, parentIds, txIds } = vertexContents(bytes);
  expect({ height: Number(height), parents: parentIds.map(formatId), txIds: txIds.map(formatId) }).toEqual(contents);
  const { txs } = parseVertex(bytes, {
    networkId: mainnet.networkId,
    chain: 1,
    chainId: parseId("2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM"),
    feeAssetId: parseId("FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z"),
    txFee: mainnet.txFee,
    createAssetTxFee: mainnet.createAssetTxFee,
    codec: xCodec,
  });
  for (const tx of txs) {
    const again = encodeVersioned(xCodec.tx, { unsigned: tx.unsigned, credentials: tx.credentials } as never);
    expect(contents.txIds).toContain(formatId(sha256Hex(again)));
  }
});

describe("UTXOs", () => {
  test("of the X-chain decode, encode to their bytes, and have the stated ID and owners", () => {
    const [item] = itemsOf("utxo", "X");
    const known = stated<{ encoded: string; utxoId: string; owners: string[] }>(item!);
    const bytes = bytesIn(item!);
    const utxo = decodeAll(xCodec.utxo, bytes.subarray(2));
    expect(encodeHexChecksummed(Buffer.concat([bytes.subarray(0, 2), encodeAll(xCodec.utxo, utxo)]))).toBe(known.encoded);
    expect(formatId(utxoIdOf(utxo))).toBe(known.utxoId);
    const { addresses } = utxo.output as unknown as { addresses: string[] };
    expect(addresses.map(jsonContext(item!).address)).toEqual(known.owners);
  });

  test("have the IDs that explorers and data warehouses name, by transaction and position", () => {
    interface Named {
      readonly utxoId: string;
      readonly txId: string;
      readonly outputIndex: number;
    }
    const named = [...itemsOf("explorer-tx"), ...itemsOf("data-api-tx"), ...itemsOf("utxo-row")].flatMap((item) => {
      const { utxos } = stated<{ utxos?: readonly Named[] }>(item);
      return (utxos ?? [stated<Named>(item)]).map((utxo) => ({ item, ...utxo }));
    });
    expect(named.length).toBeGreaterThan(80);
    for (const { item, txId, outputIndex, utxoId: known } of named) {
      expect(formatId(utxoId(parseId(txId), outputIndex)), item.id).toBe(known);
    }
  });
});

interface ShownUtxo {
  readonly outputIndex: string;
  readonly addresses: readonly string[];
  readonly asset: { readonly assetId: string; readonly amount: string };
  readonly locktime: number;
  readonly threshold: number;
}

test("transactions have the type and the outputs that the hosted Data API shows", () => {
  const shown = itemsOf("data-api-tx");
  expect(shown).toHaveLength(3);
  for (const item of shown) {
    const { txType, emittedUtxos } = stated<{ answer: { txType: string; emittedUtxos: readonly ShownUtxo[] } }>(item).answer;
    const { unsigned } = xCodec.parseTx(bytesIn(item));
    const outputs = [...unsigned.outputs, ...("exportedOutputs" in unsigned ? unsigned.exportedOutputs : [])].map((made, index) => {
      const { amount, locktime, threshold, addresses } = made.output as unknown as TransferOutput;
      return {
        outputIndex: `${index}`,
        addresses: addresses.map((address) => encodeBech32("fuji", address)),
        asset: { assetId: formatId(made.assetId), amount: `${amount}` },
        locktime: Number(locktime),
        threshold,
      };
    });
    expect(unsigned.kind, item.id).toBe(txType);
    expect(outputs, item.id).toMatchObject(
      emittedUtxos.map(({ outputIndex, addresses, asset: { assetId, amount }, locktime, threshold }) => ({
        ...{ outputIndex, addresses, asset: { assetId, amount }, locktime, threshold },
      })),
    );
  }
});
