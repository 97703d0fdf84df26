/**
 * The newer official SDK on a development network: transactions that it has builders for are built from the node's answers, signed, sent
 * and awaited with it. Its builders for imports and exports only know the public networks' chains, so those transactions are given to it,
 * and it signs and sends them.
 */
import { createHash } from "node:crypto";
import * as avalanchejs from "@avalabs/avalanchejs";
import { createAvalancheWalletClient, erc20Actions } from "@avalanche-sdk/client";
import { privateKeyToAvalancheAccount } from "@avalanche-sdk/client/accounts";
import { avalancheLocal } from "@avalanche-sdk/client/chains";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, evmAddress, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { nodeNamed, type TestNode } from "./devnet/nodes.ts";
import { type Manager, registration, signedMessage, weightChange } from "./devnet/warp.ts";
import { AVAX, openWorld, startEpoch, type World } from "./devnet/world.ts";
import type { Anything, ChainName } from "./wallet.ts";

const { avm, evm, Id, pvm }: Anything = avalanchejs;

const ada = accountNamed("ada");
const P = `P-${ewoq.text}`;
const DAY = 24n * 3600n;
const SOME_VM = "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6";
const [staker, first, second] = ["staker", "first", "second"].map(nodeNamed) as [TestNode, TestNode, TestNode];
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const idOf = (bytes: Uint8Array) => new Id(createHash("sha256").update(bytes).digest()).toString();

function clientOf({ network }: World): Anything {
  return createAvalancheWalletClient({
    account: privateKeyToAvalancheAccount(privateKeyHex(ewoq)),
    chain: avalancheLocal,
    transport: { type: "http", url: network.urls.C },
  });
}

