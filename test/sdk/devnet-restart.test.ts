/** What clients see of a development network after a restart, and after a revert. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as avalanchejs from "@avalabs/avalanchejs";
import { Contract, ContractFactory, Wallet as EthersWallet, JsonRpcProvider } from "ethers";
import { afterAll, describe, expect, test } from "vitest";
import { avaxOf } from "../devnet/conservation.ts";
import { accountNamed, evmAddress, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { COUNTER_ABI, COUNTER_BYTECODE } from "./devnet/counter.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Anything } from "./wallet.ts";

const { avm, evm, pvm }: Anything = avalanchejs;

const ada = accountNamed("ada");
const dataDirectory = mkdtempSync(join(tmpdir(), "firn-kept-"));

/** A network and its C-chain, as clients see them. */
class Scene {
  readonly world: World;
  readonly provider: JsonRpcProvider;
  readonly signer: EthersWallet;

  constructor(world: World) {
    const { urls, evmChainId } = world.network;
    this.world = world;
    this.provider = new JsonRpcProvider(urls.C, evmChainId, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 });
    this.signer = new EthersWallet(privateKeyHex(ewoq), this.provider);
  }

  static async open(): Promise<Scene> {
    return new Scene(await openWorld([ada], { dataDirectory }));
  }

  counter(address: string): Anything {
    return new Contract(address, COUNTER_ABI, this.signer);
  }

  async pay(amount: bigint): Promise<void> {
    const { wallet } = this.world;
    const outputs = [wallet.output(amount, [ada])];
    await wallet.issue("P", pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs }, wallet.context), [ewoq]);
  }

  /** On its way from C to X after it. */
  async exportFromC(amount: bigint): Promise<void> {
    const { wallet } = this.world;
    const nonce = BigInt(await this.provider.getTransactionCount(this.signer.address));
    const baseFee = await wallet.baseFee();
    const tx = evm.newExportTxFromBaseFee(wallet.context, baseFee, amount, wallet.chainIds.X, ewoq.evmBytes, [ada.bytes], nonce);
    await wallet.issue("C", tx, [ewoq]);
  }

  async importToX(): Promise<void> {
    const { wallet } = this.world;
    const utxos = await wallet.importable("X", "C", [ada]);
    const options = { minIssuanceTime: await wallet.time() };
    const tx = avm.newImportTx(wallet.context, wallet.chainIds.C, utxos, [ada.bytes], [ada.bytes], options);
    await wallet.issue("X", tx, [ada]);
  }

  /** Everything that the network says of itself. */
  async facts() {
    const { wallet, network } = this.world;
    const addresses = [`P-${ada.text}`];
    return {
      onP: (await wallet.rpc.P.callRpc("getBalance", { addresses })).balance,
      onX: (await wallet.rpc.X.callRpc("getAllBalances", { address: `X-${ada.text}` })).balances,
      onC: await this.provider.getBalance(evmAddress(ada)),
      heights: await Promise.all([
        ...[wallet.rpc.P, wallet.rpc.X].map(async (api) => (await api.callRpc("getHeight", {})).height),
        this.provider.getBlockNumber(),
      ]),
      nonce: await this.provider.getTransactionCount(this.signer.address),
      all: (await avaxOf(network.devnet)).total,
    };
  }

  async close(): Promise<void> {
    this.provider.destroy();
    await this.world.stop();
  }
}

describe("a development network that is kept", () => {
  let scene: Scene;
  let counterAddress: string;
  let receiptHash: string;
  afterAll(async () => {
    await scene?.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  test("is after a restart what it was, and goes on", async () => {
    scene = await Scene.open();
    const factory = new ContractFactory(COUNTER_ABI, COUNTER_BYTECODE, scene.signer);
    counterAddress = await (await (await factory.deploy()).waitForDeployment()).getAddress();
    receiptHash = (await (await scene.counter(counterAddress).increment()).wait()).hash;
    await scene.pay(7n * AVAX);
    await scene.exportFromC(3n * AVAX);
    await scene.world.agreement.hold();
    const before = await scene.facts();
    const { now } = scene.world.network;
    await scene.world.network.advanceTime(3600);
    const time = now();
    await scene.close();

    scene = await Scene.open();
    expect(await scene.facts()).toEqual(before);
    expect(scene.world.network.now()).toBeGreaterThanOrEqual(time);
    await scene.world.agreement.hold();
    const counter = scene.counter(counterAddress);
    expect(await counter.count()).toBe(1n);
    expect(await counter.queryFilter(counter.filters.Incremented())).toMatchObject([{ transactionHash: receiptHash }]);
    expect((await scene.provider.getTransactionReceipt(receiptHash))!.status).toBe(1);

    await scene.importToX();
    await (await counter.increment()).wait();
    expect(await counter.count()).toBe(2n);
    await scene.pay(AVAX);
    await scene.world.agreement.holdAll();
  });

  test("is after a revert what it was, on all chains, and goes on", async () => {
    const { network, agreement } = scene.world;
    const counter = scene.counter(counterAddress);
    const before = await scene.facts();
    const time = network.now();
    const snapshot = await network.snapshot();

    await (await counter.increment()).wait();
    await (await scene.signer.sendTransaction({ to: evmAddress(ada), value: 5n })).wait();
    await scene.pay(11n * AVAX);
    await scene.exportFromC(2n * AVAX);
    await scene.importToX();
    await network.advanceTime(60n * 24n * 3600n);
    await agreement.hold();
    expect(await scene.facts()).not.toEqual(before);

    await network.revert(snapshot);
    expect(await scene.facts()).toEqual(before);
    expect(network.now() - time).toBeLessThan(3600);
    expect(await counter.count()).toBe(2n);
    agreement.forget();
    await agreement.hold();

    await scene.pay(11n * AVAX);
    await scene.exportFromC(2n * AVAX);
    await scene.importToX();
    expect(await (await counter.increment()).wait()).toMatchObject({ status: 1 });
    expect(await counter.count()).toBe(3n);
    await agreement.hold();
  });
});
