/** Who signed the real transactions, what they spend of each other, and what they burn. */

import { expect, test } from "vitest";
import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { parseId } from "../../../src/base/bytes/cb58.ts";
import { ripemd160Sha256Hex } from "../../../src/base/bytes/hash.ts";
import type { Id, ShortId } from "../../../src/base/bytes/id.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { unlockedInput, unlockedOutput } from "../../../src/chains/platform/output.ts";
import { inputsOf, outputsOf } from "../../../src/chains/platform/tx/registry.ts";
import { burnedByAtomicTx, burnedOnAssetChain, burnedOnPlatform } from "../../../src/index/primary/network/network-totals.ts";
import { fuji, mainnet } from "../../../src/network/presets.ts";
import { hrpOf, itemsOf, type RealTx, signersOf, stated, transactions } from "./items.ts";

const all = transactions();

test("signatures recover to the signers that the source of a transaction names", () => {
  const named = all.flatMap((tx) => {
    const { statedSigners, signers = statedSigners } = stated<{ signers?: string[]; statedSigners?: string[] }>(tx.item);
    return signers === undefined ? [] : [{ tx, signers }];
  });
  expect(named.length).toBeGreaterThanOrEqual(10);
  for (const { tx, signers } of named) {
    const recovered = signersOf(tx)
      .flat()
      .map((address) => encodeBech32(hrpOf(tx.item), address));
    expect([...new Set(recovered)].sort(), tx.item.id).toEqual([...signers].sort());
  }
});

test("signatures that explorers show recover to the key and the address beside them", () => {
  interface Key {
    readonly publicKey: string;
    readonly signature: string;
    readonly address: string;
  }
  let compared = 0;
  for (const item of [...itemsOf("explorer-tx"), ...itemsOf("data-api-tx")]) {
    const tx = all.find((some) => some.item === item);
    const signers = tx && new Set(signersOf(tx).flat());
    for (const { publicKey, address } of stated<{ keys: readonly Key[] }>(item).keys) {
      const derived = ripemd160Sha256Hex(Buffer.from(publicKey, "base64"));
      expect(encodeBech32(hrpOf(item), derived), item.id).toBe(address);
      if (signers !== undefined) expect([...signers], item.id).toContain(derived);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(30);
});

interface Spent {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
  readonly signatureIndices: readonly number[];
}

interface Made {
  readonly amount: bigint;
  readonly addresses: readonly ShortId[];
}

/** Inputs in the order of the credentials. */
function spentBy({ platform, asset, atomic }: RealTx): Spent[] {
  if (platform !== undefined && "inputs" in platform.unsigned) {
    return inputsOf(platform.unsigned).map(({ txId, outputIndex, input }) => ({ txId, outputIndex, ...unlockedInput(input) }));
  }
  if (atomic?.unsigned.kind === "ImportTx") {
    return atomic.unsigned.importedInputs.map(({ txId, outputIndex, input }) => ({ txId, outputIndex, ...input }));
  }
  if (asset === undefined) return [];
  const { unsigned } = asset;
  const inputs = [...unsigned.inputs, ...("importedInputs" in unsigned ? unsigned.importedInputs : [])];
  return inputs.map(({ txId, outputIndex, input }) => ({
    txId,
    outputIndex,
    ...(input as unknown as Omit<Spent, "txId" | "outputIndex">),
  }));
}

/** Outputs in the order in which they are counted. */
function madeBy({ platform, asset, atomic }: RealTx): Made[] {
  if (platform !== undefined)
    return "inputs" in platform.unsigned ? outputsOf(platform.unsigned).map(({ output }) => unlockedOutput(output)) : [];
  if (atomic !== undefined) return atomic.unsigned.kind === "ExportTx" ? atomic.unsigned.exportedOutputs.map(({ output }) => output) : [];
  const { unsigned } = asset!;
  const outputs = [...unsigned.outputs, ...("exportedOutputs" in unsigned ? unsigned.exportedOutputs : [])];
  return outputs.map(({ output }) => output as unknown as Made);
}

test("what one transaction spends of another is signed by the owner that the other one names", () => {
  const made = new Map(
    all.flatMap((tx) => {
      const { id } = (tx.platform ?? tx.asset ?? tx.atomic)!;
      return madeBy(tx).map((output, index) => [utxoId(id, index), { output, maker: tx }] as const);
    }),
  );
  const links = new Set<string>();
  for (const tx of all) {
    const signers = signersOf(tx);
    for (const [place, { txId, outputIndex, amount, signatureIndices }] of spentBy(tx).entries()) {
      const spent = made.get(utxoId(txId, outputIndex));
      if (spent === undefined) continue;
      const owners = signatureIndices.map((index) => spent.output.addresses[index]);
      expect({ amount, signers: signers[place] }, tx.item.id).toEqual({ amount: spent.output.amount, signers: owners });
      links.add(`${spent.maker.item.chain}-${tx.item.chain}: ${tx.item.id}`);
    }
  }
  expect([...links]).toEqual([
    "X-X: wallet-sdk-BaseTxSend2",
    "X-X: wallet-sdk-ExportTx",
    "X-X: core-vm-modules-x-chain-base-tx-history-item",
    "C-P: keystone-signed#4",
    "P-P: keystone-signed#5",
    "P-P: rust-add_subnet_validator-test_add_subnet_validator_tx_s",
  ]);
});

const AVAX_IDS = {
  mainnet: parseId("FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z"),
  fuji: parseId("U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK"),
};

test("transactions on chain burn the fee of their time", () => {
  const seen: Record<string, number> = {};
  for (const tx of all.filter(({ item }) => item.origin === "on-chain")) {
    const what = `${tx.item.chain} ${(tx.platform ?? tx.asset ?? tx.atomic)!.unsigned.kind}: ${burnedBy(tx)}`;
    seen[what] = (seen[what] ?? 0) + 1;
  }
  expect(seen).toEqual({
    "P AddDelegatorTx: 0": 5,
    "P AddSubnetValidatorTx: 1000000": 1,
    "P AddValidatorTx: 0": 3,
    "P AdvanceTimeTx: 0": 2,
    // before Apricot Phase 3
    "P CreateChainTx: 10000000": 1,
    "P CreateSubnetTx: 10000000": 1,
    "P ExportTx: 1000000": 5,
    "P ImportTx: 1000000": 4,
    "P RewardValidatorTx: 0": 1,
    "X BaseTx: 1000000": 9,
    "X ExportTx: 1000000": 4,
    "X ImportTx: 1000000": 3,
    "C ExportTx: something": 35,
    "C ImportTx: something": 58,
    // in block 1 of Fuji, when these transactions had no fee yet
    "C ImportTx: nothing": 1,
  });
  expect([mainnet.txFee, fuji.txFee]).toEqual([1_000_000n, 1_000_000n]);
});

/** In nAVAX. The C-chain's fee depends on the block's base fee, which is not in the items. */
function burnedBy({ item, platform, asset, atomic }: RealTx): string {
  const avaxAssetId = AVAX_IDS[item.network === "mainnet" ? "mainnet" : "fuji"];
  if (platform !== undefined) return `${burnedOnPlatform(platform.unsigned, avaxAssetId)}`;
  if (asset !== undefined) return `${burnedOnAssetChain(asset, avaxAssetId)}`;
  return burnedByAtomicTx(atomic!, avaxAssetId) > 0n ? "something" : "nothing";
}
