/** The P-chain's blocks and transactions of mainnet and Fuji. */

import { describe, expect, test } from "vitest";
import { checksumHex, formatId, formatNodeId, parseId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { encodeHexChecksummed } from "../../../src/base/bytes/hex.ts";
import { encodeAll } from "../../../src/base/codec/codec.ts";
import { blockJson, blockTxs, encodeBlock, parseBlock } from "../../../src/chains/platform/block.ts";
import { encodeGenesis, parseGenesis } from "../../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { xChainGenesis } from "../../../src/chains/platform/genesis/genesis-x-chain.ts";
import { utxo } from "../../../src/chains/platform/output.ts";
import { decodeUtxo } from "../../../src/chains/platform/state/ledger-state.ts";
import { signedTx, txJson, unsignedTx } from "../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../src/chains/platform/tx/signed.ts";
import { parseL1Message } from "../../../src/chains/platform/warp/l1-messages.ts";
import {
  encodeWarpMessage,
  encodeWarpPayload,
  parseUnsignedWarpMessage,
  parseWarpMessage,
  parseWarpPayload,
  unsignedWarpBytes,
} from "../../../src/chains/platform/warp/message.ts";
import { parseGenesisFile } from "../../../src/network/genesis-file.ts";
import { fuji, mainnet, publicGenesis } from "../../../src/network/presets.ts";
import { unwrapBlock, wrapOption } from "../../../src/network/proposervm.ts";
import { readText } from "../json-lines.ts";
import { bytesIn, type Item, isPlatformBlock, items, itemsOf, jsonContext, realFolder, stated, transactions } from "./items.ts";

interface StatedTx {
  readonly id: string;
  readonly json?: object;
  readonly checksum?: string | true;
}

test("there are as many items as were found, each with its source", () => {
  const counts: Record<string, number> = {};
  for (const { origin } of items) counts[origin] = (counts[origin] ?? 0) + 1;
  expect(counts).toEqual({ "on-chain": 136, "id-stated": 33, "id-linked": 2, "rpc-answer": 470 });
  expect(items.filter(({ repo, path }) => !/^[\w.-]+\/[\w.-]+$/.test(repo) || path === "")).toEqual([]);
});

describe("transactions of the P-chain", () => {
  test("encode to their bytes, have the stated ID, checksum and JSON", () => {
    const found = transactions().filter(
      ({ item, platform }) => platform !== undefined && item.kind !== "container" && item.kind !== "block",
    );
    expect(found.length).toBeGreaterThanOrEqual(23);
    for (const { item, platform: tx } of found) {
      const { id, json, checksum } = stated<StatedTx>(item);
      const bytes = bytesIn(item);
      expect(assemble(unsignedTx, tx!.unsigned, [...tx!.credentials]).bytes.equals(bytes), item.id).toBe(true);
      expect(formatId(tx!.id), item.id).toBe(id);
      if (checksum !== undefined) expect(checksumHex(bytes), item.id).toBe(checksum);
      if (json !== undefined) expect(txJson(tx!, jsonContext(item)), item.id).toBe(JSON.stringify(json));
    }
  });
});

interface StatedContainer {
  readonly containerId: string;
  readonly blockId: string;
  readonly blockType: string;
  readonly parentId: string;
  readonly height: number;
  readonly timestampMs: number;
  readonly txs: readonly object[];
}

describe("blocks of the P-chain", () => {
  test("in containers of every kind until Apricot have the stated IDs, and are wrapped again to the same bytes", () => {
    const containers = itemsOf("container");
    expect(containers).toHaveLength(19);
    for (const item of containers) {
      const known = stated<StatedContainer>(item);
      const bytes = bytesIn(item);
      const { containerId, head, inner, tail, header } = unwrapBlock(bytes, isPlatformBlock);
      const block = parseBlock(inner);
      expect(Buffer.concat([head, inner, tail]).equals(bytes), item.id).toBe(true);
      expect(encodeBlock(block).equals(inner), item.id).toBe(true);
      expect(formatId(containerId), item.id).toBe(known.containerId);
      expect([formatId(block.id), formatId(block.parentId), Number(block.height)], item.id).toEqual([
        known.blockId,
        known.parentId,
        known.height,
      ]);
      expect(block.kind, item.id).toBe(known.blockType);
      if (header?.timestamp !== undefined) expect(Number(header.timestamp) * 1000, item.id).toBe(known.timestampMs);
      else if (header !== undefined) expect(wrapOption(header.parentId, inner).equals(bytes), item.id).toBe(true);
      const txs = blockTxs(block).map((tx) => JSON.parse(txJson(tx, jsonContext(item))) as object);
      expect(txs, item.id).toEqual(known.txs);
    }
  });

  test("in the node's documentation have the stated ID and parts", () => {
    const blocks = itemsOf("block", "P");
    expect(blocks).toHaveLength(3);
    for (const item of blocks) {
      const { blockId, height, encoded, docJson } = stated<{
        blockId?: string;
        height?: number;
        encoded: string;
        docJson?: DocumentedBlock;
      }>(item);
      const bytes = bytesIn(item);
      const block = parseBlock(bytes);
      expect(encodeBlock(block).equals(bytes), item.id).toBe(true);
      expect(encodeHexChecksummed(bytes), item.id).toBe(encoded);
      if (blockId !== undefined) expect(formatId(block.id), item.id).toBe(blockId);
      if (height !== undefined) expect(Number(block.height), item.id).toBe(height);
      if (docJson !== undefined) expect(JSON.parse(blockJson(block, jsonContext(item))), item.id).toMatchObject(asToday(docJson));
    }
  });

  test("the first one follows from the ID of the network's genesis", () => {
    for (const item of itemsOf("first-block", "P")) {
      const { genesisId } = publicGenesis((item.network === "mainnet" ? mainnet : fuji).networkId)!;
      const bytes = encodeBlock({ kind: "ApricotCommitBlock", parentId: genesisId, height: 0n });
      expect(formatId(sha256Hex(bytes)), item.id).toBe(stated<{ blockId: string }>(item).blockId);
    }
    expect(itemsOf("first-block", "P")).toHaveLength(2);
  });
});

interface DocumentedBlock {
  readonly txs: readonly { readonly unsignedTx: { readonly inputs: object } }[];
}

/** The documentation shows the form of an old release: the members of a base transaction are one of the transaction's own. */
function asToday({ txs, ...block }: DocumentedBlock): object {
  return { ...block, txs: txs.map(({ unsignedTx: { inputs, ...own }, ...tx }) => ({ ...tx, unsignedTx: { ...own, ...inputs } })) };
}

interface StatedGenesis {
  readonly pChainGenesisBlockID: string;
  readonly pChainBytesSha256Hex: string;
  readonly xBlockchainID: string;
  readonly cBlockchainID: string;
  readonly avaxAssetID: string;
  readonly pChainBytesLen: number;
}

interface StatedGenesisTxs {
  readonly parent: string;
  readonly message: string;
  readonly timestamp: number;
  readonly initialSupply: number;
  readonly txs: readonly object[];
}

describe("the genesis", () => {
  const config = parseGenesisFile(readText(realFolder, "genesis_fuji.json"));
  const bytes = buildGenesis(config);
  const { chains, validators, message, timestamp, initialSupply } = parseGenesis(bytes);

  test("of both networks has the ID that their containers begin with", () => {
    for (const item of itemsOf("genesis")) {
      const { pChainGenesisBlockID, pChainBytesSha256Hex } = stated<StatedGenesis>(item);
      const { genesisId } = publicGenesis((item.network === "mainnet" ? mainnet : fuji).networkId)!;
      expect([formatId(genesisId), genesisId], item.id).toEqual([pChainGenesisBlockID, pChainBytesSha256Hex]);
    }
    const parents = itemsOf("genesis-txs").map((item) => [item.network, stated<StatedGenesisTxs>(item).parent]);
    const ids = itemsOf("genesis").map((item) => [item.network, stated<StatedGenesis>(item).pChainGenesisBlockID]);
    expect(Object.fromEntries(parents)).toEqual(Object.fromEntries(ids));
  });

  test("of Fuji has the stated bytes, chains and asset", () => {
    const [known] = itemsOf("genesis").filter(({ network }) => network === "fuji");
    const { pChainBytesLen, pChainBytesSha256Hex, xBlockchainID, cBlockchainID, avaxAssetID } = stated<StatedGenesis>(known!);
    expect([bytes.length, sha256Hex(bytes)]).toEqual([pChainBytesLen, pChainBytesSha256Hex]);
    expect(chains.map(({ id }) => formatId(id))).toEqual([xBlockchainID, cBlockchainID]);
    expect(formatId(xChainGenesis(config).avaxAssetId)).toBe(avaxAssetID);
    expect(encodeGenesis(parseGenesis(bytes)).equals(bytes)).toBe(true);
  });

  test("of Fuji has the stated transactions", () => {
    const [item] = itemsOf("genesis-txs").filter(({ network }) => network === "fuji");
    const known = stated<StatedGenesisTxs>(item!);
    expect([message, Number(timestamp), initialSupply]).toEqual([known.message, known.timestamp, BigInt(known.initialSupply)]);
    const shown = [...validators, ...chains].map((tx) => JSON.parse(signedTx.json(tx as never, jsonContext(item!))) as object);
    expect(shown.map(withoutGenesisData)).toEqual(known.txs.map(withoutGenesisData));
  });
});

/** The source leaves the genesis of chains out. */
function withoutGenesisData(tx: object): object {
  const { unsignedTx: unsigned, ...rest } = tx as { unsignedTx: { genesisData?: string } };
  const { genesisData: _, ...kept } = unsigned;
  return { ...rest, unsignedTx: kept };
}

describe("UTXOs of the P-chain", () => {
  test("decode, and encode to their bytes", () => {
    const utxos = itemsOf("utxo", "P");
    expect(utxos).toHaveLength(5);
    for (const item of utxos) {
      const bytes = bytesIn(item);
      expect(bytes.readUInt16BE(0), item.id).toBe(0);
      const again = encodeAll(utxo, decodeUtxo(bytes.subarray(2)));
      expect(encodeHexChecksummed(Buffer.concat([bytes.subarray(0, 2), again])), item.id).toBe(stated<{ encoded: string }>(item).encoded);
    }
  });
});

interface StatedWarp {
  readonly form: "unsigned" | "signed";
  readonly sourceChainId?: string;
  readonly message?: Readonly<Record<string, string | boolean>>;
}

describe("Warp messages", () => {
  test("encode to their bytes and say what is stated", () => {
    const messages = itemsOf("warp");
    expect(messages).toHaveLength(6);
    for (const item of messages) {
      const { form, sourceChainId, message } = stated<StatedWarp>(item);
      const bytes = bytesIn(item);
      const read = form === "signed" ? parseWarpMessage(bytes) : parseUnsignedWarpMessage(bytes);
      const again = form === "signed" ? encodeWarpMessage(parseWarpMessage(bytes)) : unsignedWarpBytes(read);
      expect(again.equals(bytes), item.id).toBe(true);
      expect(read.networkId, item.id).toBe(item.network === "mainnet" ? 1 : 5);
      if (sourceChainId !== undefined) expect(read.sourceChainId, item.id).toBe(parseId(sourceChainId));
      const payload = parseWarpPayload(read.payload);
      expect(encodeWarpPayload(payload).equals(read.payload), item.id).toBe(true);
      if (message !== undefined && payload.kind === "AddressedCall") expect(l1Message(item, payload.payload), item.id).toEqual(message);
    }
    expect(messages.filter((item) => stated<StatedWarp>(item).message !== undefined)).toHaveLength(2);
  });
});

function l1Message(item: Item, bytes: Uint8Array): object {
  const message = parseL1Message(bytes);
  if (message.kind === "L1ValidatorRegistration") {
    return { kind: message.kind, validationID: formatId(message.validationId), registered: message.registered };
  }
  if (message.kind !== "RegisterL1Validator") throw new Error(`${item.id} is another message`);
  const { kind, subnetId, nodeId, blsPublicKey, expiry, weight, disableOwner } = message;
  const owner = jsonContext({ ...item, chain: "P" }).address(disableOwner.addresses[0]!);
  const nodeID = formatNodeId(Buffer.from(nodeId).toString("hex"));
  return { kind, subnetID: formatId(subnetId), nodeID, blsPublicKey, expiry: `${expiry}`, owner, weight: `${weight}` };
}
