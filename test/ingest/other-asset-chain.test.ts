/** The whole life of an asset chain other than X: created by a P-chain block, its blocks imported, rebuilt, and served under its ID. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../src/base/bytes/address.ts";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import { EMPTY_ID, nameId, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { View } from "../../src/base/table/view.ts";
import { AssetChain } from "../../src/chains/asset/chain.ts";
import type { TransferOutput } from "../../src/chains/asset/fx/secp256k1.ts";
import { encodeBlock } from "../../src/chains/platform/block.ts";
import { genesisBlock } from "../../src/chains/platform/genesis/genesis-state.ts";
import { type UnsignedTx, unsignedTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";
import { readConfig } from "../../src/cli/config.ts";
import { importRecording } from "../../src/cli/store/import-recording.ts";
import { reindexCommand } from "../../src/cli/store/reindex.ts";
import {
  base,
  genesisBytes,
  key,
  NFT_FX,
  ownedBy,
  PROPERTY_FX,
  SECP256K1_FX,
  sign,
  spending,
  transferOutput,
} from "../chains/asset/wallet.ts";
import { recordedNetwork } from "../conformance/platform/recorded-network.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { serveHere } from "../serve/serve-here.ts";
import { scratchDirectory } from "../store/scratch.ts";

const recording = recordingFolder("p-eras-old");
const network = recordedNetwork(recording);
const { networkId } = network;
const [ada, bob] = [key("ada"), key("bob")];
const FX_IDS = [NFT_FX, PROPERTY_FX, SECP256K1_FX];
const AMOUNT = 10n * network.txFee;

/** Nobody has to sign for the subnet. */
function creation() {
  const nothing = { networkId, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo: new Uint8Array() };
  const owner = { kind: "OutputOwners" as const, locktime: 0n, threshold: 0, addresses: [] };
  const subnet = assemble(unsignedTx, { kind: "CreateSubnetTx", ...nothing, owner } as UnsignedTx, []);
  const codec = new AssetChain(network, new View(), { chain: 1, chainId: EMPTY_ID, fxIds: FX_IDS }).codec;
  const genesisData = genesisBytes(codec, [transferOutput(AMOUNT, ownedBy(ada))], FX_IDS.indexOf(SECP256K1_FX));
  const fields = { chainName: "second", vmId: nameId("avm"), fxIds: FX_IDS, genesisData };
  const subnetAuthorization = { kind: "Input" as const, signatureIndices: [] };
  const chain = assemble(
    unsignedTx,
    { kind: "CreateChainTx", ...nothing, subnetId: subnet.id, ...fields, subnetAuthorization } as UnsignedTx,
    [{ kind: "Credential", signatures: [] }],
  );
  return { subnet, chain, codec, feeAssetId: codec.makeTx({ kind: "CreateAssetTx", ...codec.parseGenesis(genesisData)[0]! }, []).id };
}

const { subnet, chain, codec, feeAssetId } = creation();
const chainId = chain.id;

/** One block of P that creates the chain, and one of the chain that pays bob. */
function writeRecording(): string {
  const folder = scratchDirectory();
  mkdirSync(join(folder, "blocks"));
  for (const name of ["network.json", "genesis-P.hex"]) writeFileSync(join(folder, name), readFileSync(join(recording, name)));
  const parentId = genesisBlock(network).id;
  const created = encodeBlock({ kind: "ApricotStandardBlock", parentId, height: 1n, txs: [subnet, chain] });
  writeLine(folder, "P", created, sha256Hex(created), network.upgrades.times.cortina);
  const block = codec.makeBlock({
    parentId: firstBlockId(),
    height: 1n,
    time: network.upgrades.times.cortina + 5n,
    merkleRoot: EMPTY_ID,
    txs: [payment()],
  });
  writeLine(folder, formatId(chainId), block.bytes, block.id, network.upgrades.times.cortina + 6n);
  return folder;
}

function writeLine(folder: string, name: string, bytes: Uint8Array, id: string, acceptedAt: bigint): void {
  const line = { height: 1, id: formatId(id), bytes: `0x${Buffer.from(bytes).toString("hex")}`, acceptedAt: Number(acceptedAt) };
  writeFileSync(join(folder, `blocks/${name}.jsonl`), JSON.stringify(line));
}

/** Block 0 stands on the stop vertex of an empty DAG. */
function firstBlockId(): string {
  const stopVertex = Buffer.concat([Buffer.from("0001", "hex"), Buffer.from(chainId, "hex"), Buffer.alloc(12)]);
  const time = network.upgrades.times.cortina;
  return codec.makeBlock({ parentId: sha256Hex(stopVertex), height: 0n, time, merkleRoot: EMPTY_ID, txs: [] }).id;
}

function payment() {
  const coin = { txId: feeAssetId, outputIndex: 0, assetId: feeAssetId, output: transferOutput(AMOUNT, ownedBy(ada)) as TransferOutput };
  const outputs = [{ assetId: feeAssetId, output: transferOutput(AMOUNT - network.txFee, ownedBy(bob)) }];
  return sign(codec, { kind: "BaseTx", ...base(chainId, { inputs: [spending(coin)], outputs }), networkId }, [{ keys: [ada] }]);
}

const configOf = (dataDir: string, flags: Record<string, string> = {}) =>
  readConfig({ flags: { dataDir, logLevel: "silent", ...flags }, environment: {}, file: undefined });

async function importInto(directory: string, flags: Record<string, string> = {}): Promise<string> {
  return importRecording(writeRecording(), configOf(directory, flags), new AbortController().signal);
}

describe("an asset chain that a P-chain block creates", () => {
  test("is executed from its own blocks, in any batches, and rebuilt to the same rows", async () => {
    const [whole, single] = [scratchDirectory(), scratchDirectory()];
    expect(await importInto(whole)).toMatch(/^2 blocks, 3 transactions/);
    await importInto(single, { batchBlocks: "1" });
    const rows = await storeRows(whole);
    expect(firstDifference(await storeRows(single), rows)).toBeUndefined();
    await reindexCommand.run({ config: configOf(whole), args: [], options: {}, signal: new AbortController().signal });
    expect(firstDifference(await storeRows(whole), rows)).toBeUndefined();
  });

  test("is served under its ID, which begins its addresses", async () => {
    const directory = scratchDirectory();
    await importInto(directory);
    const running = await serveHere(directory);
    try {
      const alias = formatId(chainId);
      const call = async (method: string, params: object) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: `avm.${method}`, params });
        const headers = { "content-type": "application/json" };
        const response = await fetch(new URL(`/ext/bc/${alias}`, running.url), { method: "POST", headers, body });
        return ((await response.json()) as { result: Record<string, unknown> }).result;
      };
      const address = formatAddress(alias, network.hrp, bob.address);
      expect(await call("getHeight", {})).toEqual({ height: "1" });
      expect(await call("getUTXOs", { addresses: [address] })).toMatchObject({ numFetched: "1", endIndex: { address } });
      expect(await call("getBalance", { address, assetID: "FEE" })).toMatchObject({ balance: `${AMOUNT - network.txFee}` });
      expect(await call("getTx", { txID: formatId(payment().id), encoding: "json" })).toMatchObject({
        tx: { unsignedTx: { blockchainID: alias, outputs: [{ output: { addresses: [address] } }] } },
      });
    } finally {
      await running.stop();
    }
  });
});
