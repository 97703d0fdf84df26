/** Paying on the X-chain and moving funds between chains, with UTXOs from the Data API alone. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Account, type Anything, type ChainName, codecOf, type ListedUtxo, rebuilt } from "./wallet.ts";
import { account, accountsOf, networkAt, partners, type ServedNetwork } from "./wallet-node.ts";
import { createAsset, mint, signed } from "./wallet-operations.ts";

const { avm, Context, evm, pvm, TransferableOutput, Utxo, utils }: Anything = avalanchejs;

/** nAVAX for a unit of gas; the node that judges knows no fee of the EVM */
const BASE_FEE = 25n;
const receiver = account("k07").bytes;
const payment = (assetId: string, amount: bigint) => TransferableOutput.fromNative(assetId, amount, [receiver]);

function otherAssets(utxos: readonly Anything[], avaxAssetId: string): string[] {
  const plain = utxos.filter(({ output }) => utils.isTransferOut(output) && output.amount() >= 7n);
  return [...new Set<string>(plain.map((utxo) => utxo.getAssetId()))].filter((assetId) => assetId !== avaxAssetId);
}

/** Outputs from X to P and to C are under way, each also one of three owners. */
describe("with exports of the X-chain under way", () => {
  let network: ServedNetwork;
  beforeAll(async () => {
    network = await networkAt({ P: 4, X: 29, C: 5 });
  });
  afterAll(() => network?.stop());

  test("knows the chains and the asset by the IDs that node RPC gives", async () => {
    const { wallet, serving } = network;
    expect(wallet.context).toEqual(await Context.getContextFromURI(serving.url));
  });

  test("rebuilds from members of answers the bytes that the node has", async () => {
    await expectRebuilt(network, Object.values(accountsOf("latest-1")));
  });

  test("imports to P what one owns and what three own", async () => {
    const { wallet } = network;
    for (const owners of [[account("k02")], [account("k01")], partners.slice(0, 2), partners.slice(1)]) {
      const { utxos: _, ...platform } = await wallet.platform(owners);
      const utxos = await wallet.importable("P", "X", owners);
      expect(utxos.length).toBeGreaterThan(0);
      const props = { ...platform, utxos, sourceChainId: wallet.chainIds.X, toAddressesBytes: [account("k05").bytes] };
      await wallet.accepts("P", pvm.newImportTx(props, wallet.context), owners);
    }
  });

  test("imports to C what one owns and what three own", async () => {
    const { wallet } = network;
    for (const owners of [[account("k02")], [account("k01")], partners.slice(0, 2)]) {
      const utxos = await wallet.importable("C", "X", owners);
      expect(utxos.length).toBeGreaterThan(0);
      const from = owners.map(({ bytes }) => bytes);
      const tx = evm.newImportTxFromBaseFee(wallet.context, account("k03").evmBytes, from, utxos, wallet.chainIds.X, BASE_FEE);
      await wallet.accepts("C", tx, owners);
    }
  });

  test("pays from the P-chain's genesis, which no transaction made", async () => {
    const { wallet } = network;
    const owner = account("k13");
    const outputs = [payment(wallet.context.avaxAssetID, 1_000_000n)];
    await wallet.acceptsBuilt("P", pvm.newBaseTx({ ...(await wallet.platform([owner])), outputs }, wallet.context), [owner]);
  });

  test("exports from C, which takes no UTXO", async () => {
    const { wallet } = network;
    const [from, to] = [account("k03"), [account("k05").bytes]];
    for (const chain of ["P", "X"] as const) {
      const tx = evm.newExportTxFromBaseFee(wallet.context, BASE_FEE, 5_000_000n, wallet.chainIds[chain], from.evmBytes, to, 0n);
      await wallet.accepts("C", tx, [from]);
    }
  });

  test("pays on X from outputs of one, two and three owners, in several assets", async () => {
    const { wallet } = network;
    const { avaxAssetID } = wallet.context;
    for (const owners of [[account("k01")], partners.slice(0, 2), partners.slice(1), partners]) {
      const utxos = await wallet.spendable("X", owners);
      const outputs = [payment(avaxAssetID, 1_000_000n), ...otherAssets(utxos, avaxAssetID).map((assetId) => payment(assetId, 7n))];
      expect(outputs.length).toBeGreaterThan(1);
      const from = owners.map(({ bytes }) => bytes);
      const options = { minIssuanceTime: await wallet.time() };
      await wallet.accepts("X", avm.newBaseTx(wallet.context, from, utxos, outputs, options), owners);
      for (const chain of ["P", "C"] as const) {
        const outgoing = avm.newExportTx(wallet.context, wallet.chainIds[chain], from, utxos, [...outputs], options);
        await wallet.accepts("X", outgoing, owners);
      }
    }
  });

  test("creates an asset, and makes more of one", async () => {
    const { wallet } = network;
    const owner = account("k01");
    const fees = { context: wallet.context, utxos: await wallet.spendable("X", [owner]), minIssuanceTime: await wallet.time() };
    const asset = createAsset(fees, owner);
    await wallet.acceptsText("X", await signed(asset, owner));

    const [{ utxoBytes }] = (await wallet.list("X", [owner])).filter(({ utxoType }) => utxoType === "mint") as [ListedUtxo];
    const right = utils.getManagerForVM("AVM").unpack(utils.hexToBuffer(utxoBytes), Utxo);
    const more = mint(fees, owner, right);
    await wallet.acceptsText("X", await signed(more, owner, ["secp256k1"]));
  });

  test("sees an output of several owners when it asks for as many as it takes", async () => {
    const { wallet } = network;
    const ids = async (count: number) => (await wallet.spendable("X", partners.slice(0, count))).map((utxo) => utxo.ID());
    const thresholds = async (count: number) =>
      new Set((await wallet.spendable("X", partners.slice(0, count))).map((utxo) => utxo.getOutputOwners().threshold.value()));
    expect(await thresholds(1)).not.toContain(2);
    expect(await thresholds(2)).toContain(2);
    expect(await thresholds(2)).not.toContain(3);
    expect(await thresholds(3)).toContain(3);
    expect(await ids(3)).toEqual(expect.arrayContaining(await ids(2)));
  });
});

