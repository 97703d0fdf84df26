/** The C-chain's headers and atomic transactions of mainnet and Fuji, and a block of an L1 that runs Subnet-EVM. */

import { describe, expect, test } from "vitest";
import { checksumHex, formatId } from "../../../src/base/bytes/cb58.ts";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { readRlp, rlpItems } from "../../../src/base/codec/rlp.ts";
import { hashExtraData } from "../../../src/chains/atomic/block.ts";
import { genesisBlocks } from "../../../src/chains/atomic/genesis-block.ts";
import { type AtomicTx, encodeAtomicTx, encodeExtraData, parseAtomicTx, parseExtraData } from "../../../src/chains/atomic/tx.ts";
import { parseGenesis } from "../../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { encodeSubnetEvmBlock, parseSubnetEvmBlock } from "../../../src/chains/subnet-evm/block.ts";
import { parseGenesisFile } from "../../../src/network/genesis-file.ts";
import { fuji } from "../../../src/network/presets.ts";
import { AnswerObject } from "../../../src/sources/evm/parser/answer-object.ts";
import { orderedRoot } from "../../../src/sources/evm/parser/hex-rlp.ts";
import {
  C_CHAIN_FIELDS,
  encodeHeaderFields,
  encodeSignedTransaction,
  type HeaderFields,
} from "../../../src/sources/evm/parser/rlp-forms.ts";
import { readText } from "../json-lines.ts";
import { bytesIn, type Item, itemsOf, realFolder, stated } from "./items.ts";

const hashOf = (bytes: Uint8Array) => `0x${keccak256(bytes).toString("hex")}`;

test("transactions of the C-chain encode to their bytes, have the stated ID, checksum and hash of extra data", () => {
  const txs = itemsOf("tx", "C");
  expect(txs).toHaveLength(13);
  for (const item of txs) {
    const { id, checksum, extDataHash } = stated<{ id?: string; checksum?: string; extDataHash?: string }>(item);
    const bytes = bytesIn(item);
    const tx = parseAtomicTx(bytes);
    expect(encodeAtomicTx(tx).equals(bytes), item.id).toBe(true);
    if (id !== undefined) expect(formatId(tx.id), item.id).toBe(id);
    if (checksum !== undefined) expect(checksumHex(bytes), item.id).toBe(checksum);
    // of a block before Apricot Phase 5, whose extra data is the transaction
    if (extDataHash !== undefined) expect(`0x${hashExtraData(bytes)}`, item.id).toBe(extDataHash);
  }
});

describe("the extra data of mainnet's blocks", () => {
  test("has the stated transactions, with all members, and encodes to its bytes", () => {
    const batches = itemsOf("batch");
    expect(batches).toHaveLength(47);
    for (const item of batches) {
      const { dataLength, txCount, transactions: known } = stated<{ dataLength: number; txCount: number; transactions: object[] }>(item);
      const bytes = bytesIn(item);
      const txs = parseExtraData(bytes, { isBatch: true });
      expect([bytes.length, txs.length], item.id).toEqual([dataLength, txCount]);
      expect(encodeExtraData(txs).equals(bytes), item.id).toBe(true);
      expect(
        txs.every((tx) => encodeAtomicTx(tx).equals(tx.bytes)),
        item.id,
      ).toBe(true);
      expect(txs.map(shown), item.id).toEqual(known);
    }
  });
});

