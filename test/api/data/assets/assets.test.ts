import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { assetDetails } from "../../../../src/api/data/assets/details.ts";
import { getAssetDetails } from "../../../../src/api/data/assets/get-asset-details.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import { assetDetailsSchema } from "../../../../src/api/data/transactions/schemas.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { CreateAssetTx } from "../../../../src/chains/asset/tx/create-asset.ts";
import { X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";
import { expectMembers, words } from "../transactions/members.ts";
import { type Item, useRecording } from "../transactions/recorded.ts";

const MEMBERS = words("assetId name symbol denomination type createdAtTimestamp cap");

describe.each(["eras-1", "x-dag"] as const)("assets of %s", (name) => {
  const recorded = useRecording(name);
  const details = async (assetId: string) => (await recorded.ask(getAssetDetails, X_CHAIN, { params: { assetId } })).body;

  test("are what the transactions say that created them, those of the genesis too", async () => {
    const { items } = await recorded.walk(listLatestTransactions, X_CHAIN, "transactions");
    const created = items.filter(({ txType }) => txType === "CreateAssetTx");
    expect(created.length).toBeGreaterThan(2);
    for (const { txHash, assetCreated, timestamp, emittedUtxos } of created) {
      const asset = await details(txHash);
      expectMembers(asset, MEMBERS);
      expect(Value.Check(assetDetailsSchema, asset)).toBe(true);
      expect(asset).toEqual(assetCreated);
      expect(asset).toMatchObject({ assetId: txHash, createdAtTimestamp: timestamp });
      const kinds: string[] = emittedUtxos
        .filter(({ asset: { assetId } }: Item) => assetId === txHash)
        .map(({ utxoType }: Item) => utxoType);
      expect(asset.cap).toBe(kinds.some((kind) => kind.endsWith("mint")) ? "variable" : "fixed");
      expect(asset.type).toBe(kinds.some((kind) => kind.startsWith("nft")) ? "nft" : "secp256k1");
    }
    expect(created).toContainEqual(expect.objectContaining({ txHash: formatId(recorded.network.avaxAssetId) }));
    expect(await details(formatId(recorded.network.avaxAssetId))).toMatchObject({ name: "Avalanche", symbol: "AVAX", denomination: 9 });
  });

  test("that nobody created are not found; a transaction that created none is no asset", async () => {
    const { items } = await recorded.walk(listLatestTransactions, X_CHAIN, "transactions");
    const other = items.find(({ txType }) => txType === "BaseTx")!;
    for (const [assetId, status] of [
      [formatId(someId("no asset")), 404],
      [other.txHash, 404],
      ["AVAX", 400],
    ] as const) {
      await expect(details(assetId)).rejects.toMatchObject({ status });
    }
  });
});

test("names are UTF-8, although the codec holds them byte for byte", () => {
  const latin1 = Buffer.from("Gr\u00fc\u00dfe \u{1f40c}", "utf8").toString("latin1");
  const tx = { name: latin1, symbol: "GR", denomination: 2, initialStates: [] } as unknown as CreateAssetTx;
  expect(assetDetails(someId("asset"), tx, 7n)).toEqual({
    assetId: formatId(someId("asset")),
    name: "Gr\u00fc\u00dfe \u{1f40c}",
    ...{ symbol: "GR", denomination: 2, type: "secp256k1", createdAtTimestamp: 7, cap: "fixed" },
  });
});
