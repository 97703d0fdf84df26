/** avalanchejs converts a subnet of a development network to an L1; validators are added, change weight, pay their fee, and are removed. */
import { createHash } from "node:crypto";
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, evmAddress, ewoq } from "./devnet/accounts.ts";
import { l1Validator, nodeNamed, type TestNode } from "./devnet/nodes.ts";
import { type Manager, registration, signedMessage, weightChange } from "./devnet/warp.ts";
import { AVAX, openWorld, startEpoch, type World } from "./devnet/world.ts";
import type { Anything } from "./wallet.ts";

const { Id, pvm }: Anything = avalanchejs;

const owner = accountNamed("owner");
const [first, second, third, late] = ["first", "second", "third", "late"].map(nodeNamed) as [TestNode, TestNode, TestNode, TestNode];
const SOME_VM = "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6";

describe("an L1 of a development network", () => {
  let world: World;
  let manager: Manager;
  let subnetId: string;
  let lateId: string;
  beforeAll(async () => {
    world = await openWorld([owner]);
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("a subnet is created, with a chain, and becomes an L1 of three validators", async () => {
    const { wallet, network } = world;
    const owners = { subnetOwners: [owner.bytes], threshold: 1, locktime: 0n };
    subnetId = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await paying()), ...owners }, wallet.context), [ewoq]);
    const authorized = async () => ({ ...(await paying()), subnetId, subnetAuth: [0] });
    const chain = { chainName: "manager", fxIds: [], genesisData: { some: "genesis" }, vmId: SOME_VM };
    const chainId = await wallet.issue("P", pvm.newCreateChainTx({ ...(await authorized()), ...chain }, wallet.context), [ewoq], [owner]);
    const validators = [
      l1Validator(first, owner, { weight: 50n, balance: AVAX }),
      l1Validator(second, owner, { weight: 30n, balance: AVAX }),
      l1Validator(third, owner, { weight: 20n, balance: AVAX / 1000n }),
    ];
    const conversion = { chainId, address: owner.evmBytes, validators };
    await wallet.issue("P", pvm.newConvertSubnetToL1Tx({ ...(await authorized()), ...conversion }, wallet.context), [ewoq], [owner]);
    manager = { networkId: network.networkId, chainId, address: owner.evmBytes };
    const l1 = await wallet.rpc.P.callRpc("getSubnet", { subnetID: subnetId });
    expect(l1).toMatchObject({ isPermissioned: false, managerChainID: chainId, managerAddress: evmAddress(owner) });
    expect((await validatorsNow()).map(({ weight }) => weight).sort()).toEqual(["20", "30", "50"]);
  });

  test("a validator is registered with the signatures of two thirds of the weight, and not with fewer", async () => {
    const { wallet, network } = world;
    await startEpoch(world);
    const terms = { subnetId, node: late, owner, weight: 40n, expiry: BigInt(network.now()) + 3600n };
    const message = registration(terms);
    const register = async (signers: readonly TestNode[]) => {
      const signed = signedMessage(manager, message, [first, second, third], signers);
      const proof = { message: signed, blsSignature: late.proofOfPossession, balance: AVAX };
      return wallet.issue("P", pvm.newRegisterL1ValidatorTx({ ...(await paying()), ...proof }, wallet.context), [ewoq]);
    };
    await expect(register([first])).rejects.toThrow(/signature weight is insufficient/);
    await register([first, second]);
    lateId = new Id(createHash("sha256").update(message).digest()).toString();
    expect(await validator(lateId)).toMatchObject({ nodeID: late.nodeId, weight: "40", balance: `${AVAX}` });
  });

  test("its weight is changed", async () => {
    const { wallet } = world;
    await startEpoch(world);
    const message = signedMessage(manager, weightChange(lateId, 0n, 60n), [first, second, third, late], [first, second, late]);
    await wallet.issue("P", pvm.newSetL1ValidatorWeightTx({ ...(await paying()), message }, wallet.context), [ewoq]);
    expect(await validator(lateId)).toMatchObject({ weight: "60" });
  });

  test("a balance is raised, by anybody", async () => {
    const { wallet } = world;
    const before = BigInt((await validator(lateId)).balance);
    const raising = { ...(await paying()), validationId: lateId, balance: 3n * AVAX };
    await wallet.issue("P", pvm.newIncreaseL1ValidatorBalanceTx(raising, wallet.context), [ewoq]);
    expect(BigInt((await validator(lateId)).balance)).toBeGreaterThan(before + 2n * AVAX);
  });

  test("a validator is disabled by its owner, who gets the balance back", async () => {
    const { wallet } = world;
    const { validationID } = (await validatorsNow()).find(({ nodeID }) => nodeID === second.nodeId)!;
    const disabling = { ...(await paying()), validationId: validationID, disableAuth: [0] };
    await wallet.issue("P", pvm.newDisableL1ValidatorTx(disabling, wallet.context), [ewoq], [owner]);
    expect(await validator(validationID)).toMatchObject({ balance: "0", weight: "30" });
    const { balance } = await wallet.rpc.P.callRpc("getBalance", { addresses: [`P-${owner.text}`] });
    expect(BigInt(balance)).toBeGreaterThan((AVAX * 99n) / 100n);
  });

  test("a balance is used up by time; with a new one the validator is back", async () => {
    const { wallet, network } = world;
    const { validationID } = (await validatorsNow()).find(({ nodeID }) => nodeID === third.nodeId)!;
    const before = BigInt((await validator(validationID)).balance);
    expect(before).toBeGreaterThan(0n);
    await network.advanceTime(24n * 3600n);
    // the chain's time is that of its blocks
    await wallet.issue("P", pvm.newBaseTx({ ...(await paying()), outputs: [wallet.output(1n, [owner])] }, wallet.context), [ewoq]);
    await world.agreement.hold();
    expect(BigInt((await validator(validationID)).balance)).toBeLessThan(before);
    await network.advanceTime(30n * 24n * 3600n);
    expect(await validator(validationID)).toMatchObject({ balance: "0", weight: "20" });
    await world.agreement.hold();
    const raising = { ...(await paying()), validationId: validationID, balance: AVAX };
    await wallet.issue("P", pvm.newIncreaseL1ValidatorBalanceTx(raising, wallet.context), [ewoq]);
    expect(BigInt((await validator(validationID)).balance)).toBeGreaterThan(0n);
  });

  test("a validator is removed, and its owner gets the balance back", async () => {
    const { wallet } = world;
    await startEpoch(world);
    const message = signedMessage(manager, weightChange(lateId, 1n, 0n), [first, third, late]);
    const balances = async () => BigInt((await wallet.rpc.P.callRpc("getBalance", { addresses: [`P-${owner.text}`] })).balance);
    const before = await balances();
    await wallet.issue("P", pvm.newSetL1ValidatorWeightTx({ ...(await paying()), message }, wallet.context), [ewoq]);
    await expect(validator(lateId)).rejects.toThrow(/not found/);
    expect(await balances()).toBeGreaterThan(before + 3n * AVAX);
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  const paying = (): Promise<Anything> => world.wallet.platform([ewoq]);

  async function validatorsNow(): Promise<Anything[]> {
    return (await world.wallet.rpc.P.callRpc("getCurrentValidators", { subnetID: subnetId })).validators;
  }

  const validator = (validationID: string): Promise<Anything> => world.wallet.rpc.P.callRpc("getL1Validator", { validationID });
});