describe("with exports of the P- and the C-chain under way", () => {
  let network: ServedNetwork;
  beforeAll(async () => {
    network = await networkAt({ P: 8, X: 29, C: 10 });
  });
  afterAll(() => network?.stop());

  test("imports to X from P, another asset included, and from C", async () => {
    const { wallet } = network;
    for (const [source, name] of [
      ["P", "k04"],
      ["P", "k05"],
      ["C", "k07"],
      ["C", "k08"],
    ] as const) {
      const owner = account(name);
      const utxos = await wallet.importable("X", source, [owner]);
      expect(utxos.length).toBeGreaterThan(0);
      const time = { minIssuanceTime: await wallet.time() };
      const tx = avm.newImportTx(wallet.context, wallet.chainIds[source], utxos, [account("k01").bytes], [owner.bytes], time);
      await wallet.accepts("X", tx, [owner]);
    }
  });

  test("imports to P from C, and to C from P", async () => {
    const { wallet } = network;
    const [toPlatform, toEvm] = [account("k09"), account("k06")];
    const { utxos: _, ...platform } = await wallet.platform([toPlatform]);
    const fromEvm = await wallet.importable("P", "C", [toPlatform]);
    const props = { ...platform, utxos: fromEvm, sourceChainId: wallet.chainIds.C, toAddressesBytes: [toPlatform.bytes] };
    await wallet.accepts("P", pvm.newImportTx(props, wallet.context), [toPlatform]);

    const fromPlatform = await wallet.importable("C", "P", [toEvm]);
    const tx = evm.newImportTxFromBaseFee(wallet.context, toEvm.evmBytes, [toEvm.bytes], fromPlatform, wallet.chainIds.P, BASE_FEE);
    await wallet.accepts("C", tx, [toEvm]);
  });

  test("is shown for each chain what it exported and what it can import, and spends neither as its own", async () => {
    const { wallet } = network;
    const exported = await wallet.list("P", [account("k05")]);
    const ids = (utxos: readonly Anything[]) => utxos.map((utxo) => utxo.ID()).sort();
    const outgoing = exported.filter(({ consumedOnChainId }) => consumedOnChainId === wallet.chainIds.X);
    expect(outgoing).toHaveLength(1);
    expect(ids(outgoing.map(rebuilt))).toEqual(ids(await wallet.importable("X", "P", [account("k05")])));
    expect(ids(await wallet.spendable("P", [account("k05")]))).not.toContain(outgoing[0]!.utxoId);
    expect(ids(await wallet.spendable("X", [account("k05")]))).not.toContain(outgoing[0]!.utxoId);
  });
});

describe("with exports under way that are locked", () => {
  test("rebuilds them from members of answers as well", async () => {
    const network = await networkAt({ P: 4, X: 6, C: 0 }, "eras-1");
    const everybody = Object.values(accountsOf("eras-1"));
    const locked = (await network.wallet.importable("P", "X", everybody)).filter((utxo) => utxo.getOutputOwners().locktime.value() > 0n);
    expect(locked).toHaveLength(2);
    await expectRebuilt(network, everybody);
    await network.stop();
  });
});

/** What is listed as unspent is what the node has, and its members tell as much as its bytes. */
async function expectRebuilt({ wallet }: ServedNetwork, everybody: readonly Account[]): Promise<void> {
  for (const [chain, others] of [
    ["P", ["X", "C"]],
    ["X", ["P", "C"]],
    ["C", ["P", "X"]],
  ] as const) {
    const addresses = everybody.map(({ text }) => `${chain}-${text}`);
    const sources = [...(chain === "C" ? [] : [undefined]), ...others];
    const ofNode = await Promise.all(sources.map((source) => nodeUtxos(wallet.rpc[chain], addresses, source)));
    const listed = await wallet.list(chain, everybody);
    expect(await wallet.listByPost(chain, everybody)).toEqual(listed);
    const here = listed.filter((utxo) => utxo.consumedOnChainId === wallet.chainIds[chain] && !("staked" in utxo && utxo.staked));
    expect(here.map(({ utxoBytes }) => utxoBytes).sort()).toEqual(ofNode.flat().sort());
    for (const utxo of listed) {
      // others than plain outputs are no wallet's: their bytes alone tell what they are
      if (!["transfer", "TRANSFER", "STAKE"].includes(utxo.utxoType)) continue;
      expect(textOf(chain, rebuilt(utxo))).toBe(utxo.utxoBytes);
    }
  }
}

async function nodeUtxos(api: Anything, addresses: readonly string[], sourceChain: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  let startIndex: Anything;
  for (;;) {
    const page = await api.callRpc("getUTXOs", {
      addresses,
      encoding: "hex",
      limit: 1024,
      ...(sourceChain && { sourceChain }),
      startIndex,
    });
    texts.push(...page.utxos);
    if (page.utxos.length < 1024) return texts;
    startIndex = page.endIndex;
  }
}

function textOf(chain: ChainName, utxo: Anything): string {
  return utils.bufferToHex(utils.addChecksum(Buffer.concat([Buffer.alloc(2), utxo.toBytes(codecOf(chain))])));
}
