import { describe, expect, test } from "vitest";
import { type Id, nameId, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { blockTxs, type PlatformBlock } from "../../../../src/chains/platform/block.ts";
import { gasOf } from "../../../../src/chains/platform/complexity.ts";
import { complexityOf } from "../../../../src/chains/platform/fee.ts";
import type { SignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { ADDRESS, AUTHORIZED, type Coin, genesisCoins, IssuingWallet, OWNER, SIGNERS } from "./issuing-wallet.ts";
import { IssuingWorld, START, smallNetwork, until } from "./issuing-world.ts";

const FEE = 1_000_000n;

/** A chain with `coins` coins to spend, and seconds later: the gas capacity is at its limit. */
function start(network: NetworkInstance, coins = 8): { world: IssuingWorld; wallet: IssuingWallet; coins: Coin[]; subnetId: Id } {
  const world = new IssuingWorld(network);
  const wallet = new IssuingWallet(network);
  world.walk(START + 60n);
  const fields = { owner: OWNER };
  const split = wallet.tx("CreateSubnetTx", { coins: genesisCoins(network).slice(0, 1), burned: FEE, parts: coins, fields });
  expect(world.issue(split)).toBeUndefined();
  world.walk(START + 120n);
  return { world, wallet, coins: wallet.coinsOf(split), subnetId: split.id };
}

/** The block that is due now. */
function mined(world: IssuingWorld): PlatformBlock {
  expect(world.issuer.nextChange(world.clock)).toBeLessThanOrEqual(world.clock);
  return world.replay.chain.parse(world.mine()!.bytes);
}

const idsOf = (block: PlatformBlock) => blockTxs(block).map(({ id }) => id);
const gasUsed = (tx: SignedTx, network: NetworkInstance) => gasOf(complexityOf(tx.unsigned), network.dynamicFees);
const withGas = (changes: Partial<NetworkInstance["dynamicFees"]>) => {
  const network = smallNetwork({});
  return { ...network, dynamicFees: { ...network.dynamicFees, ...changes } };
};

describe("the mempool of the P-chain", () => {
  test("orders by what is burned per gas, and by ID where that is equal, the larger first", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const fees = [3n, 9n, 9n, 5n].map((factor) => factor * FEE);
    const txs = fees.map((burned, n) => wallet.tx("BaseTx", { coins: [coins[n]!], burned }));
    for (const tx of txs) expect(world.issue(tx)).toBeUndefined();
    const equal = [txs[1]!.id, txs[2]!.id].sort().reverse();
    expect(idsOf(mined(world))).toEqual([...equal, txs[3]!.id, txs[0]!.id]);
  });

  test("refuses a second use of an input, remembers why, and repeats that without looking again", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const first = wallet.tx("BaseTx", { coins: [coins[0]!], burned: FEE });
    const second = wallet.tx("BaseTx", { coins: [coins[0]!, coins[1]!], burned: 9n * FEE });
    expect(world.issue(first)).toBeUndefined();
    expect(world.issue(second)).toBe("tx conflicts with other tx");
    expect(world.issuer.status(second.id)).toEqual({ kind: "dropped", reason: "tx conflicts with other tx" });
    world.settle();
    expect(world.issue(second)).toBe("tx conflicts with other tx");
  });

  test("tells why verification failed, the second time without the words around it", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const forged = wallet.tx("BaseTx", { coins: [coins[0]!], burned: FEE, isForged: true });
    const text = world.issue(forged)!;
    expect(text).toMatch(/^failed verification: failed execution: standard tx \w+ failed execution: failed to verify transfer: invalid/);
    expect(`failed verification: ${world.issue(forged)}`).toBe(text);
  });

  test("refuses what exceeds the capacity of the moment, and takes it once there is more", () => {
    const network = smallNetwork({});
    const { world, wallet, coins } = start(network, 30);
    const txs = coins.map((coin) => wallet.tx("BaseTx", { coins: [coin], burned: 50n * FEE }));
    const late = txs.pop()!;
    for (const tx of txs) expect(world.issue(tx)).toBeUndefined();
    mined(world);
    expect(world.issue(late)).toMatch(/^failed verification: tx exceeds current gas capacity: /);
    world.clock += 1n;
    expect(world.issue(late)).toBeUndefined();
  });

  test("takes a transaction that it has once more, in silence", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const tx = wallet.tx("BaseTx", { coins: [coins[0]!], burned: FEE });
    expect([world.issue(tx), world.issue(tx)]).toEqual([undefined, undefined]);
    expect(idsOf(mined(world))).toEqual([tx.id]);
  });

  test("holds 1,000,000 gas; dearer transactions push the cheapest out, others are refused", () => {
    const network = withGas({ maxGasCapacity: 2_000_000n, maxGasPerSecond: 2_000_000n, targetGasPerSecond: 2_000_000n });
    const { world, wallet, coins } = start(network, 400);
    const fee = (n: number) => FEE + BigInt(n) * 1000n;
    const txs = coins.map((coin, n) => wallet.tx("BaseTx", { coins: [coin], burned: fee(n + 1) }));
    const count = Number(1_000_000n / gasUsed(txs[0]!, network));
    expect(count).toBeLessThan(txs.length - 2);
    for (const tx of txs.slice(0, count)) expect(world.issue(tx)).toBeUndefined();
    expect(world.issue(wallet.tx("BaseTx", { coins: [coins[count]!], burned: fee(0) }))).toBe("not enough gas");
    expect(world.issue(txs[count]!)).toBeUndefined();
    expect(world.issuer.status(txs[0]!.id)).toBeUndefined();
    expect(world.issuer.status(txs[1]!.id)).toEqual({ kind: "processing" });
  });

  test("refuses what cannot be metered, though a block may hold it, unless its rules are skipped", () => {
    const network = smallNetwork(until("durango"));
    const { world, wallet, coins } = start(network);
    const validator = { nodeId: "11".repeat(20), start: world.clock + 10n, end: world.clock + 50n, weight: 5000n };
    const fields = { validator, stake: wallet.outputs([5000n]), rewardsOwner: OWNER, shares: 20_000 };
    const tx = wallet.tx("AddValidatorTx", { coins: [coins[0]!], burned: FEE, used: 5000n, fields });
    expect(world.issue(tx, { skipsMempoolRules: false })).toBe("failed to meter tx: unsupported transaction type");
    const other = wallet.tx("AddValidatorTx", { coins: [coins[1]!], burned: FEE, used: 5000n, fields });
    expect(world.issue(other)).toBeUndefined();
    expect(idsOf(mined(world))).toEqual([other.id]);
  });

  test("gives up what it is told to, with the reason, and forgets all that waits when the state went back", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const txs = [0, 1].map((n) => wallet.tx("BaseTx", { coins: [coins[n]!], burned: FEE }));
    for (const tx of txs) world.issue(tx);
    world.issuer.drop([txs[0]!.id], "a defect");
    expect(world.issuer.status(txs[0]!.id)).toEqual({ kind: "dropped", reason: "a defect" });
    world.issuer.clear();
    expect(txs.map(({ id }) => world.issuer.status(id))).toEqual([undefined, undefined]);
    expect(world.mine()).toBeUndefined();
  });
});

