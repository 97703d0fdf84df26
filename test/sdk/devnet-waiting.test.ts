/**
 * What clients are told about transactions that wait for the next block of a development network, and about those that never get into one.
 */
import * as avalanchejs from "@avalabs/avalanchejs";
import { Wallet as EthersWallet, JsonRpcProvider } from "ethers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, evmAddress, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything, ChainName } from "./wallet.ts";

const { avaxSerial, avm, evm, pvm, Utxo }: Anything = avalanchejs;

const [ada, bob] = ["ada", "bob"].map(accountNamed) as [Account, Account];
const HOUR_MS = 3_600_000;

describe("with a block an hour", () => {
  let world: World;
  let provider: JsonRpcProvider;
  beforeAll(async () => {
    world = await openWorld([ada, bob], { blockTimeMs: HOUR_MS });
    const { urls, evmChainId } = world.network;
    provider = new JsonRpcProvider(urls.C, evmChainId, { staticNetwork: true, cacheTimeout: -1 });
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.stop();
  });
  afterEach(() => world.agreement.hold());

  test("payments on P that build on each other wait, then are accepted together", async () => {
    const { wallet, network } = world;
    const platform = await wallet.platform([ewoq]);
    const first = pvm.newBaseTx({ ...platform, outputs: [wallet.output(10n * AVAX, [ada])] }, wallet.context);
    const firstId = await waits("P", first, ewoq);
    const utxos = outputsOf(first, firstId).filter((utxo) => utxo.output.amount() === 10n * AVAX);
    const next = { ...platform, fromAddressesBytes: [ada.bytes], utxos, outputs: [wallet.output(4n * AVAX, [bob])] };
    const second = pvm.newBaseTx(next, wallet.context);
    const secondId = await waits("P", second, ada);
    await world.agreement.hold();
    await network.mine();
    for (const txId of [firstId, secondId]) await wallet.expectAccepted({ chain: "P", txId, type: "BaseTx" });
  });

  test("a blockchain that is about to be created is preferred", async () => {
    const { wallet, network } = world;
    const owners = { subnetOwners: [ada.bytes], threshold: 1, locktime: 0n };
    const subnetId = await waits("P", pvm.newCreateSubnetTx({ ...(await wallet.platform([ewoq])), ...owners }, wallet.context), ewoq);
    await network.mine();
    const chain = { subnetId, subnetAuth: [0], chainName: "a chain", fxIds: [], genesisData: {}, vmId: subnetId };
    const unsigned = pvm.newCreateChainTx({ ...(await wallet.platform([ewoq])), ...chain }, wallet.context);
    const status = (blockchainID: string) => wallet.rpc.P.callRpc("getBlockchainStatus", { blockchainID });
    const chainId = await waits("P", unsigned, ewoq, [ada]);
    expect(await status(chainId)).toEqual({ status: "Preferred" });
    await network.mine();
    expect(await status(chainId)).toEqual({ status: "Created" });
  });

  test("what P refuses is dropped, and why", async () => {
    const { wallet, network } = world;
    const output = wallet.output(AVAX, [ada]);
    const unsigned = pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs: [output] }, wallet.context);
    await expect(wallet.acceptsBuilt("P", unsigned, [bob])).rejects.toThrow(/couldn't issue tx: .*invalid signature/);
    const txID = idOf("P", unsigned);
    expect(await wallet.rpc.P.getTxStatus({ txID })).toMatchObject({
      status: "Dropped",
      reason: expect.stringMatching(/invalid signature/),
    });
    await network.mine();
    expect((await wallet.rpc.P.getTxStatus({ txID })).status).toBe("Dropped");
  });

  test("payments on X wait, chained ones too; one that spends the same twice is refused", async () => {
    const { wallet, network } = world;
    const { utxos, from, options } = await wallet.assets([ewoq]);
    const first = avm.newBaseTx(wallet.context, from, utxos, [wallet.output(10n * AVAX, [ada])], options);
    const firstId = await waits("X", first, ewoq);
    const received = outputsOf(first, firstId).filter((utxo) => utxo.output.amount() === 10n * AVAX);
    const second = avm.newBaseTx(wallet.context, [ada.bytes], received, [wallet.output(AVAX, [bob])], options);
    const secondId = await waits("X", second, ada);
    const twice = avm.newBaseTx(wallet.context, from, utxos, [wallet.output(11n * AVAX, [ada])], options);
    await expect(wallet.acceptsBuilt("X", twice, [ewoq])).rejects.toThrow(/tx conflicts with other tx/);
    await world.agreement.hold();
    await network.mine();
    for (const txId of [firstId, secondId]) await wallet.expectAccepted({ chain: "X", txId, type: "BaseTx" });
  });

  test("on C a payment, an export and a call wait for one block", async () => {
    const { wallet, network } = world;
    const signer = new EthersWallet(privateKeyHex(ewoq), provider);
    const sent = await signer.sendTransaction({ to: evmAddress(ada), value: 10n ** 18n });
    expect(await provider.getTransactionReceipt(sent.hash)).toBeNull();
    expect((await provider.getTransaction(sent.hash))!.blockNumber).toBeNull();
    const height = await provider.getBlockNumber();
    await network.mine();
    expect((await provider.getTransactionReceipt(sent.hash))!.status).toBe(1);
    const nonce = BigInt(await provider.getTransactionCount(signer.address));
    const [fee, to] = [await wallet.baseFee(), [bob.bytes]];
    const unsigned = evm.newExportTxFromBaseFee(wallet.context, fee, AVAX, wallet.chainIds.X, ewoq.evmBytes, to, nonce);
    const txId = await waits("C", unsigned, ewoq);
    await world.agreement.hold();
    await network.mine();
    await wallet.expectAccepted({ chain: "C", txId, type: "ExportTx" });
    expect(await provider.getBlockNumber()).toBe(height + 2);
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  /** @returns the ID of what is known to wait */
  async function waits(chain: ChainName, unsigned: Anything, signer: Account, authorizers: readonly Account[] = []): Promise<string> {
    const { wallet } = world;
    await wallet.acceptsBuilt(chain, unsigned, [signer], authorizers);
    const txID = idOf(chain, unsigned);
    // the release's C-chain tells of accepted ones alone
    if (chain === "C")
      await expect(wallet.rpc.C.getAtomicTx({ txID, encoding: "hex" })).rejects.toThrow("fetching tx: reading tx: not found");
    else expect(await wallet.rpc[chain].getTxStatus({ txID })).toEqual({ status: "Processing" });
    await expect(wallet.ask(`/blockchains/${chain.toLowerCase()}-chain/transactions/${txID}`)).rejects.toThrow(/404/);
    return txID;
  }

  const idOf = (chain: ChainName, unsigned: Anything): string => world.wallet.signedId(chain, unsigned);

  function outputsOf(unsigned: Anything, txId: string): Anything[] {
    const { outputs } = unsigned.getTx().baseTx;
    return outputs.map(({ assetId, output }: Anything, i: number) => new Utxo(avaxSerial.UTXOID.fromNative(txId, i), assetId, output));
  }
});
