/** Development networks that start in earlier eras, with transactions that were possible then, up to the upgrade that ended them. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, ewoq } from "./devnet/accounts.ts";
import { nodeNamed, type TestNode, validatorTerms } from "./devnet/nodes.ts";
import { addDelegator, addValidator, importAll, transformSubnet } from "./devnet/platform-parts.ts";
import { lastRewards } from "./devnet/rewards.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Anything } from "./wallet.ts";
import { createAsset, signed } from "./wallet-operations.ts";

const { avm, networkIDs, pvm }: Anything = avalanchejs;

const ada = accountNamed("ada");
const PRIMARY_NETWORK = networkIDs.PrimaryNetworkID.toString();
const MINUTE = 60n;
const DAY = 24n * 60n * MINUTE;
const [early, elastic, lax] = ["early", "elastic", "lax"].map(nodeNamed) as [TestNode, TestNode, TestNode];

/** The release's mempool takes none of the types that no network takes any more, though its blocks do. */
const SKIPS = { skipsMempoolRules: true, hasEvm: false } as const;

let world: World;

const platform = (method: string, params: object = {}): Promise<Anything> => world.wallet.rpc.P.callRpc(method, params);
const rewardsOf = async (txId: string): Promise<bigint[]> =>
  (await world.wallet.rpc.P.getRewardUTXOs({ txID: txId })).utxos.map(({ output }: Anything) => output.amount());

describe("in Cortina", () => {
  beforeAll(async () => {
    world = await openWorld([ada], { ...SKIPS, upgrades: "cortina" });
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("a validator and a delegator wait for their time, are active, and are paid", async () => {
    const { wallet, network } = world;
    const now = BigInt(network.now());
    const validator = { node: early, start: now + 5n * MINUTE, end: now + 20n * DAY, weight: 2_000n * AVAX };
    const validatorTx = await wallet.issue("P", await addValidator(wallet, ewoq, validator), [ewoq]);
    const delegator = { node: early, start: now + 10n * MINUTE, end: now + 10n * DAY, weight: 25n * AVAX };
    const delegatorTx = await wallet.issue("P", await addDelegator(wallet, ewoq, delegator), [ewoq]);
    expect((await platform("getCurrentValidators", { nodeIDs: [early.nodeId] })).validators).toEqual([]);
    for (const [list, status, txId] of [
      ["validators", "validationStatus", validatorTx],
      ["delegators", "delegationStatus", delegatorTx],
    ] as const) {
      expect((await wallet.ask(`/${list}?${status}=pending&pageSize=10`))[list]).toMatchObject([{ txHash: txId }]);
    }
    await world.agreement.hold();

    await network.setTime(now + 7n * MINUTE);
    await world.agreement.hold();
    await network.setTime(now + 11n * MINUTE);
    const { validators } = await platform("getCurrentValidators", { nodeIDs: [early.nodeId] });
    expect(validators).toMatchObject([{ txID: validatorTx, delegatorCount: "1", delegators: [{ txID: delegatorTx }] }]);
    await world.agreement.hold();

    await network.setTime(now + 21n * DAY);
    expect(await lastRewards(world, 2)).toEqual([validatorTx, delegatorTx].map((txId) => ({ txId, status: "Committed" })));
    expect(await rewardsOf(delegatorTx)).toHaveLength(1);
    expect((await rewardsOf(validatorTx))[0]).toBe(BigInt(validators[0].potentialReward));
  });

  test("what came with later upgrades is refused", async () => {
    const { wallet } = world;
    const output = wallet.output(AVAX, [ada]);
    const payment = pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs: [output] }, wallet.context);
    await expect(wallet.issue("P", payment, [ewoq])).rejects.toThrow(
      /couldn't issue tx: .*attempting to use a Durango-upgrade feature prior to activation/,
    );
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });
});