describe("a transaction that builds on ones in no block yet", () => {
  test("is taken together with them and comes behind them, whatever it pays", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const subnet = wallet.tx("CreateSubnetTx", { coins: [coins[0]!], burned: FEE, fields: { owner: OWNER } });
    const fields = { subnetId: subnet.id, chainName: "one", vmId: nameId("avm"), fxIds: [], genesisData: Buffer.alloc(3) };
    const authorized = { fields: { ...fields, subnetAuthorization: AUTHORIZED }, authorizations: 1 };
    const chain = wallet.tx("CreateChainTx", { coins: [coins[1]!], burned: 9n * FEE, ...authorized });
    const spend = wallet.tx("BaseTx", { coins: wallet.coinsOf(chain), burned: 30n * FEE });
    expect(world.issue(chain)).toMatch(/not found/);
    world.issuer.clear();
    for (const tx of [subnet, chain, spend]) expect(world.issue(tx)).toBeUndefined();
    expect([world.issuer.isPendingChain(chain.id), world.issuer.isPendingChain(subnet.id)]).toEqual([true, false]);
    expect(idsOf(mined(world))).toEqual([subnet.id, chain.id, spend.id]);
    expect(world.issuer.isPendingChain(chain.id)).toBe(false);
  });

  test("is dropped with its reason when what it builds on cannot be executed any more", () => {
    const { world, wallet, coins } = start(smallNetwork({}));
    const validator = (n: number) => ({ nodeId: `${n}`.repeat(40), start: 0n, end: world.clock + 30n, weight: 5000n });
    const delegate = (n: number) => {
      const fields = { validator: validator(n), subnetId: PRIMARY_NETWORK_ID, stake: wallet.outputs([5000n]), rewardsOwner: OWNER };
      return wallet.tx("AddPermissionlessDelegatorTx", { coins: [coins[0]!], burned: FEE, used: 5000n, fields });
    };
    expect(world.issue(delegate(1))).toMatch(/failed to fetch the validator/);
    const parent = wallet.tx("BaseTx", { coins: [coins[1]!], burned: FEE });
    const child = wallet.tx("BaseTx", { coins: wallet.coinsOf(parent), burned: FEE });
    for (const tx of [parent, child]) expect(world.issue(tx)).toBeUndefined();
    world.issuer.drop([parent.id], "a defect");
    expect(world.mine()).toBeUndefined();
    expect(world.issuer.status(child.id)).toMatchObject({
      kind: "dropped",
      reason: expect.stringContaining("failed to read consumed UTXO"),
    });
  });

  test("may be the last of a chain of 257, and not of a longer one", () => {
    const { world, wallet, coins } = start(withGas({ maxGasCapacity: 2_000_000n, maxGasPerSecond: 2_000_000n, dbWriteWeight: 1n }));
    let tip = coins.slice(0, 1);
    for (let length = 1; length <= 257; length++) {
      const tx = wallet.tx("BaseTx", { coins: tip, burned: FEE });
      expect(world.issue(tx)).toBeUndefined();
      tip = wallet.coinsOf(tx);
    }
    expect(world.issue(wallet.tx("BaseTx", { coins: tip, burned: FEE }))).toMatch(/failed to read consumed UTXO/);
    expect(blockTxs(mined(world))).toHaveLength(257);
  });
});

