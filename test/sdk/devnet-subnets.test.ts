/** avalanchejs creates subnets of a development network, with validators and blockchains. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, ewoq } from "./devnet/accounts.ts";
import { assetChainApi, createAssetChain, genesisOf } from "./devnet/asset-chain.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything } from "./wallet.ts";

const { addTxSignatures, avm, pvm, utils }: Anything = avalanchejs;

const ada = accountNamed("ada");
const trio = ["bob", "cleo", "dora"].map(accountNamed).sort((a, b) => utils.bytesCompare(a.bytes, b.bytes));
const pair = trio.slice(1);
const PAIR_AUTHORITY = [1, 2];
const SOME_VM = "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6";
const SECP256K1_FX = "spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ";

describe("subnets of a development network", () => {
  let world: World;
  let subnetId: string;
  beforeAll(async () => {
    world = await openWorld([ada, ...trio]);
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("a subnet of three owners is created", async () => {
    const { wallet } = world;
    const subnetOwners = trio.map(({ bytes }) => bytes);
    const owners = { subnetOwners, threshold: 2, locktime: 0n };
    subnetId = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await wallet.platform([ewoq])), ...owners }, wallet.context), [ewoq]);
    expect(await wallet.rpc.P.callRpc("getSubnet", { subnetID: subnetId })).toMatchObject({ isPermissioned: true, threshold: "2" });
  });

  test("two of its owners create a blockchain whose VM nobody runs", async () => {
    const { wallet } = world;
    const chain = { chainName: "a chain", fxIds: [SECP256K1_FX], genesisData: { some: "genesis" }, vmId: SOME_VM };
    const chainId = await wallet.issue("P", pvm.newCreateChainTx({ ...(await common()), ...chain }, wallet.context), [ewoq], pair);
    expect(await wallet.rpc.P.callRpc("getBlockchainStatus", { blockchainID: chainId })).toEqual({ status: "Created" });
  });

  test("one of its owners is not enough", async () => {
    const { wallet } = world;
    const chain = { chainName: "a chain", fxIds: [SECP256K1_FX], genesisData: { some: "genesis" }, vmId: SOME_VM };
    const unsigned = pvm.newCreateChainTx({ ...(await common([1])), ...chain }, wallet.context);
    await expect(wallet.issue("P", unsigned, [ewoq], [pair[0]!])).rejects.toThrow(
      /couldn't issue tx: .*unauthorized modification: input has less signers than expected/,
    );
  });

  test("a blockchain of assets is created, issued to and read from at once", async () => {
    const { wallet, network } = world;
    const genesis = genesisOf(ada, 10n * AVAX);
    const chainId = await wallet.issue("P", createAssetChain(await common(), wallet.context, genesis), [ewoq], pair);
    const api = assetChainApi(network.url, chainId);
    const balanceOf = async ({ text }: Account) =>
      (await api.callRpc("getBalance", { address: `${chainId}-${text}`, assetID: genesis.feeAssetId })).balance;
    expect(await balanceOf(ada)).toBe(`${10n * AVAX}`);

    const context = { ...wallet.context, xBlockchainID: chainId, avaxAssetID: genesis.feeAssetId };
    for (const amount of [3n * AVAX, 2n * AVAX]) {
      const { utxos } = await api.getUTXOs({ addresses: [`${chainId}-${ada.text}`] });
      const outputs = [wallet.output(amount, [trio[0]!], { assetId: genesis.feeAssetId })];
      const unsignedTx = avm.newBaseTx(context, [ada.bytes], utxos, outputs, { minIssuanceTime: await wallet.time() });
      await addTxSignatures({ unsignedTx, privateKeys: [ada.privateKey] });
      const { txID } = await api.issueSignedTx(unsignedTx.getSignedTx());
      expect(await api.getTxStatus({ txID })).toEqual({ status: "Accepted" });
    }
    expect(await balanceOf(trio[0]!)).toBe(`${5n * AVAX}`);
    expect(await balanceOf(ada)).toBe(`${5n * AVAX - 2n * wallet.context.baseTxFee}`);
    expect((await api.callRpc("getHeight", {})).height).toBe("2");
  });

  test("a validator of the primary network joins it and is sent away", async () => {
    const { wallet, network } = world;
    const terms = { nodeId: network.nodeId, start: 0n, end: BigInt(network.now()) + 3n * 24n * 3600n, weight: 7n };
    const adding = pvm.newAddSubnetValidatorTx({ ...(await common()), ...terms }, wallet.context);
    await wallet.issue("P", adding, [ewoq], pair);
    expect(await validators()).toMatchObject([{ nodeID: network.nodeId, weight: "7" }]);
    await world.agreement.hold();
    const removing = pvm.newRemoveSubnetValidatorTx({ ...(await common()), nodeId: network.nodeId }, wallet.context);
    await wallet.issue("P", removing, [ewoq], pair);
    expect(await validators()).toEqual([]);
  });

  test("a validator of it leaves when its time is over", async () => {
    const { wallet, network } = world;
    const end = BigInt(network.now()) + 3n * 24n * 3600n;
    const terms = { nodeId: network.nodeId, start: 0n, end, weight: 7n };
    await wallet.issue("P", pvm.newAddSubnetValidatorTx({ ...(await common()), ...terms }, wallet.context), [ewoq], pair);
    expect(await validators()).toHaveLength(1);
    await network.setTime(end + 1n);
    expect(await validators()).toEqual([]);
  });

  test("it is given away: its owners have no say any more", async () => {
    const { wallet } = world;
    const giving = { ...(await common()), subnetOwners: [ada.bytes], threshold: 1 };
    await wallet.issue("P", pvm.newTransferSubnetOwnershipTx(giving, wallet.context), [ewoq], pair);
    await world.agreement.hold();
    const chain = { chainName: "another chain", fxIds: [SECP256K1_FX], genesisData: { some: "genesis" }, vmId: SOME_VM };
    const refused = pvm.newCreateChainTx({ ...(await common()), ...chain }, wallet.context);
    await expect(wallet.issue("P", refused, [ewoq], pair)).rejects.toThrow(
      /couldn't issue tx: .*unauthorized modification: input has more signers/,
    );
    await wallet.issue("P", pvm.newCreateChainTx({ ...(await common([0])), ...chain }, wallet.context), [ewoq], [ada]);
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  async function common(subnetAuth: readonly number[] = PAIR_AUTHORITY): Promise<Anything> {
    return { ...(await world.wallet.platform([ewoq])), subnetId, subnetAuth };
  }

  async function validators(): Promise<Anything[]> {
    return (await world.wallet.rpc.P.callRpc("getCurrentValidators", { subnetID: subnetId })).validators;
  }
});