describe("the Avalanche SDK on a development network", () => {
  let world: World;
  let client: Anything;
  let subnetId: string;
  let manager: Manager;
  beforeAll(async () => {
    world = await openWorld([ada], { blockTimeMs: 100 });
    client = clientOf(world);
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("pays on P and X", async () => {
    const outputs = (chain: string) => [{ addresses: [`${chain}-${ada.text}`], amount: 3n * AVAX }];
    await sends("BaseTx", await client.pChain.prepareBaseTxn({ outputs: outputs("P") }));
    await sends("BaseTx", await client.xChain.prepareBaseTxn({ outputs: outputs("X") }));
    expect((await client.pChain.getBalance({ addresses: [`P-${ada.text}`] })).balance).toBe(3n * AVAX);
    expect((await client.xChain.getBalance({ address: `X-${ada.text}`, assetID: "AVAX" })).balance).toBe(3n * AVAX);
  });

  test("stakes and delegates", async () => {
    const end = BigInt(world.network.now()) + 10n * DAY;
    const terms = {
      nodeId: staker.nodeId,
      publicKey: hex(staker.publicKey),
      signature: hex(staker.proofOfPossession),
      stakeInAvax: 2_000n * AVAX,
      delegatorRewardPercentage: 2,
      delegatorRewardAddresses: [P],
      rewardAddresses: [P],
      end,
    };
    await sends("AddPermissionlessValidatorTx", await client.pChain.prepareAddPermissionlessValidatorTxn(terms));
    const delegation = { nodeId: staker.nodeId, stakeInAvax: 25n * AVAX, end: end - DAY, rewardAddresses: [P] };
    await sends("AddPermissionlessDelegatorTx", await client.pChain.prepareAddPermissionlessDelegatorTxn(delegation));
    const { validators } = await client.pChain.getCurrentValidators({ nodeIDs: [staker.nodeId] });
    expect(validators).toMatchObject([{ delegatorCount: "1", weight: `${2_000n * AVAX}` }]);
  });

  test("makes a subnet with a validator and a blockchain", async () => {
    const { nodeId, now } = world.network;
    subnetId = await sends("CreateSubnetTx", await client.pChain.prepareCreateSubnetTxn({ subnetOwners: { addresses: [P] } }));
    const authorized = { subnetId, subnetAuth: [0] };
    const joining = { ...authorized, nodeId, weight: 3n, end: BigInt(now()) + 3n * DAY };
    await sends("AddSubnetValidatorTx", await client.pChain.prepareAddSubnetValidatorTxn(joining));
    await sends("RemoveSubnetValidatorTx", await client.pChain.prepareRemoveSubnetValidatorTxn({ ...authorized, nodeId }));
    const chain = { ...authorized, vmId: SOME_VM, chainName: "manager", genesisData: { some: "genesis" } };
    const chainId = await sends("CreateChainTx", await client.pChain.prepareCreateChainTxn(chain));
    manager = { networkId: world.network.networkId, chainId, address: ewoq.evmBytes };
  });

  test("makes it an L1, and its validators come, change and go", async () => {
    const { network, wallet } = world;
    const owner = { addresses: [P], threshold: 1 };
    const pop = (node: TestNode) => ({ publicKey: hex(node.publicKey), proofOfPossession: hex(node.proofOfPossession) });
    const initial = { nodeId: first.nodeId, nodePoP: pop(first), weight: 10n, initialBalanceInAvax: AVAX };
    const validators = [{ ...initial, remainingBalanceOwner: owner, deactivationOwner: owner }];
    const place = { subnetId, subnetAuth: [0], blockchainId: manager.chainId, managerContractAddress: evmAddress(ewoq) };
    await sends("ConvertSubnetToL1Tx", await client.pChain.prepareConvertSubnetToL1Txn({ ...place, validators }));
    await world.agreement.hold();
    await startEpoch(world);

    const joining = registration({ subnetId, node: second, owner: ewoq, weight: 5n, expiry: BigInt(network.now()) + 3600n });
    const registering = {
      message: hex(signedMessage(manager, joining, [first])),
      blsSignature: hex(second.proofOfPossession),
      initialBalanceInAvax: AVAX,
    };
    await sends("RegisterL1ValidatorTx", await client.pChain.prepareRegisterL1ValidatorTxn(registering));
    const validationId = idOf(joining);
    await startEpoch(world);
    const message = hex(signedMessage(manager, weightChange(validationId, 0n, 4n), [first, second]));
    await sends("SetL1ValidatorWeightTx", await client.pChain.prepareSetL1ValidatorWeightTxn({ message }));
    const raising = { validationId, balanceInAvax: AVAX };
    await sends("IncreaseL1ValidatorBalanceTx", await client.pChain.prepareIncreaseL1ValidatorBalanceTxn(raising));
    await world.agreement.hold();
    await sends("DisableL1ValidatorTx", await client.pChain.prepareDisableL1ValidatorTxn({ validationId, disableAuth: [0] }));
    const validator = await client.pChain.getL1Validator({ validationID: validationId });
    expect([validator.weight, validator.balance].map(String)).toEqual(["4", "0"]);
    expect(wallet.issued.length).toBeGreaterThan(10);
  });

  test("has six builders for imports and exports, which refuse every network but the public ones", async () => {
    const output = { addresses: [P], amount: AVAX };
    const [fromAddress, toAddress] = [evmAddress(ewoq), evmAddress(ewoq)];
    const builds = [
      client.pChain.prepareExportTxn({ exportedOutputs: [output], destinationChain: "X" }),
      client.xChain.prepareExportTxn({ exportedOutputs: [output], destinationChain: "P" }),
      client.cChain.prepareExportTxn({ exportedOutput: output, fromAddress, destinationChain: "P" }),
      client.pChain.prepareImportTxn({ importedOutput: output, sourceChain: "X" }),
      client.xChain.prepareImportTxn({ importedOutput: output, sourceChain: "P" }),
      client.cChain.prepareImportTxn({ toAddress, sourceChain: "P" }),
    ];
    for (const outcome of await Promise.allSettled(builds)) expect(String(Reflect.get(outcome, "reason"))).toMatch(/Invalid network ID/);
  });

  test.each([
    ["X", "P"],
    ["P", "X"],
    ["X", "C"],
    ["P", "C"],
    ["C", "X"],
    ["C", "P"],
  ] as const)("signs and sends what moves AVAX from %s to %s", async (source, destination) => {
    await sends("ExportTx", { tx: await exported(source, destination), chainAlias: source });
    await world.agreement.hold();
    const { wallet } = world;
    const utxos = await wallet.importable(destination, source, [ewoq]);
    const sourceId = wallet.chainIds[source];
    const built = {
      P: async () =>
        pvm.newImportTx(
          { ...(await wallet.platform([ewoq], utxos)), sourceChainId: sourceId, toAddressesBytes: [ewoq.bytes] },
          wallet.context,
        ),
      X: async () => avm.newImportTx(wallet.context, sourceId, utxos, [ewoq.bytes], [ewoq.bytes]),
      C: async () => evm.newImportTxFromBaseFee(wallet.context, ewoq.evmBytes, [ewoq.bytes], utxos, sourceId, await wallet.baseFee()),
    };
    await sends("ImportTx", { tx: await built[destination](), chainAlias: destination });
  });

  /** @returns the ID of what is accepted, as the SDK and both interfaces say */
  async function sends(type: string, request: Anything): Promise<string> {
    const { txHash, chainAlias } = await client.sendXPTransaction(request);
    await client.waitForTxn({ txHash, chainAlias, sleepTime: 50 });
    await world.wallet.expectAccepted({ chain: chainAlias, txId: txHash, type });
    return txHash;
  }

  async function exported(source: ChainName, destination: ChainName): Promise<Anything> {
    const { wallet } = world;
    const outputs = [wallet.output(2n * AVAX, [ewoq])];
    const destinationChainId = wallet.chainIds[destination];
    if (source === "P") return pvm.newExportTx({ ...(await wallet.platform([ewoq])), outputs, destinationChainId }, wallet.context);
    if (source === "X") {
      const { utxos, from, options } = await wallet.assets([ewoq]);
      return avm.newExportTx(wallet.context, destinationChainId, from, utxos, outputs, options);
    }
    const nonce = BigInt(await client.getTransactionCount({ address: evmAddress(ewoq) }));
    const fee = await wallet.baseFee();
    return evm.newExportTxFromBaseFee(wallet.context, fee, 2n * AVAX, destinationChainId, ewoq.evmBytes, [ewoq.bytes], nonce);
  }
});

/** Its bundle does not know its own error for a receipt that is not there yet: it can only wait where none has to be waited for. */
describe("the Avalanche SDK where blocks are made at once", () => {
  let world: World;
  let client: Anything;
  beforeAll(async () => {
    world = await openWorld([ada]);
    client = clientOf(world);
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("sends value on C, and deploys contracts, as viem does", async () => {
    const before = await client.getBalance({ address: evmAddress(ada) });
    const { txHashes } = await client.send({ to: evmAddress(ada), amount: 5n * 10n ** 18n });
    expect(txHashes).toHaveLength(1);
    await client.waitForTransactionReceipt({ hash: txHashes[0].txHash });
    expect(await client.getBalance({ address: evmAddress(ada) })).toBe(before + 5n * 10n ** 18n);
    const { baseFeePerGas } = await client.getBlock();
    expect(BigInt(await client.baseFee())).toBe(baseFeePerGas);
    expect(BigInt(await client.maxPriorityFeePerGas())).toBeGreaterThanOrEqual(0n);
    expect(await client.getChainConfig()).toMatchObject({ chainId: world.network.evmChainId });

    const erc20: Anything = erc20Actions(client);
    const { status, contractAddress } = await erc20.deploy({ name: "Snow", symbol: "SNW", totalSupply: 100 });
    expect(status).toBe("success");
    expect(await erc20.getSymbol({ contractAddress })).toBe("SNW");
  });
});
