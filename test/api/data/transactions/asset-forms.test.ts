/** The forms of X-chain transactions, in blocks and vertices, and of C-chain transactions; and the refusals of their lists. */
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { listAssetTransactions } from "../../../../src/api/data/assets/list-asset-transactions.ts";
import { getTransaction } from "../../../../src/api/data/transactions/get-transaction.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import {
  atomicExportSchema,
  atomicImportSchema,
  linearTransactionSchema,
  nonLinearTransactionSchema,
} from "../../../../src/api/data/transactions/schemas.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";
import { expectAmounts, expectMembers, words } from "./members.ts";
import { type Item, useRecording } from "./recorded.ts";

const ASSET_UTXO = words(
  "addresses asset consumedOnChainId createdOnChainId utxoId creationTxHash locktime outputIndex threshold timestamp utxoType",
);
const SPENT_ON_X = words("consumingTxHash consumingTxTimestamp credentials");

function expectAssetUtxo(utxo: Item): void {
  expectMembers(utxo, ASSET_UTXO, [...SPENT_ON_X, "groupId", "payload"]);
  expect("credentials" in utxo).toBe("consumingTxHash" in utxo);
  expect(utxo.utxoType.startsWith("nft")).toBe("groupId" in utxo);
  expect(utxo.asset.type).toBe("groupId" in utxo ? "nft" : "secp256k1");
}

describe.each(["eras-1", "latest-1", "x-dag"] as const)("X-chain transactions of %s", (name) => {
  const recorded = useRecording(name);
  const common = words("txHash chainFormat timestamp txType memo consumedUtxos emittedUtxos amountUnlocked amountCreated");
  const byType: Readonly<Record<string, string[]>> = {
    CreateAssetTx: ["assetCreated"],
    ImportTx: ["sourceChain", "destinationChain"],
    ExportTx: ["sourceChain", "destinationChain"],
  };

  test("have the members of their type and era, and no others", async () => {
    const { items } = await recorded.walk(listLatestTransactions, X_CHAIN, "transactions");
    for (const tx of items) {
      const isLinear = tx.chainFormat === "linear";
      expectMembers(tx, [...common, ...(byType[tx.txType] ?? []), ...(isLinear ? ["blockHeight", "blockHash"] : ["vertices"])]);
      expect(Value.Check(isLinear ? linearTransactionSchema : nonLinearTransactionSchema, tx), tx.txHash).toBe(true);
      for (const utxo of [...tx.consumedUtxos, ...tx.emittedUtxos]) expectAssetUtxo(utxo);
      for (const amounts of [tx.amountUnlocked, tx.amountCreated]) expectAmounts(amounts);
      if (!isLinear) for (const vertex of tx.vertices) expectMembers(vertex, ["hash", "height", "timestamp"]);
      if (tx.txType === "CreateAssetTx") {
        expectMembers(tx.assetCreated, words("assetId name symbol denomination type createdAtTimestamp cap"));
        expect(tx.assetCreated).toMatchObject({ assetId: tx.txHash, createdAtTimestamp: tx.timestamp });
      }
      expect((await recorded.ask(getTransaction, X_CHAIN, { params: { txHash: tx.txHash } })).body).toEqual(tx);
    }
    expect(new Set(items.map(({ txType }) => txType)).size).toBeGreaterThanOrEqual(4);
    expect(new Set(items.map(({ chainFormat }) => chainFormat))).toEqual(new Set(name === "x-dag" ? ["linear", "non-linear"] : ["linear"]));
  });

  test("of an asset are those of the chain that have it", async () => {
    const { items } = await recorded.walk(listLatestTransactions, X_CHAIN, "transactions");
    const assetOf = (utxo: Item): string => utxo.asset.assetId;
    const assets = new Set(items.flatMap(({ emittedUtxos }) => emittedUtxos.map(assetOf)));
    expect(assets.size).toBeGreaterThan(1);
    for (const assetId of assets) {
      const ofAsset = await recorded.walk(listAssetTransactions, X_CHAIN, "transactions", { params: { assetId } });
      const expected = items.filter(({ consumedUtxos, emittedUtxos }) =>
        [...consumedUtxos, ...emittedUtxos].map(assetOf).includes(assetId),
      );
      expect(ofAsset.items).toEqual(expected);
    }
    const params = { assetId: formatId(someId("no asset")) };
    await expect(recorded.ask(listAssetTransactions, X_CHAIN, { params })).rejects.toMatchObject({ status: 404 });
  });
});