/** As the source of the items shows a transaction. */
function shown({ id, unsigned, credentials }: AtomicTx, index: number): object {
  const common = { index, id: `0x${id}`, type: unsigned.kind, networkId: unsigned.networkId, blockchainId: `0x${unsigned.blockchainId}` };
  const counted = { ...common, credentialCount: credentials.length };
  if (unsigned.kind === "ImportTx") {
    const inputs = unsigned.importedInputs.map(({ txId, outputIndex, assetId, input }, at) => ({
      ...{ index: at, utxoTxId: `0x${txId}`, utxoIndex: outputIndex, amount: Number(input.amount), assetId: `0x${assetId}` },
    }));
    return { ...counted, sourceChain: `0x${unsigned.sourceChain}`, inputs, outputs: unsigned.outputs.map(account) };
  }
  const outputs = unsigned.exportedOutputs.map(({ assetId, output }, at) => ({
    ...{ index: at, amount: Number(output.amount), assetId: `0x${assetId}` },
  }));
  return { ...counted, destinationChain: `0x${unsigned.destinationChain}`, inputs: unsigned.inputs.map(account), outputs };
}

function account(
  { address, amount, assetId, nonce }: { address: string; amount: bigint; assetId: string; nonce?: bigint },
  index: number,
): object {
  return {
    index,
    address: `0x${address}`,
    amount: Number(amount),
    assetId: `0x${assetId}`,
    ...(nonce !== undefined && { nonce: Number(nonce) }),
  };
}

describe("headers", () => {
  test("of the C-chain have the hash that the node states, from Apricot Phase 3 until Helicon", () => {
    const headers = itemsOf("c-header");
    const counts = headers.map((item) => {
      const header = encodeHeaderFields(new AnswerObject(item.json, item.id), C_CHAIN_FIELDS);
      expect(hashOf(header), item.id).toBe(stated<{ hash: string }>(item).hash);
      return [Number(item.json!.number), rlpItems(readRlp(header)).length];
    });
    expect(Object.fromEntries(counts)).toEqual({ 5000000: 19, 5760288: 19, 58917766: 30, 87416576: 24 });
  });

  test("and transactions of an L1 that runs Subnet-EVM make the stated block", () => {
    const [item] = itemsOf("subnet-evm-block");
    const known = stated<{ hash: string; transactionsRoot: string; size: string }>(item!);
    const transactions = (item!.json!.transactions as object[]).map((tx) => encodeSignedTransaction(new AnswerObject(tx, item!.id)));
    const header = encodeHeaderFields(new AnswerObject(item!.json, item!.id), SUBNET_EVM_FIELDS);
    const bytes = encodeSubnetEvmBlock({ header, transactions });
    const block = parseSubnetEvmBlock(bytes);
    expect([
      `0x${block.id}`,
      `0x${orderedRoot(block.transactions.map((each) => Buffer.from(each).toString("hex")))}`,
      bytes.length,
    ]).toEqual([known.hash, known.transactionsRoot, Number(known.size)]);
  });
});

/** What Subnet-EVM adds to the C-chain's common fields, in its own order. */
const SUBNET_EVM_FIELDS: HeaderFields = [
  ...C_CHAIN_FIELDS.slice(0, 15),
  ...["baseFeePerGas", "blockGasCost", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot"].map(
    (named) => C_CHAIN_FIELDS.find(({ name }) => name === named)!,
  ),
];

test("EVM transactions have the hash that the node states", () => {
  const txs = itemsOf("evm-tx");
  expect(txs).toHaveLength(3);
  for (const item of txs) expect(hashOf(encodeSignedTransaction(new AnswerObject(item.json, item.id))), item.id).toBe(hashStated(item));
});

const hashStated = (item: Item) => stated<{ hash: string }>(item).hash;

test("block 0 of mainnet and Fuji has the stated hash", () => {
  const genesisBytes = buildGenesis(parseGenesisFile(readText(realFolder, "genesis_fuji.json")));
  const { genesisData } = parseGenesis(genesisBytes).chains[1]!.unsigned;
  const network = { ...fuji, genesisBytes, genesisId: EMPTY_ID, xChainId: EMPTY_ID, cChainId: EMPTY_ID, avaxAssetId: EMPTY_ID };
  const steps = genesisBlocks(genesisData, network);
  let step = steps.next();
  while (!step.done) step = steps.next();
  expect(step.value.map(({ id }) => `0x${id}`)).toContain(hashStated(itemsOf("c-genesis")[0]!));
});
