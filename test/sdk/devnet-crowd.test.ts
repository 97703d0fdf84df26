/** Several clients at once, each on all chains: what each one is told is true, whatever the others do. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { Wallet as EthersWallet, JsonRpcProvider } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountNamed, evmAddress, privateKeyHex } from "./devnet/accounts.ts";
import { IssuingWallet } from "./devnet/issuing-wallet.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything } from "./wallet.ts";

const { avm, evm, pvm }: Anything = avalanchejs;

const crowd = ["ada", "bob", "cleo", "dora", "ella"].map(accountNamed);
const WEI = 1_000_000_000n;

let world: World;
let provider: JsonRpcProvider;
beforeAll(async () => {
  world = await openWorld(crowd);
  const { urls, evmChainId } = world.network;
  provider = new JsonRpcProvider(urls.C, evmChainId, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 });
  await Promise.all(
    crowd.flatMap(({ text }) => [world.network.fund(`P-${text}`, 50n * AVAX), world.network.fund(`X-${text}`, 50n * AVAX)]),
  );
});
afterAll(async () => {
  provider?.destroy();
  await world?.stop();
});

test("a crowd pays, moves AVAX around and sends it on C, all at once", async () => {
  const wallets = await Promise.all(crowd.map(() => IssuingWallet.open(world.network.url)));
  await Promise.all(crowd.map((owner, i) => rounds(wallets[i]!, owner, crowd[(i + 1) % crowd.length]!)));
  world.wallet.issued.push(...wallets.flatMap(({ issued }) => issued));
  await world.agreement.holdAll();
  expect(world.wallet.issued).toHaveLength(crowd.length * 2 * 6);
});

/** Each spends only its own, and reads it from the Data API at every step: what it was told is accepted has to be there. */
async function rounds(wallet: IssuingWallet, owner: Account, next: Account): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await onPlatform(wallet, owner, (platform) =>
      pvm.newBaseTx({ ...platform, outputs: [wallet.output(AVAX / 10n, [next])] }, wallet.context),
    );
    const { utxos, from, options } = await wallet.assets([owner]);
    const outgoing = [wallet.output(10n * AVAX, [owner])];
    await wallet.issue("X", avm.newExportTx(wallet.context, wallet.chainIds.C, from, utxos, outgoing, options), [owner]);
    const incoming = await wallet.importable("C", "X", [owner]);
    const fee = await wallet.baseFee();
    const before = await provider.getBalance(evmAddress(owner));
    const arrival = evm.newImportTxFromBaseFee(wallet.context, owner.evmBytes, [owner.bytes], incoming, wallet.chainIds.X, fee);
    await wallet.issue("C", arrival, [owner]);
    expect(await provider.getBalance(evmAddress(owner))).toBeGreaterThan(before + 9n * AVAX * WEI);

    const signer = new EthersWallet(privateKeyHex(owner), provider);
    // to nobody: what one has is changed by nobody else
    const sent = await signer.sendTransaction({ to: `0x${"dead".repeat(10)}`, value: 1n });
    expect(await sent.wait()).toMatchObject({ status: 1 });
    const nonce = BigInt(await provider.getTransactionCount(signer.address));
    const leaving = evm.newExportTxFromBaseFee(wallet.context, fee, 2n * AVAX, wallet.chainIds.P, owner.evmBytes, [owner.bytes], nonce);
    await wallet.issue("C", leaving, [owner]);
    await onPlatform(wallet, owner, async (platform) => {
      const shared = { ...platform, utxos: await wallet.importable("P", "C", [owner]) };
      return pvm.newImportTx({ ...shared, sourceChainId: wallet.chainIds.C, toAddressesBytes: [owner.bytes] }, wallet.context);
    });
    const assets = await wallet.assets([owner]);
    const payment = [wallet.output(AVAX / 10n, [next])];
    await wallet.issue("X", avm.newBaseTx(wallet.context, assets.from, assets.utxos, payment, assets.options), [owner]);
  }
}

async function onPlatform(wallet: IssuingWallet, owner: Account, build: (platform: Anything) => Anything): Promise<void> {
  await wallet.issue("P", await build(await wallet.platform([owner])), [owner]);
}
