/** What it costs to say who signed for outputs that were spent in large blocks. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { credentialsOf } from "../../../../src/api/data/utxos/credentials.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../../../src/base/limits.ts";
import { publicKeyOf } from "../../../../src/base/signatures/secp256k1.ts";
import { storedInBlock } from "../../../../src/base/table/table.ts";
import { View } from "../../../../src/base/table/view.ts";
import { RequestWork } from "../../../../src/base/work/work.ts";
import { assetTxs } from "../../../../src/chains/asset/tables.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import { X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { xChainCodec } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { blocks } from "../../../../src/index/tables.ts";
import { BudgetedReader } from "../../../../src/store/budgeted-reader.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { base, sign } from "../../../chains/asset/wallet.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { scratchDirectory } from "../../../store/scratch.ts";

/** of a message */
const LARGEST_BLOCK = 256 * 1024;
/** together they are larger than what a request may read */
const BLOCKS = Math.ceil(DEFAULT_LIMITS.requestBytes / LARGEST_BLOCK) + 10;

const privateKey = Buffer.alloc(32, 7);
const codec = xChainCodec(network);
const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });

/** It consumes one output. */
function spending(outputIndex: number): SignedTx {
  const { avaxAssetId: assetId, xChainId } = network;
  const input = { kind: "secp256k1.TransferInput" as const, amount: 1n, signatureIndices: [0] };
  const inputs = [{ txId: assetId, outputIndex, assetId, input }];
  return sign(codec, { kind: "BaseTx", ...base(xChainId, { inputs }) }, [{ keys: [{ privateKey }] as never }]);
}

const txs = Array.from({ length: BLOCKS }, (_, i) => spending(i));

beforeAll(async () => {
  const view = new View();
  const empty = Buffer.alloc(0);
  for (const [i, { id: txId, bytes }] of txs.entries()) {
    const height = BigInt(i + 1);
    const block = Buffer.alloc(LARGEST_BLOCK, i);
    bytes.subarray(2).forEach((byte, at) => {
      block[1000 + i + at] = byte;
    });
    const row = { blockId: txId, containerId: EMPTY_ID, head: empty, bytes: block, tail: empty, acceptedAt: 0n };
    view.put(blocks, { chainId: network.xChainId, height }, row);
    view.put(assetTxs, { chain: 0, txId }, { height, index: BigInt(i), ...storedInBlock(bytes, 1000 + i) });
  }
  await store.commit(view.drain());
});
afterAll(() => store.close());

test("Outputs that were spent in many large blocks cost their spending transactions, not the blocks", async () => {
  const spent = txs.map(({ id: txId }, i) => ({ txId, inputIndex: 0, chain: X_CHAIN, height: BigInt(i + 1), timestamp: 0n }));
  const work = new RequestWork();
  const limits = { requestRows: 3 * BLOCKS, requestBytes: 1000 * BLOCKS };
  const reader = new BudgetedReader(store, work, limits);
  const publicKey = Buffer.from(publicKeyOf(privateKey)).toString("base64").replace(/=+$/, "");
  const found = await credentialsOf(spent, { reader, network, work });
  expect(found).toHaveLength(BLOCKS);
  for (const credentials of found) expect(credentials).toEqual([{ signature: expect.any(String), publicKey }]);
});