describe.each(["eras-1", "latest-1"] as const)("C-chain transactions of %s", (name) => {
  const recorded = useRecording(name);
  const common = words("txHash blockHeight blockHash timestamp memo amountUnlocked amountCreated sourceChain destinationChain txType");

  test("are imports and exports, each with its own members", async () => {
    const { items } = await recorded.walk(listLatestTransactions, C_CHAIN, "transactions");
    expect(new Set(items.map(({ txType }) => txType))).toEqual(new Set(["ImportTx", "ExportTx"]));
    const own = formatId(recorded.network.cChainId);
    for (const tx of items) {
      const isImport = tx.txType === "ImportTx";
      expectMembers(tx, [...common, ...(isImport ? ["evmOutputs", "consumedUtxos"] : ["evmInputs", "emittedUtxos"])]);
      expect(Value.Check(isImport ? atomicImportSchema : atomicExportSchema, tx), tx.txHash).toBe(true);
      expect(tx.blockHash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(tx.memo).toBe("0x");
      expect(isImport ? tx.destinationChain : tx.sourceChain).toBe(own);
      for (const utxo of tx.consumedUtxos ?? tx.emittedUtxos) expectAssetUtxo(utxo);
      for (const input of tx.evmInputs ?? []) {
        expectMembers(input, ["fromAddress", "asset", "credentials"]);
        expect(input.credentials.length).toBe(1);
      }
      for (const output of tx.evmOutputs ?? []) expectMembers(output, ["toAddress", "asset"]);
      expect((await recorded.ask(getTransaction, C_CHAIN, { params: { txHash: tx.txHash } })).body).toEqual(tx);
    }
  });

  test("are found by accounts in any case, and by owners of their UTXOs", async () => {
    const { items } = await recorded.walk(listLatestTransactions, C_CHAIN, "transactions");
    const [first] = items.filter(({ evmInputs }) => evmInputs !== undefined);
    const account: string = first!.evmInputs[0].fromAddress;
    const accountsOf = ({ evmInputs = [], evmOutputs = [] }: Item) => [
      ...evmInputs.map(({ fromAddress }: Item) => fromAddress),
      ...evmOutputs.map(({ toAddress }: Item) => toAddress),
    ];
    const expected = items.filter((tx) => accountsOf(tx).includes(account));
    for (const addresses of [account, account.toLowerCase()]) {
      expect((await recorded.walk(listLatestTransactions, C_CHAIN, "transactions", { query: { addresses } })).items).toEqual(expected);
    }
    const owner: string = first!.emittedUtxos[0].addresses[0];
    const owned = items.filter(({ consumedUtxos = [], emittedUtxos = [] }) =>
      [...consumedUtxos, ...emittedUtxos].some(({ addresses }) => addresses.includes(owner)),
    );
    const query = { addresses: `C-${owner}` };
    expect((await recorded.walk(listLatestTransactions, C_CHAIN, "transactions", { query })).items).toEqual(owned);
  });
});

describe("filters that a chain or a list does not have", () => {
  const recorded = useRecording("x-dag");

  test.each([
    ["types of a whole chain", X_CHAIN, { txTypes: ["BaseTx"] }],
    ["times of a whole chain", X_CHAIN, { startTimestamp: "1" }],
    ["an L1 validator of X", X_CHAIN, { l1ValidationId: formatId(someId("any")) }],
    ["an L1 validator of C", C_CHAIN, { l1ValidationId: formatId(someId("any")) }],
    ["an account of X", X_CHAIN, { addresses: `0x${"ab".repeat(20)}` }],
    ["a type that does not exist", X_CHAIN, { addresses: "x", txTypes: ["NoTx"] }],
    ["a malformed L1 validator", P_CHAIN, { l1ValidationId: "abc" }],
  ] as const)("are refused: %s", async (_, chain, query) => {
    await expect(recorded.ask(listLatestTransactions, chain, { query })).rejects.toMatchObject({ status: 400 });
  });
});
