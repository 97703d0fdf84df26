/** UTXOs in the two forms of the Data API: samples of the live service, and every member that depends on the UTXO. */

import { PChainUtxo$inboundSchema } from "@avalanche-sdk/chainkit/models/components/pchainutxo.js";
import { Utxo$inboundSchema } from "@avalanche-sdk/chainkit/models/components/utxo.js";
import { describe, expect, test } from "vitest";
import { readCredential } from "../../../../src/api/data/utxos/credentials.ts";
import { presentAssetUtxos, presentPlatformUtxos } from "../../../../src/api/data/utxos/present.ts";
import { decodeBech32 } from "../../../../src/base/bytes/bech32.ts";
import { formatId, parseId } from "../../../../src/base/bytes/cb58.ts";
import { sha256 } from "../../../../src/base/bytes/hash.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeAll } from "../../../../src/base/codec/codec.ts";
import { publicKeyOf, signDigest } from "../../../../src/base/signatures/secp256k1.ts";
import { RequestWork } from "../../../../src/base/work/work.ts";
import { exportedUtxo } from "../../../../src/chains/atomic/tx.ts";
import { utxo as platformUtxo } from "../../../../src/chains/platform/output.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import type { UtxoRecord } from "../../../../src/index/primary/transactions/tx-effects.ts";
import { xChainCodec } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { NO_REWARD, VALIDATOR_FEE_REWARD } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import type { StoreReader } from "../../../../src/store/store.ts";
import { network as localNetwork } from "../../../index/primary/utxos/utxo-world.ts";
import { smallNetwork } from "../../../serve/small-store.ts";

const nothing: StoreReader = {
  get: async () => undefined,
  getMany: async (_, keys) => keys.map(() => undefined),
  getParts: async (_table, _column, parts) => parts.map(() => undefined),
  scan: async () => [],
};

const AVAX = "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z";
const P_ID = "11111111111111111111111111111111LpoYY";
const C_ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";
const OWNER = "avax19zfygxaf59stehzedhxjesads0p5jdvfeedal0";
const mainnet: NetworkInstance = { ...smallNetwork, avaxAssetId: parseId(AVAX), cChainId: parseId(C_ID) };

const asset = { assetId: AVAX, name: "Avalanche", symbol: "AVAX", denomination: 9, type: "secp256k1" };

function hexOf(address: string): string {
  return decodeBech32(address).bytes.toString("hex");
}

/** A record of an output on the P-chain to one owner. */
function platformRecord(
  txId: string,
  { amount = 5n, locktime = 0n, stakeableLocktime = undefined as bigint | undefined, outputIndex = 1, network = mainnet },
  record: Partial<UtxoRecord> = {},
): { utxoId: string; record: UtxoRecord } {
  const addresses = [hexOf(OWNER)];
  const plain = { kind: "TransferOutput" as const, amount, locktime, threshold: 1, addresses };
  const output = stakeableLocktime === undefined ? plain : { kind: "LockOut" as const, locktime: stakeableLocktime, output: plain };
  const bytes = encodeAll(platformUtxo, { txId, outputIndex, assetId: network.avaxAssetId, output });
  return { utxoId: utxoId(txId, outputIndex), record: { ...RECORD, bytes, ...record } };
}

const RECORD: Omit<UtxoRecord, "bytes"> = {
  ...{ createdOn: P_CHAIN, consumedOn: P_CHAIN, height: 7n, timestamp: 70n, reward: NO_REWARD, stake: undefined, spent: undefined },
};
const TX = "ab".repeat(32);
const SPENT = { txId: "cd".repeat(32), chain: P_CHAIN, height: 9n, timestamp: 90n, inputIndex: 0 };

