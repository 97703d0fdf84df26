/** avalanchejs pays on P and X of a development network, with one and with several owners, and creates assets. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, ewoq } from "./devnet/accounts.ts";
import { AVAX, openWorld, type World } from "./devnet/world.ts";
import type { Account, Anything } from "./wallet.ts";
import { createAsset, createPictures, givePicture, mint, mintPictures, signed } from "./wallet-operations.ts";

const { avm, pvm, Utxo, utils }: Anything = avalanchejs;

const ada = accountNamed("ada");
const trio = ["bob", "cleo", "dora"].map(accountNamed);
/** Two of three, and what they leave to all three. */
const PAIRS = [
  [trio.slice(0, 2), 200n * AVAX],
  [trio.slice(1), 100n * AVAX],
] as const;

describe("on P and X of a development network", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld([ada, ...trio]);
  });
  afterAll(() => world?.stop());
  afterEach(() => world.agreement.hold());

  test("one pays another and three others, on P", async () => {
    const { wallet } = world;
    const outputs = [wallet.output(100n * AVAX, [ada]), wallet.output(300n * AVAX, trio, { threshold: 2 })];
    await wallet.issue("P", pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs }, wallet.context), [ewoq]);
    expect(await balanceOf("P", ada.text)).toBe(`${100n * AVAX}`);
  });

  test("two of three pay on P, whichever two", async () => {
    const { wallet } = world;
    for (const [pair, rest] of PAIRS) {
      const outputs = [wallet.output(10n * AVAX, [ada]), wallet.output(rest, trio, { threshold: 2 })];
      const platform = { ...(await wallet.platform(pair)), changeAddressesBytes: [ada.bytes] };
      await wallet.issue("P", pvm.newBaseTx({ ...platform, outputs }, wallet.context), pair);
    }
  });

  test("one of three cannot pay alone", async () => {
    const { wallet } = world;
    const platform = await wallet.platform(trio.slice(0, 2));
    const unsigned = pvm.newBaseTx({ ...platform, outputs: [wallet.output(AVAX, [ada])] }, wallet.context);
    await expect(wallet.issue("P", unsigned, trio.slice(0, 1))).rejects.toThrow(/couldn't issue tx: .*invalid signature/);
  });

  test("what is locked waits until the clock is there", async () => {
    const { wallet, network } = world;
    const locktime = BigInt(network.now() + 3600);
    const outputs = [wallet.output(50n * AVAX, [trio[0]!], { locktime })];
    await wallet.issue("P", pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs }, wallet.context), [ewoq]);
    const pay = async (amount: bigint) => {
      const platform = { ...(await wallet.platform([trio[0]!])), minIssuanceTime: locktime + 1n };
      return wallet.issue("P", pvm.newBaseTx({ ...platform, outputs: [wallet.output(amount, [ada])] }, wallet.context), [trio[0]!]);
    };
    await expect(pay(40n * AVAX)).rejects.toThrow(/couldn't issue tx.*output is time locked/);
    await world.agreement.hold();
    await network.setTime(locktime + 1n);
    // the same transaction would be refused once more: the node remembers what it dropped
    await pay(41n * AVAX);
  });

  test("one pays another and three others, on X, and two of them pay on", async () => {
    const { wallet } = world;
    const { utxos, from, options } = await wallet.assets([ewoq]);
    const outputs = [wallet.output(100n * AVAX, [ada]), wallet.output(300n * AVAX, trio, { threshold: 2 })];
    await wallet.issue("X", avm.newBaseTx(wallet.context, from, utxos, outputs, options), [ewoq]);
    for (const [pair, rest] of PAIRS) {
      const assets = await wallet.assets(pair);
      const payments = [wallet.output(10n * AVAX, [ada]), wallet.output(rest, trio, { threshold: 2 })];
      const changing = { ...assets.options, changeAddresses: [ada.bytes], threshold: 1 };
      await wallet.issue("X", avm.newBaseTx(wallet.context, assets.from, assets.utxos, payments, changing), pair);
    }
  });

  test("an asset is created, more of it is made, and it is paid with", async () => {
    const { wallet } = world;
    const assetId = await issueMade("CreateAssetTx", await signed(createAsset(await fees(), ada), ada));
    const [right] = await listed(ada, "mint");
    await issueMade("OperationTx", await signed(mint(await fees(), ada, unpacked(right)), ada, ["secp256k1"]));

    const { utxos, from, options } = await wallet.assets([ada]);
    const payment = wallet.output(1003n, [trio[1]!], { assetId });
    await wallet.issue("X", avm.newBaseTx(wallet.context, from, utxos, [payment], options), [ada]);
    expect(await balanceOf("X", trio[1]!.text, assetId)).toBe("1003");
    expect(await balanceOf("X", ada.text, assetId)).toBe("2");
  });

  test("pictures are created, made and given away", async () => {
    const [bob, cleo] = [trio[0]!, trio[1]!];
    await issueMade("CreateAssetTx", await signed(createPictures(await fees(), ada), ada));
    const rights = await listed(ada, "nft mint");
    expect(rights).toHaveLength(2);
    for (const right of rights) {
      const { groupId: group } = right;
      const made = mintPictures(await fees(), ada, { right: unpacked(right), group, receivers: [ada, bob] });
      await issueMade("OperationTx", await signed(made, ada, ["nft"]));
      const picture = (await listed(ada, "nft transfer")).find(({ groupId }) => groupId === group)!;
      const given = givePicture(await fees(), ada, { picture: unpacked(picture), group, receiver: cleo });
      await issueMade("OperationTx", await signed(given, ada, ["nft"]));
    }
    expect(await listed(ada, "nft transfer")).toHaveLength(0);
    for (const owner of [bob, cleo]) expect(await listed(owner, "nft transfer")).toHaveLength(2);
  });

  test("both interfaces tell of all of it", async () => {
    await world.agreement.holdAll();
  });

  async function fees() {
    const { wallet } = world;
    return { context: wallet.context, utxos: await wallet.spendable("X", [ada]), minIssuanceTime: await wallet.time() };
  }

  async function issueMade(type: string, tx: string): Promise<string> {
    const txId = await world.wallet.send("X", tx);
    await world.wallet.expectAccepted({ chain: "X", txId, type });
    await world.agreement.hold();
    return txId;
  }

  async function listed(owner: Account, utxoType: string): Promise<Anything[]> {
    return (await world.wallet.list("X", [owner])).filter((utxo) => utxo.utxoType === utxoType);
  }

  const unpacked = ({ utxoBytes }: Anything): Anything => utils.getManagerForVM("AVM").unpack(utils.hexToBuffer(utxoBytes), Utxo);

  async function balanceOf(chain: "P" | "X", text: string, assetId?: string): Promise<string> {
    const { wallet } = world;
    const { balance } = await wallet.rpc[chain].callRpc(
      "getBalance",
      chain === "P" ? { addresses: [`P-${text}`] } : { address: `X-${text}`, assetID: assetId ?? "AVAX" },
    );
    return `${balance}`;
  }
});
