/** avalanchejs moves AVAX between P, X and C of a development network in all six directions; ethers reads the balances on C. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { JsonRpcProvider } from "ethers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, evmAddress, ewoq } from "./devnet/accounts.ts";
import { importAll } from "./devnet/platform-parts.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything, ChainName } from "./wallet.ts";
import { createAsset, signed } from "./wallet-operations.ts";

const { avm, evm, pvm, utils }: Anything = avalanchejs;

const ada = accountNamed("ada");
const trio = ["bob", "cleo", "dora"].map(accountNamed);
const pair = trio.slice(0, 2);
const WEI = 1_000_000_000n;

describe("between the chains of a development network", () => {
  let world: World;
  let provider: JsonRpcProvider;
  beforeAll(async () => {
    world = await openWorld([ada, ...trio]);
    provider = new JsonRpcProvider(world.network.urls.C, world.network.evmChainId, { staticNetwork: true, cacheTimeout: -1 });
  });
  afterAll(async () => {
    provider?.destroy();
    await world?.stop();
  });
  afterEach(() => world.agreement.hold());

  test.each([
    ["X", "P"],
    ["P", "X"],
    ["X", "C"],
    ["P", "C"],
  ] as const)("from %s to %s", async (source, destination) => {
    const onC = await weiOf(ada);
    const before = await balance(destination, ada);
    await exportFrom(source, destination, 20n * AVAX, [ada]);
    await world.agreement.hold();
    expect(await incoming(destination, source, [ada])).toBe(20n * AVAX);
    const fee = await importTo(destination, source, [ada], ada);
    expect(await incoming(destination, source, [ada])).toBe(0n);
    if (destination === "C") expect(await weiOf(ada)).toBe(onC + (20n * AVAX - fee) * WEI);
    else expect(await balance(destination, ada)).toBe(before + 20n * AVAX - fee);
  });

  test.each(["X", "P"] as const)("from C to %s, where the account's nonce counts on", async (destination) => {
    const [wei, nonce, before] = [await weiOf(ada), await provider.getTransactionCount(evmAddress(ada)), await balance(destination, ada)];
    const burned = await exportFromC(destination, 5n * AVAX, ada, [ada]);
    expect(await weiOf(ada)).toBe(wei - (5n * AVAX + burned) * WEI);
    expect(await provider.getTransactionCount(evmAddress(ada))).toBe(nonce + 1);
    await world.agreement.hold();
    const fee = await importTo(destination, "C", [ada], ada);
    expect(await balance(destination, ada)).toBe(before + 5n * AVAX - fee);
  });

  test("an export from C with a nonce that was used is refused", async () => {
    const { wallet } = world;
    const nonce = BigInt(await provider.getTransactionCount(evmAddress(ada))) - 1n;
    const [fee, to] = [await wallet.baseFee(), [ada.bytes]];
    const tx = evm.newExportTxFromBaseFee(wallet.context, fee, AVAX, wallet.chainIds.X, ada.evmBytes, to, nonce);
    await expect(wallet.issue("C", tx, [ada])).rejects.toThrow(/nonce mismatch: address .* has nonce 2 but needs 1/);
  });

  test("what two of three own is imported to C by two of them, and by one of them not", async () => {
    const { wallet } = world;
    await exportFrom("X", "C", 9n * AVAX, trio, 2);
    await world.agreement.hold();
    const before = await weiOf(trio[2]!);
    expect(await wallet.importable("C", "X", [trio[0]!])).toEqual([]);
    const fee = await importTo("C", "X", pair, trio[2]!);
    expect(await weiOf(trio[2]!)).toBe(before + (9n * AVAX - fee) * WEI);
    expect(wallet.issued.filter(({ chain }) => chain === "C").length).toBeGreaterThan(4);
  });

  test("another asset goes from X to P and comes back", async () => {
    const { wallet } = world;
    const fees = { context: wallet.context, utxos: await wallet.spendable("X", [ewoq]), minIssuanceTime: await wallet.time() };
    const assetId = await wallet.send("X", await signed(createAsset(fees, ewoq), ewoq));
    await wallet.expectAccepted({ chain: "X", txId: assetId, type: "CreateAssetTx" });
    const { utxos, from, options } = await wallet.assets([ewoq]);
    const outputs = [wallet.output(10n, [ada], { assetId }), wallet.output(AVAX, [ada])];
    await wallet.issue("X", avm.newExportTx(wallet.context, wallet.chainIds.P, from, utxos, outputs, options), [ewoq]);
    await wallet.issue("P", await importAll(wallet, "X", ada), [ada]);
    await world.agreement.hold();
    const platform = await wallet.platform([ada]);
    // AVAX beside it pays for the import
    const outgoing = [wallet.output(10n, [ada], { assetId }), wallet.output(AVAX, [ada])];
    const back = { ...platform, outputs: outgoing, destinationChainId: wallet.chainIds.X };
    await wallet.issue("P", pvm.newExportTx(back, wallet.context), [ada]);
    await world.agreement.hold();
    await importTo("X", "P", [ada], ada);
    const { balance } = await wallet.rpc.X.callRpc("getBalance", { address: `X-${ada.text}`, assetID: assetId });
    expect(balance).toBe("10");
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  /** Paid by the pre-funded account. */
  async function exportFrom(source: "P" | "X", destination: ChainName, amount: bigint, owners: readonly Account[], threshold = 1) {
    const { wallet } = world;
    const outputs = [wallet.output(amount, owners, { threshold })];
    const destinationChainId = wallet.chainIds[destination];
    if (source === "P") {
      const platform = await wallet.platform([ewoq]);
      return wallet.issue("P", pvm.newExportTx({ ...platform, outputs, destinationChainId }, wallet.context), [ewoq]);
    }
    const { utxos, from, options } = await wallet.assets([ewoq]);
    return wallet.issue("X", avm.newExportTx(wallet.context, destinationChainId, from, utxos, outputs, options), [ewoq]);
  }

  /** @returns what it burned, nAVAX */
  async function exportFromC(destination: "P" | "X", amount: bigint, from: Account, owners: readonly Account[]): Promise<bigint> {
    const { wallet } = world;
    const nonce = BigInt(await provider.getTransactionCount(evmAddress(from)));
    const to = owners.map(({ bytes }) => bytes);
    const baseFee = await wallet.baseFee();
    const tx = evm.newExportTxFromBaseFee(wallet.context, baseFee, amount, wallet.chainIds[destination], from.evmBytes, to, nonce);
    await wallet.issue("C", tx, [from]);
    return burnedBy(tx);
  }

  /** @returns what it burned, nAVAX */
  async function importTo(destination: ChainName, source: ChainName, owners: readonly Account[], to: Account): Promise<bigint> {
    const { wallet } = world;
    const utxos = await wallet.importable(destination, source, owners);
    const from = owners.map(({ bytes }) => bytes);
    const sourceId = wallet.chainIds[source];
    const build = {
      async P() {
        const platform = await wallet.platform(owners, utxos);
        return pvm.newImportTx({ ...platform, sourceChainId: sourceId, toAddressesBytes: [to.bytes] }, wallet.context);
      },
      async X() {
        const options = { minIssuanceTime: await wallet.time() };
        const unsigned = avm.newImportTx(wallet.context, sourceId, utxos, [to.bytes], from, options);
        // avalanchejs leaves outputs of several assets in the order of their UTXOs, which X may refuse
        unsigned.getTx().baseTx.outputs.sort((a: Anything, b: Anything) => Buffer.compare(a.assetId.toBytes(), b.assetId.toBytes()));
        return unsigned;
      },
      async C() {
        return evm.newImportTxFromBaseFee(wallet.context, to.evmBytes, from, utxos, sourceId, await wallet.baseFee());
      },
    };
    const unsigned = await build[destination]();
    await wallet.issue(destination, unsigned, owners);
    return burnedBy(unsigned);
  }

  function burnedBy(unsigned: Anything): bigint {
    return utils.getBurnedAmountByTx(unsigned.getTx(), world.wallet.context).get(world.wallet.context.avaxAssetID) ?? 0n;
  }

  const weiOf = (account: Account): Promise<bigint> => provider.getBalance(evmAddress(account));

  async function balance(chain: ChainName, { text }: Account): Promise<bigint> {
    if (chain === "C") return 0n;
    const params = chain === "P" ? { addresses: [`P-${text}`] } : { address: `X-${text}`, assetID: "AVAX" };
    return BigInt((await world.wallet.rpc[chain].callRpc("getBalance", params)).balance);
  }

  /** What waits to be imported, as the node has it. */
  async function incoming(chain: ChainName, sourceChain: ChainName, owners: readonly Account[]): Promise<bigint> {
    const addresses = owners.map(({ text }) => `${chain}-${text}`);
    const { utxos } = await world.wallet.rpc[chain].getUTXOs({ addresses, sourceChain });
    return utxos.reduce((sum: bigint, { output }: Anything) => sum + output.amount(), 0n);
  }
});