async function platformForm(utxo: { utxoId: string; record: UtxoRecord }, options = {}) {
  const [shown] = await presentPlatformUtxos([utxo], { reader: nothing, network: mainnet, work: new RequestWork() }, options);
  const json = JSON.parse(JSON.stringify(shown, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
  expect(PChainUtxo$inboundSchema.parse(json)).toBeDefined();
  return json;
}

describe("the form of the P-chain", () => {
  test("a staked output is what the live service says of it", async () => {
    const stake = { start: 1765251574n, end: 1766615565n, isActive: true };
    const at = { height: 23612345n, timestamp: 1765251574n };
    const txHash = "2ukSToGPVgxHmgUzbGt3mJRVCJWV5nQv66uGirx38x7CxuuHmj";
    const { utxoBytes, ...shown } = await platformForm(platformRecord(parseId(txHash), { amount: 701813645564n }, { ...at, stake }));
    expect(shown).toEqual({
      addresses: [OWNER],
      asset: { ...asset, amount: "701813645564" },
      consumedOnChainId: P_ID,
      createdOnChainId: P_ID,
      utxoId: "FEvpuAMAh5NU9oyUC3Ypai24q7ZpWEuCZFJhG8oUTJph83Fob",
      amount: "701813645564",
      assetId: AVAX,
      blockNumber: "23612345",
      blockTimestamp: 1765251574,
      outputIndex: 1,
      txHash,
      utxoType: "TRANSFER",
      threshold: 1,
      platformLocktime: 0,
      staked: true,
      utxoStartTimestamp: 1765251574,
      utxoEndTimestamp: 1766615565,
    });
    const bytes = Buffer.from(utxoBytes.slice(2), "hex");
    expect(sha256(bytes.subarray(0, -4)).subarray(-4)).toEqual(bytes.subarray(-4));
  });

  test("an exported output that was imported is what the live service says of it", async () => {
    const txHash = "PGGxiLLko7wBE5tRrSkJHSiH7fhPoASmfnMCmQtR4Stx5tb4P";
    const consumingTxHash = "o7qVVxToiD5SM9FprVENDJgfokxMVY7FHF9uD2tG9CZY1Lbnw";
    const spent = { txId: parseId(consumingTxHash), chain: C_CHAIN, height: 69780797n, timestamp: 1759623444n, inputIndex: 0 };
    const at = { height: 22799104n, timestamp: 1759623439n, consumedOn: C_CHAIN };
    const { utxoBytes, ...shown } = await platformForm(platformRecord(parseId(txHash), { amount: 2883855455977n }, { ...at, spent }));
    expect(shown).toEqual({
      addresses: [OWNER],
      asset: { ...asset, amount: "2883855455977" },
      consumedOnChainId: C_ID,
      createdOnChainId: P_ID,
      utxoId: "29TBrP58DXP1sN7XpMrB4wYqiyXqCFntTm6oLGjd9VHEVx5rfX",
      amount: "2883855455977",
      assetId: AVAX,
      blockNumber: "22799104",
      blockTimestamp: 1759623439,
      outputIndex: 1,
      txHash,
      utxoType: "TRANSFER",
      threshold: 1,
      staked: false,
      consumingTxHash,
      consumingBlockNumber: "69780797",
      consumingBlockTimestamp: 1759623444,
    });
    expect(utxoBytes).toMatch(/^0x0000/);
  });

  test("a reward has the ID that wallets compute of the staking transaction", () => {
    const staking = parseId("nYyHbbXA9J3ovnmVrRU5vSGWWsuy9ke8y9TCaGT9jBS8YYvxG");
    expect(formatId(utxoId(staking, 2))).toBe("2KFRpJq4e2pmNu6buZXJcjmcjprEAHjoabd3Y85rYj2nE4a5ph");
  });

  const plain = { platformLocktime: 0, utxoType: "TRANSFER", staked: false };
  test.each<[string, Parameters<typeof platformRecord>[1], Partial<UtxoRecord>, object, string[]]>([
    ["plain", {}, {}, plain, ["stakeableLocktime", "consumingTxHash", "consumingBlockNumber", "utxoStartTimestamp", "rewardType"]],
    ["behind a plain lock", { locktime: 44n }, {}, { ...plain, platformLocktime: 44 }, ["stakeableLocktime"]],
    [
      "behind a stakeable lock",
      { locktime: 44n, stakeableLocktime: 55n },
      {},
      { platformLocktime: 44, stakeableLocktime: 55, utxoType: "STAKE", staked: false },
      ["utxoStartTimestamp"],
    ],
    [
      "staked behind a stakeable lock",
      { stakeableLocktime: 55n },
      { stake: { start: 10n, end: 20n, isActive: true } },
      { stakeableLocktime: 55, utxoType: "STAKE", staked: true, utxoStartTimestamp: 10, utxoEndTimestamp: 20 },
      ["consumingTxHash", "consumingBlockNumber", "consumingBlockTimestamp"],
    ],
    [
      "staked once",
      {},
      { stake: { start: 10n, end: 20n, isActive: false } },
      plain,
      ["utxoStartTimestamp", "utxoEndTimestamp", "consumingTxHash"],
    ],
    [
      "spent",
      {},
      { spent: SPENT },
      { ...plain, consumingTxHash: formatId(SPENT.txId), consumingBlockNumber: "9", consumingBlockTimestamp: 90 },
      [],
    ],
    [
      "taken by a chain that the store does not hold",
      {},
      { consumedOn: C_CHAIN, spent: { ...SPENT, txId: EMPTY_ID, chain: C_CHAIN } },
      { utxoType: "TRANSFER", consumedOnChainId: C_ID, consumingBlockTimestamp: 90 },
      ["consumingTxHash", "platformLocktime"],
    ],
    ["a reward", {}, { reward: VALIDATOR_FEE_REWARD }, plain, ["rewardType"]],
    ["exported behind a lock", { locktime: 44n }, { consumedOn: C_CHAIN }, { platformLocktime: 44, consumedOnChainId: C_ID }, []],
    ["exported behind a plain lock", { locktime: 44n }, { consumedOn: C_CHAIN }, { consumedOnChainId: C_ID, platformLocktime: 44 }, []],
    ["exported, to be imported", {}, { consumedOn: C_CHAIN }, { consumedOnChainId: C_ID, createdOnChainId: P_ID }, ["platformLocktime"]],
  ])("of an output that is %s", async (_, output, record, members, absent) => {
    const shown = await platformForm(platformRecord(TX, output, record));
    expect(shown).toMatchObject({ ...members, blockNumber: "7", blockTimestamp: 70, txHash: formatId(TX), threshold: 1 });
    expect(Object.keys(shown).filter((name) => absent.includes(name))).toEqual([]);
    expect(Object.keys(shown).filter((name) => ONLY_ASSET_FORM.includes(name))).toEqual([]);
  });

  test("in views of transactions a reward says of which kind it is, and bytes are left out", async () => {
    const shown = await platformForm(platformRecord(TX, {}, { reward: VALIDATOR_FEE_REWARD }), { inTx: true });
    expect(shown.rewardType).toBe("VALIDATOR_FEE");
    expect(shown.utxoBytes).toBeUndefined();
  });
});

const ONLY_ASSET_FORM = ["creationTxHash", "timestamp", "locktime", "consumingTxTimestamp", "credentials", "groupId", "payload"];
const ONLY_PLATFORM_FORM = [
  ...["txHash", "blockNumber", "blockTimestamp", "amount", "assetId", "platformLocktime", "stakeableLocktime", "staked", "rewardType"],
  ...["consumingBlockNumber", "consumingBlockTimestamp", "utxoStartTimestamp", "utxoEndTimestamp"],
];

const FUJI_AVAX = "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK";
const FUJI_OWNER = "fuji1utacgpu8arf7sq0vdfh0zk0pukgfk8nyfxsh2k";
const fuji: NetworkInstance = { ...localNetwork, hrp: "fuji", avaxAssetId: parseId(FUJI_AVAX) };
const X_ID = formatId(fuji.xChainId);

type AssetOutput = Parameters<ReturnType<typeof xChainCodec>["utxo"]["encode"]>[1]["output"];
const owners = { locktime: 0n, threshold: 1, addresses: [hexOf(FUJI_OWNER)] };

function assetRecord(txId: string, output: AssetOutput, record: Partial<UtxoRecord> = {}, assetId = fuji.avaxAssetId) {
  const bytes = encodeAll(xChainCodec(fuji).utxo, { txId, outputIndex: 0, assetId, output });
  return { utxoId: utxoId(txId, 0), record: { ...RECORD, createdOn: X_CHAIN, consumedOn: X_CHAIN, bytes, ...record } };
}

async function assetForm(utxo: { utxoId: string; record: UtxoRecord }) {
  const [shown] = await presentAssetUtxos([utxo], { reader: nothing, network: fuji, work: new RequestWork() });
  const json = JSON.parse(JSON.stringify(shown, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
  expect(Utxo$inboundSchema.parse(json)).toBeDefined();
  return json;
}

describe("the form of X and C", () => {
  test("an output is what the live service says of it", async () => {
    const creationTxHash = "2dKjKzeDMjJXNejU3jgYpLpTSRoaFvk4z43SM4tG1LyDT9mFrE";
    const output = { kind: "secp256k1.TransferOutput", amount: 99000000n, ...owners } as AssetOutput;
    const { utxoBytes, ...shown } = await assetForm(assetRecord(parseId(creationTxHash), output, { timestamp: 1724333543n }));
    expect(shown).toEqual({
      addresses: [FUJI_OWNER],
      utxoId: "EuPX19yyGUcCjMvZhgAEz73qWYVEw2g3YiSqqXaZhqzFSP3fF",
      asset: { ...asset, assetId: FUJI_AVAX, amount: "99000000" },
      utxoType: "transfer",
      outputIndex: "0",
      timestamp: 1724333543,
      creationTxHash,
      locktime: 0,
      threshold: 1,
      createdOnChainId: X_ID,
      consumedOnChainId: X_ID,
    });
    expect(utxoBytes).toMatch(/^0x0000/);
  });

  const payload = Buffer.from("ff00", "hex");
  const nft = { type: "nft", name: "", denomination: 0 };
  test.each<[string, object, object]>([
    ["the right to mint", { kind: "secp256k1.MintOutput" }, { utxoType: "mint", asset: { type: "secp256k1", amount: "0" } }],
    [
      "an NFT",
      { kind: "nft.TransferOutput", groupId: 0, payload },
      { utxoType: "nft transfer", groupId: 0, payload: "ff00", asset: { ...nft, amount: "1" } },
    ],
    [
      "the right to mint NFTs",
      { kind: "nft.MintOutput", groupId: 3 },
      { utxoType: "nft mint", groupId: 3, asset: { ...nft, amount: "0" } },
    ],
    ["a property", { kind: "property.OwnedOutput" }, { utxoType: "property owned", asset: { amount: "0" } }],
    ["the right to own a property", { kind: "property.MintOutput" }, { utxoType: "property mint", asset: { amount: "0" } }],
  ])("of an output that is %s", async (_, output, members) => {
    const shown = await assetForm(assetRecord(TX, { ...owners, ...output } as AssetOutput, {}, "5a".repeat(32)));
    expect(shown).toMatchObject({ ...members, timestamp: 70, creationTxHash: formatId(TX), outputIndex: "0" });
    expect("groupId" in shown).toBe("groupId" in members);
    expect("payload" in shown).toBe("payload" in members);
    expect(Object.keys(shown).filter((name) => ONLY_PLATFORM_FORM.includes(name))).toEqual([]);
  });

  test("of an output of the C-chain that X consumed", async () => {
    const output = { kind: "TransferOutput" as const, amount: 3n, ...owners, locktime: 12n };
    const bytes = encodeAll(exportedUtxo, { txId: TX, outputIndex: 0, assetId: fuji.avaxAssetId, output });
    const record = { ...RECORD, createdOn: C_CHAIN, consumedOn: X_CHAIN, bytes, spent: { ...SPENT, chain: X_CHAIN } };
    const shown = await assetForm({ utxoId: utxoId(TX, 0), record });
    expect(shown).toMatchObject({
      ...{ createdOnChainId: formatId(fuji.cChainId), consumedOnChainId: X_ID, locktime: 12, utxoType: "transfer" },
      ...{ consumingTxHash: formatId(SPENT.txId), consumingTxTimestamp: 90 },
    });
    expect("credentials" in shown).toBe(false);
  });
});

test("credentials name the key that signed, and a signature that is none names no key", () => {
  const unsignedBytes = Buffer.from("what is signed");
  const key = sha256(Buffer.from("a key"));
  const signature = signDigest(sha256(unsignedBytes), key);
  const broken = Buffer.alloc(65, 0xff);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
  const credentials = [{ signatures: [] }, { signatures: [signature, broken] }];
  expect(readCredential({ unsignedBytes, credentials }, 1)).toEqual([
    { signature: base64(signature), publicKey: base64(publicKeyOf(key)) },
    { signature: base64(broken) },
  ]);
  expect(readCredential({ unsignedBytes, credentials }, 0)).toEqual([]);
  expect(readCredential({ unsignedBytes, credentials }, 2)).toEqual([]);
});
