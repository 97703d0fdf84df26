/** avalanchejs stakes on a development network, whose clock is moved until everything is paid back. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed } from "./devnet/accounts.ts";
import { nodeNamed, type TestNode, validatorTerms } from "./devnet/nodes.ts";
import { lastRewards } from "./devnet/rewards.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything } from "./wallet.ts";

const { networkIDs, pvm }: Anything = avalanchejs;

const PRIMARY_NETWORK = networkIDs.PrimaryNetworkID.toString();
const DAY = 24n * 60n * 60n;
const STAKE = 2_000n * AVAX;
const DELEGATED = 100n * AVAX;
const [ada, bob, cleo] = ["ada", "bob", "cleo"].map(accountNamed) as [Account, Account, Account];

describe("staking on a development network", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld([ada, bob, cleo]);
    for (const [{ text }, amount] of [
      [ada, 9_000n * AVAX],
      [bob, 500n * AVAX],
    ] as const) {
      await world.network.fund(`P-${text}`, amount);
    }
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("a validator and its delegators are paid when their time is over", async () => {
    const { network } = world;
    const node = nodeNamed("paid");
    const start = BigInt(network.now());
    const validatorTx = await addValidator(node, start + 30n * DAY);
    await world.agreement.hold();
    const delegations = [await delegate(node, start + 10n * DAY), await delegate(node, start + 20n * DAY)];
    await world.agreement.hold();
    const { potentialReward, delegators } = await current(node);
    const before = { ada: await balance(ada), bob: await balance(bob), cleo: await balance(cleo) };

    await network.setTime(start + 25n * DAY);
    await world.agreement.hold();
    expect(await balance(bob)).toBe(before.bob + 2n * DELEGATED);
    const paid = await Promise.all(delegations.map(rewardsOf));
    const gross: bigint[] = delegators.map((delegator: Anything) => BigInt(delegator.potentialReward));
    // the delegators' share goes to cleo; the validator's is kept until it leaves
    expect(paid.flat().sort()).toEqual(gross.map((reward) => (reward * 980_000n) / 1_000_000n).sort());
    const fees = sum(gross) - sum(paid.flat());
    expect(await balance(cleo)).toBe(before.cleo + sum(paid.flat()));

    await network.setTime(start + 31n * DAY);
    const rewards = await rewardsOf(validatorTx);
    expect(rewards).toEqual([BigInt(potentialReward), fees]);
    expect(await balance(ada)).toBe(before.ada + STAKE + sum(rewards));
    expect(await current(node)).toBeUndefined();
    expect(await lastRewards(world, 3)).toEqual([validatorTx, ...delegations.reverse()].map((txId) => ({ txId, status: "Committed" })));
  });

  test("a validator that was not there often enough gets its stake back, and no reward", async () => {
    const { network, wallet } = world;
    const node = nodeNamed("unpaid");
    const end = BigInt(network.now()) + 14n * DAY;
    const validatorTx = await addValidator(node, end);
    const delegation = await delegate(node, end - DAY);
    await network.setUptime(node.nodeId, 0.89);
    expect((await current(node)).uptime).toBe("89.0000");
    await world.agreement.hold();
    const before = { ada: await balance(ada), bob: await balance(bob), cleo: await balance(cleo) };
    const supply = await currentSupply();
    const promised = sum(
      [await current(node)].flatMap(({ potentialReward, delegators }) => [
        BigInt(potentialReward),
        ...delegators.map((delegator: Anything) => BigInt(delegator.potentialReward)),
      ]),
    );

    await network.setTime(end + 1n);
    expect(await balance(ada)).toBe(before.ada + STAKE);
    expect(await balance(bob)).toBe(before.bob + DELEGATED);
    expect(await balance(cleo)).toBe(before.cleo);
    for (const txId of [validatorTx, delegation]) expect(await rewardsOf(txId)).toEqual([]);
    expect(await currentSupply()).toBe(supply - promised);
    expect(await lastRewards(world, 2)).toEqual([validatorTx, delegation].map((txId) => ({ txId, status: "Aborted" })));
    const { historicalRewards } = await wallet.ask(`/rewards?nodeIds=${node.nodeId}&pageSize=100`);
    expect(historicalRewards).toEqual([]);
  });

  test("a validator is renewed, keeps part of its reward at stake, and leaves when it is told to", async () => {
    const { network, wallet } = world;
    const node = nodeNamed("renewed");
    const platform = await wallet.platform([ada]);
    const renewal = { ownerAddresses: [bob.bytes], autoCompoundRewardShares: 300_000, period: 7n * DAY };
    const unsigned = pvm.newAddAutoRenewedValidatorTx({ ...platform, ...validatorTerms(node, cleo, STAKE), ...renewal }, wallet.context);
    const validatorTxId = await wallet.issue("P", unsigned, [ada]);
    await world.agreement.hold();
    const reward = BigInt((await current(node)).potentialReward);
    const before = await balance(cleo);

    await network.advanceTime(8n * DAY);
    await world.agreement.hold();
    const renewed = await current(node);
    const kept = BigInt(renewed.weight) - STAKE;
    // what is paid out is rounded down
    expect(kept).toBe(reward - (reward * 700_000n) / 1_000_000n);
    expect(await balance(cleo)).toBe(before + reward - kept);

    const leaving = { validatorTxId, auth: [0], autoCompoundRewardShares: 0, period: 0n };
    const config = pvm.newSetAutoRenewedValidatorConfigTx({ ...(await wallet.platform([ada])), ...leaving }, wallet.context);
    await wallet.issue("P", config, [ada], [bob]);
    await world.agreement.hold();
    const stakes = await balance(ada);
    await network.advanceTime(8n * DAY);
    expect(await current(node)).toBeUndefined();
    expect(await balance(ada)).toBeGreaterThanOrEqual(stakes + STAKE);
  });

  test("what the mempool refuses is refused in the node's words", async () => {
    const { network } = world;
    const now = BigInt(network.now());
    await expect(addValidator(nodeNamed("short"), now + 60n)).rejects.toThrow(/couldn't issue tx: .*staking period is too short/);
    await expect(delegate(nodeNamed("nobody"), now + 2n * DAY)).rejects.toThrow(
      /couldn't issue tx: .*failed to fetch the validator for NodeID-.*: not found/,
    );
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  async function addValidator(node: TestNode, end: bigint): Promise<string> {
    const { wallet } = world;
    const staking = { ...(await wallet.platform([ada])), ...validatorTerms(node, ada, STAKE), start: 0n, end, subnetId: PRIMARY_NETWORK };
    return wallet.issue("P", pvm.newAddPermissionlessValidatorTx(staking, wallet.context), [ada]);
  }

  async function delegate({ nodeId }: TestNode, end: bigint): Promise<string> {
    const { wallet } = world;
    const terms = { nodeId, start: 0n, end, weight: DELEGATED, subnetId: PRIMARY_NETWORK, rewardAddresses: [cleo.bytes] };
    return wallet.issue("P", pvm.newAddPermissionlessDelegatorTx({ ...(await wallet.platform([bob])), ...terms }, wallet.context), [bob]);
  }

  async function current({ nodeId }: TestNode): Promise<Anything> {
    const { validators } = await world.wallet.rpc.P.callRpc("getCurrentValidators", { nodeIDs: [nodeId] });
    return validators[0];
  }

  async function balance({ text }: Account): Promise<bigint> {
    return BigInt((await world.wallet.rpc.P.callRpc("getBalance", { addresses: [`P-${text}`] })).balance);
  }

  async function currentSupply(): Promise<bigint> {
    return BigInt((await world.wallet.rpc.P.callRpc("getCurrentSupply", {})).supply);
  }

  /** Amounts, in the order of the outputs. */
  async function rewardsOf(txId: string): Promise<bigint[]> {
    const { utxos } = await world.wallet.rpc.P.getRewardUTXOs({ txID: txId });
    return utxos.map(({ output }: Anything) => output.amount());
  }
});

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
