/** The form of every P-chain transaction type, on recordings that contain them all. */
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { getTransaction } from "../../../../src/api/data/transactions/get-transaction.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import { platformTransactionSchema } from "../../../../src/api/data/transactions/schemas.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { P_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";
import { drawn } from "../../../share.ts";
import { expectAmounts, expectMembers, words } from "./members.ts";
import { type Item, useRecording } from "./recorded.ts";

const PLATFORM = words(
  "txHash txType blockTimestamp blockNumber blockHash consumedUtxos emittedUtxos value amountBurned amountStaked " +
    "amountL1ValidatorBalanceBurned memo",
);

const STAKER = "startTimestamp endTimestamp nodeId subnetId";

/** Members of a type besides those of all: that must be there, that may be. */
const PLATFORM_TYPES: Readonly<Record<string, readonly [must: string, may?: string]>> = {
  AddValidatorTx: [`${STAKER} delegationFeePercent rewardAddresses`, "estimatedReward rewardTxHash"],
  AddPermissionlessValidatorTx: [`${STAKER} delegationFeePercent rewardAddresses`, "estimatedReward rewardTxHash blsCredentials"],
  AddDelegatorTx: [`${STAKER} rewardAddresses`, "estimatedReward rewardTxHash"],
  AddPermissionlessDelegatorTx: [`${STAKER} rewardAddresses`, "estimatedReward rewardTxHash"],
  AddSubnetValidatorTx: [STAKER],
  RemoveSubnetValidatorTx: ["nodeId subnetId"],
  RewardValidatorTx: ["stakingTxHash nodeId"],
  CreateSubnetTx: ["subnetId subnetOwnershipInfo"],
  TransferSubnetOwnershipTx: ["subnetId subnetOwnershipInfo"],
  CreateChainTx: ["subnetId blockchainInfo"],
  TransformSubnetTx: ["subnetId"],
  ConvertSubnetToL1Tx: ["subnetId l1ValidatorManagerDetails l1ValidatorDetails"],
  RegisterL1ValidatorTx: ["l1ValidatorDetails"],
  SetL1ValidatorWeightTx: ["l1ValidatorDetails"],
  IncreaseL1ValidatorBalanceTx: ["l1ValidatorDetails"],
  DisableL1ValidatorTx: ["l1ValidatorDetails"],
  ImportTx: ["sourceChain destinationChain"],
  ExportTx: ["sourceChain destinationChain"],
  BaseTx: [""],
  AdvanceTimeTx: [""],
};

const AUTO_RENEWED = `${STAKER} delegationFeePercent rewardAddresses`;

/** With their real names. */
const HELICON_TYPES: typeof PLATFORM_TYPES = {
  AddAutoRenewedValidatorTx: [
    `${AUTO_RENEWED} blsCredentials period autoCompoundRewardShares validatorAuthority`,
    "estimatedReward rewardTxHash",
  ],
  SetAutoRenewedValidatorConfigTx: ["stakingTxHash period autoCompoundRewardShares"],
  RewardAutoRenewedValidatorTx: ["stakingTxHash nodeId"],
};

const PLATFORM_UTXO = words(
  "addresses asset consumedOnChainId createdOnChainId utxoId amount assetId blockNumber blockTimestamp outputIndex staked threshold " +
    "txHash utxoType",
);
const SPENT_ON_P = words("consumingTxHash consumingBlockNumber consumingBlockTimestamp");

/** What a type has of a table of them. */
function membersOf(types: typeof PLATFORM_TYPES, txType: string): readonly [string[], string[]] {
  const [must, may = ""] = types[txType]!;
  const list = (text: string) => (text === "" ? [] : words(text));
  return [list(must), list(may)];
}

function expectPlatformUtxo(utxo: Item): void {
  const may = ["platformLocktime", "stakeableLocktime", "utxoStartTimestamp", "utxoEndTimestamp", "rewardType", ...SPENT_ON_P];
  expectMembers(utxo, PLATFORM_UTXO, may);
  // what crosses chains has it only where there is a lock
  if (utxo.createdOnChainId === utxo.consumedOnChainId) expect(utxo).toHaveProperty("platformLocktime");
  else expect(utxo.platformLocktime).not.toBe(0);
  expect("stakeableLocktime" in utxo).toBe(utxo.utxoType === "STAKE");
  expect("utxoEndTimestamp" in utxo).toBe(utxo.staked);
  expect("consumingBlockNumber" in utxo).toBe("consumingBlockTimestamp" in utxo);
}

describe.each(drawn("whose transactions have their forms", ["eras-1", "latest-1", "p-eras-old"] as const, 1))(
  "P-chain transactions of %s",
  (name) => {
    const recorded = useRecording(name);
    const lists = new Map<boolean, Promise<{ items: Item[] }>>();

    /** Walked once for each kind of names: no test changes what it gets. */
    async function list({ hasRealTypeNames = false } = {}): Promise<readonly Item[]> {
      const walked =
        lists.get(hasRealTypeNames) ?? recorded.walk(listLatestTransactions, P_CHAIN, "transactions", { settings: { hasRealTypeNames } });
      lists.set(hasRealTypeNames, walked);
      return (await walked).items;
    }

    test("have the members of their type, and no others", async () => {
      const seen = new Set<string>();
      for (const tx of await list({ hasRealTypeNames: true })) {
        seen.add(tx.txType);
        const [must, may] = membersOf({ ...PLATFORM_TYPES, ...HELICON_TYPES }, tx.txType);
        expectMembers(tx, [...PLATFORM, ...must], may);
        expect(Value.Check(platformTransactionSchema, tx), tx.txHash).toBe(true);
        for (const utxo of [...tx.consumedUtxos, ...tx.emittedUtxos]) expectPlatformUtxo(utxo);
        for (const utxo of tx.consumedUtxos) expect(utxo.consumingTxHash).toBe(tx.txHash);
        for (const amounts of [tx.value, tx.amountBurned, tx.amountStaked, tx.amountL1ValidatorBalanceBurned]) expectAmounts(amounts);
      }
      const all: Record<string, number> = { "eras-1": 17, "latest-1": 18, "p-eras-old": 9 };
      expect(seen.size, [...seen].join(" ")).toBeGreaterThanOrEqual(all[name]!);
    });

    test("that official clients do not know are UNKNOWN, without what only they have", async () => {
      const [plain, named] = [await list(), await list({ hasRealTypeNames: true })];
      expect(plain.map(({ txHash }) => txHash)).toEqual(named.map(({ txHash }) => txHash));
      const ownMembers = words("period autoCompoundRewardShares validatorAuthority");
      for (const [i, tx] of plain.entries()) {
        const isNew = named[i]!.txType in HELICON_TYPES;
        expect(tx.txType).toBe(isNew ? "UNKNOWN" : named[i]!.txType);
        if (isNew) for (const member of ownMembers) expect(tx).not.toHaveProperty(member);
        else expect(tx).toEqual(named[i]);
      }
      const unknown = plain.filter(({ txType }) => txType === "UNKNOWN");
      expect(unknown.length > 0).toBe(name !== "p-eras-old");
      const [first] = unknown.filter(({ consumedUtxos }) => consumedUtxos.length > 0);
      if (first === undefined) return;
      const addresses = first.consumedUtxos[0].addresses[0];
      for (const [settings, txTypes] of [
        [{}, ["UNKNOWN"]],
        [{ hasRealTypeNames: true }, Object.keys(HELICON_TYPES)],
      ] as const) {
        const query = { addresses, txTypes };
        const { items } = await recorded.walk(listLatestTransactions, P_CHAIN, "transactions", { query, settings });
        expect(items.map(({ txHash }) => txHash)).toContain(first.txHash);
        for (const { txType } of items) expect(txTypes).toContain(txType);
      }
    });

    test("pay rewards in two places, and count them where they were paid", async () => {
      const txs = await list({ hasRealTypeNames: true });
      const byHash = new Map(txs.map((tx) => [tx.txHash, tx]));
      const paying = txs.filter(({ txType, emittedUtxos }) => txType === "RewardValidatorTx" && emittedUtxos.length > 0);
      expect(paying.length).toBeGreaterThan(0);
      for (const { txHash, stakingTxHash, emittedUtxos, value } of paying) {
        const staking = byHash.get(stakingTxHash)!;
        const utxoIds = emittedUtxos.map(({ utxoId }: Item) => utxoId);
        expect(staking.emittedUtxos.map(({ utxoId }: Item) => utxoId).slice(-utxoIds.length)).toEqual(utxoIds);
        expect(staking.rewardTxHash).toBe(txHash);
        for (const { rewardType, txHash: origin } of emittedUtxos) {
          expect(["VALIDATOR", "DELEGATOR", "VALIDATOR_FEE"]).toContain(rewardType);
          expect(origin).toBe(stakingTxHash);
        }
        const sum = (utxos: Item[]) => utxos.reduce((total: bigint, { amount }) => total + BigInt(amount), 0n);
        expect(sum(value)).toBe(sum(emittedUtxos));
        expect(sum(staking.value)).toBe(sum(staking.emittedUtxos) - sum(emittedUtxos));
      }
    });

    test("of the genesis are the oldest, and those of aborted proposals stay without effect", async () => {
      const txs = await list();
      const genesis = txs.filter(({ blockNumber }) => blockNumber === "0");
      expect(txs.slice(-genesis.length)).toEqual(genesis);
      const validator = name === "p-eras-old" ? "AddValidatorTx" : "AddPermissionlessValidatorTx";
      expect(new Set(genesis.map(({ txType }) => txType))).toEqual(new Set(["CreateChainTx", validator]));
      expect(new Set(genesis.map(({ blockTimestamp }) => blockTimestamp)).size).toBe(1);
      const forfeited = txs.filter(({ txType, emittedUtxos }) => txType === "RewardValidatorTx" && emittedUtxos.length === 0);
      const hashes = new Set(txs.map(({ txHash }) => txHash));
      for (const { value, nodeId, stakingTxHash } of forfeited) {
        expect(value).toEqual([]);
        expect(nodeId).toMatch(/^NodeID-/);
        expect(hashes).toContain(stakingTxHash);
      }
      const proposed = txs.filter(({ txType }) => ["AddValidatorTx", "AddDelegatorTx"].includes(txType));
      const aborted = proposed.filter((tx) => !("estimatedReward" in tx) && !tx.emittedUtxos.some(({ staked }: Item) => staked));
      for (const tx of aborted) {
        expect(tx.endTimestamp).toBeGreaterThan(tx.startTimestamp);
        expect(tx).not.toHaveProperty("rewardTxHash");
      }
      if (name === "p-eras-old") expect(Math.min(forfeited.length, aborted.length)).toBeGreaterThan(10);
    });

    test("are one by one as in the list; others are not found", async () => {
      const txs = await list();
      for (const tx of txs.filter((_, i) => i % 7 === 0)) {
        expect((await recorded.ask(getTransaction, P_CHAIN, { params: { txHash: tx.txHash } })).body.txHash).toBe(tx.txHash);
      }
      for (const [txHash, status] of [
        [formatId(someId("no transaction")), 404],
        ["0x1234", 400],
        ["abc", 400],
      ] as const) {
        await expect(recorded.ask(getTransaction, P_CHAIN, { params: { txHash } })).rejects.toMatchObject({ status });
      }
    });

    test("of a page end with the one that reaches the most UTXOs, and the next page goes on", async () => {
      const whole = await list();
      // a balance that may be paid back is counted before it is known whether it was
      const countOf = ({ txType, consumedUtxos, emittedUtxos }: Item) =>
        consumedUtxos.length + emittedUtxos.length + (["DisableL1ValidatorTx", "SetL1ValidatorWeightTx"].includes(txType) ? 1 : 0);
      for (const pageUtxos of [7, 50]) {
        const { items, pages } = await recorded.walk(listLatestTransactions, P_CHAIN, "transactions", { settings: { pageUtxos } });
        expect(items).toEqual(whole);
        expect(Math.min(...pages)).toBeGreaterThan(0);
        let first = 0;
        for (const size of pages.slice(0, -1)) {
          const utxos = whole.slice(first, first + size).map(countOf);
          const sum = utxos.reduce((total, count) => total + count, 0);
          // a page that is not full has reached them, and not before its last transaction
          if (size < 100) expect(sum).toBeGreaterThanOrEqual(pageUtxos);
          expect(sum - utxos.at(-1)!).toBeLessThan(pageUtxos + utxos.length);
          first += size;
        }
        expect(pages.length).toBeGreaterThan(Math.ceil(whole.length / 100));
      }
    });
  },
);