describe("a block", () => {
  test("takes what the gas capacity allows; the rest waits for the second in which there is enough", () => {
    const network = smallNetwork({});
    const { world, wallet, coins } = start(network, 30);
    const txs = coins.map((coin) => wallet.tx("BaseTx", { coins: [coin], burned: 50n * FEE }));
    const gas = gasUsed(txs[0]!, network);
    const fitting = Number(network.dynamicFees.maxGasCapacity / gas);
    for (const tx of txs) expect(world.issue(tx)).toBeUndefined();
    expect(blockTxs(mined(world))).toHaveLength(fitting);
    expect(world.mine()).toBeUndefined();
    const missing = gas - (network.dynamicFees.maxGasCapacity % gas);
    const next = world.issuer.nextChange(world.clock)!;
    expect(next - world.clock).toBe((missing + network.dynamicFees.maxGasPerSecond - 1n) / network.dynamicFees.maxGasPerSecond);
    world.clock = next;
    expect(blockTxs(mined(world)).length).toBeGreaterThan(0);
  });

  test.each([
    ["128 KiB of transactions before Etna", smallNetwork(until("etna")), 128 * 1024],
    [
      "a block that can be parsed, where gas allows more",
      withGas({ maxGasCapacity: 10_000_000n, maxGasPerSecond: 10_000_000n }),
      256 * 1024,
    ],
  ])("holds at most %s", (_, network, limit) => {
    const { world, wallet, coins } = start(network);
    const subnet = wallet.tx("CreateSubnetTx", { coins: [coins[0]!], burned: FEE, fields: { owner: OWNER } });
    world.issue(subnet);
    world.settle();
    const txs = coins.slice(1).map((coin) => {
      const chain = { subnetId: subnet.id, chainName: "large", vmId: nameId("avm"), fxIds: [], genesisData: Buffer.alloc(60_000) };
      const fields = { ...chain, subnetAuthorization: AUTHORIZED };
      return wallet.tx("CreateChainTx", { coins: [coin], burned: FEE, fields, authorizations: 1 });
    });
    for (const tx of txs) expect(world.issue(tx)).toBeUndefined();
    const { bytes } = mined(world);
    expect(bytes.length).toBeLessThanOrEqual(limit + 256);
    expect(bytes.length).toBeGreaterThan(limit - 61_000);
    world.settle();
    expect(txs.filter(({ id }) => world.accepted.has(id))).toHaveLength(txs.length);
  });

  test("is built when the balance of an L1 validator is used up, without any transaction", () => {
    const { world, wallet, coins, subnetId } = start(smallNetwork({}));
    const owner = { threshold: 1, addresses: [ADDRESS] };
    const { kind: _, ...signer } = SIGNERS[0]!;
    const validator = {
      nodeId: Buffer.alloc(20, 7),
      weight: 5n,
      balance: 5120n,
      signer,
      remainingBalanceOwner: owner,
      deactivationOwner: owner,
    };
    const manager = { subnetId, chainId: world.replay.network.xChainId, address: Buffer.from("manager") };
    const fields = { ...manager, validators: [validator], subnetAuthorization: AUTHORIZED };
    const convert = wallet.tx("ConvertSubnetToL1Tx", { coins: [coins[0]!], burned: FEE, used: 5120n, fields, authorizations: 1 });
    expect(world.issue(convert)).toBeUndefined();
    world.settle();
    expect(world.state.activeL1Validators).toHaveLength(1);
    // 512 nAVAX a second
    expect(world.issuer.nextChange(world.clock)).toBe(world.clock + 10n);
    world.clock += 25n;
    expect(mined(world)).toMatchObject({ kind: "BanffStandardBlock", time: world.clock - 15n, txs: [] });
    expect(world.state.activeL1Validators).toEqual([]);
  });

  test("promotes stakers that wait for their start, before Durango", () => {
    const { world, wallet, coins } = start(smallNetwork(until("durango")));
    const validator = { nodeId: "11".repeat(20), start: world.clock + 10n, end: world.clock + 50n, weight: 5000n };
    const fields = { validator, stake: wallet.outputs([5000n]), rewardsOwner: OWNER, shares: 20_000 };
    expect(world.issue(wallet.tx("AddValidatorTx", { coins: [coins[0]!], burned: FEE, used: 5000n, fields }))).toBeUndefined();
    world.settle();
    expect(world.issuer.nextChange(world.clock)).toBe(validator.start);
    world.clock += 30n;
    expect(mined(world)).toMatchObject({ kind: "BanffStandardBlock", time: validator.start, txs: [] });
    expect(world.state.pendingStakers).toEqual([]);
    world.clock += 30n;
    expect(mined(world)).toMatchObject({
      kind: "BanffProposalBlock",
      time: validator.end,
      tx: { unsigned: { kind: "RewardValidatorTx" } },
    });
  });

  test("is built for every change of stakers on the way through a year, rewards decided as uptimes say", () => {
    const network = smallNetwork({});
    const { world, wallet, coins } = start(network, 12);
    const year = 365n * 86_400n;
    const ends = coins.map((_, n) => world.clock + 1000n + (BigInt(n) * (year - 2000n)) / 12n);
    ends.forEach((end, n) => {
      const validator = { nodeId: (n + 10).toString(16).repeat(40).slice(0, 40), start: 0n, end, weight: 5000n };
      const owners = { validationRewardsOwner: OWNER, delegationRewardsOwner: OWNER, shares: 20_000 };
      const fields = { validator, subnetId: PRIMARY_NETWORK_ID, signer: SIGNERS[0], stake: wallet.outputs([5000n]), ...owners };
      expect(
        world.issue(wallet.tx("AddPermissionlessValidatorTx", { coins: [coins[n]!], burned: FEE, used: 5000n, fields })),
      ).toBeUndefined();
      world.walk(world.clock + 5n);
    });
    world.prefersCommit = false;
    world.walk(ends[5]!);
    world.prefersCommit = true;
    world.walk(START + year);
    expect(Object.fromEntries(world.blockKinds)).toMatchObject({ BanffAbortBlock: 6, BanffCommitBlock: 6 + 5 });
    expect(world.state.currentStakers).toEqual([]);
    expect(world.issuer.nextChange(world.clock)).toBeUndefined();
  });
});