describe("in Durango, with Etna to come", () => {
  let subnetId: string;
  let assetId: string;
  beforeAll(async () => {
    world = await openWorld([ada], { ...SKIPS, upgrades: "durango,etna=+30d" });
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("four fifths of uptime are enough for a reward", async () => {
    const { wallet, network } = world;
    const end = BigInt(network.now()) + 2n * DAY;
    const staking = { ...(await wallet.platform([ewoq])), ...validatorTerms(lax, ada, 2_000n * AVAX), start: 0n, end };
    const unsigned = pvm.newAddPermissionlessValidatorTx({ ...staking, subnetId: PRIMARY_NETWORK }, wallet.context);
    const txId = await wallet.issue("P", unsigned, [ewoq]);
    await network.setUptime(lax.nodeId, 0.8);
    await network.setTime(end + 1n);
    expect(await lastRewards(world, 1)).toEqual([{ txId, status: "Committed" }]);
  });

  test("an asset of X goes to P, and a subnet becomes one that anybody may validate with it", async () => {
    const { wallet } = world;
    const fees = { context: wallet.context, utxos: await wallet.spendable("X", [ewoq]), minIssuanceTime: await wallet.time() };
    assetId = await wallet.send("X", await signed(createAsset(fees, ewoq), ewoq));
    await wallet.expectAccepted({ chain: "X", txId: assetId, type: "CreateAssetTx" });
    const { utxos, from, options } = await wallet.assets([ewoq]);
    const outputs = [wallet.output(1000n, [ewoq], { assetId }), wallet.output(AVAX, [ewoq])];
    await wallet.issue("X", avm.newExportTx(wallet.context, wallet.chainIds.P, from, utxos, outputs, options), [ewoq]);
    await wallet.issue("P", await importAll(wallet, "X", ewoq), [ewoq]);
    await world.agreement.hold();

    const owners = { subnetOwners: [ewoq.bytes], threshold: 1, locktime: 0n };
    subnetId = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await wallet.platform([ewoq])), ...owners }, wallet.context), [ewoq]);
    await wallet.issue("P", await transformSubnet(wallet, ewoq, { subnetId, assetId, supply: 500n }), [ewoq], [ewoq]);
    const supply = await platform("getCurrentSupply", { subnetID: subnetId });
    expect(supply.supply).toBe("500");
    expect(await platform("getStakingAssetID", { subnetID: subnetId })).toEqual({ assetID: assetId });
  });

  test("its validator stakes the asset and is paid in it", async () => {
    const { wallet, network } = world;
    const now = BigInt(network.now());
    const { publicKey: _, signature: __, ...unkeyed } = validatorTerms(elastic, ada, 2_000n * AVAX);
    const primary = { ...(await wallet.platform([ewoq])), ...validatorTerms(elastic, ada, 2_000n * AVAX), start: 0n, end: now + 20n * DAY };
    await wallet.issue("P", pvm.newAddPermissionlessValidatorTx({ ...primary, subnetId: PRIMARY_NETWORK }, wallet.context), [ewoq]);
    const terms = { ...unkeyed, weight: 400n, start: 0n, end: now + 10n * DAY, subnetId, stakingAssetId: assetId };
    const unsigned = pvm.newAddPermissionlessValidatorTx({ ...(await wallet.platform([ewoq])), ...terms }, wallet.context);
    const txId = await wallet.issue("P", unsigned, [ewoq]);
    await world.agreement.hold();
    const { validators } = await platform("getCurrentValidators", { subnetID: subnetId });
    expect(validators).toMatchObject([{ txID: txId, nodeID: elastic.nodeId, weight: "400" }]);
    await network.setTime(now + 11n * DAY);
    expect(await platform("getCurrentValidators", { subnetID: subnetId })).toEqual({ validators: [] });
    expect(await lastRewards(world, 1)).toEqual([{ txId, status: "Committed" }]);
    const [reward] = await rewardsOf(txId);
    expect(`${reward}`).toBe(validators[0].potentialReward);
    expect(reward).toBeGreaterThan(0n);
    expect((await platform("getBalance", { addresses: [`P-${ada.text}`] })).balances[assetId]).toBe(`${reward}`);
  });

  test("as soon as Etna is there, its transactions are taken, and those that it ended are refused", async () => {
    const { wallet, network } = world;
    const owners = { subnetOwners: [ada.bytes], threshold: 1, locktime: 0n };
    const own = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await wallet.platform([ewoq])), ...owners }, wallet.context), [ewoq]);
    const convert = async (address: Uint8Array) => {
      const l1 = { subnetId: own, subnetAuth: [0], chainId: wallet.chainIds.C, address, validators: [] };
      return wallet.issue("P", pvm.newConvertSubnetToL1Tx({ ...(await wallet.platform([ewoq])), ...l1 }, wallet.context), [ewoq], [ada]);
    };
    await expect(convert(ada.evmBytes)).rejects.toThrow(
      /couldn't issue tx: .*attempting to use an Etna-upgrade feature prior to activation/,
    );
    await network.advanceTime(31n * DAY);
    // the chain's time is that of its blocks
    await wallet.issue("P", pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs: [wallet.output(1n, [ada])] }, wallet.context), [
      ewoq,
    ]);
    await world.agreement.hold();
    const again = await transformSubnet(wallet, ewoq, { subnetId, assetId, supply: 1n });
    await expect(wallet.issue("P", again, [ewoq], [ewoq])).rejects.toThrow(
      /couldn't issue tx: .*failed to calculate tx complexity: unsupported transaction type/,
    );
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });
});
