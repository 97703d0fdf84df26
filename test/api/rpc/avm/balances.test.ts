import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { avmMethods } from "../../../../src/api/rpc/avm/methods.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { nameId } from "../../../../src/base/bytes/id.ts";
import { utxoId, utxoRank } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeAll } from "../../../../src/base/codec/codec.ts";
import { assetCodec } from "../../../../src/chains/asset/codec.ts";
import { assetAliases, assetChains, assetUtxos } from "../../../../src/chains/asset/tables.ts";
import { utxosByAddress } from "../../../../src/index/tables.ts";
import { ChainNode, id, shortId } from "../chain-node.ts";

const X_FXS = ["secp256k1fx", "nftfx", "propertyfx"].map(nameId);
const owner = shortId(5);
const other = shortId(6);
const AVAX = id(0xaa);

interface Output {
  readonly kind?: "secp256k1.TransferOutput" | "secp256k1.MintOutput" | "nft.MintOutput" | "property.OwnedOutput";
  readonly assetId?: string;
  readonly amount?: bigint;
  readonly locktime?: bigint;
  readonly addresses?: readonly string[];
}

/** An asset chain whose UTXOs are these, the first one's transaction being number 1. */
function nodeWith(outputs: readonly Output[], fxIds = X_FXS): ChainNode {
  const node = new ChainNode(avmMethods);
  const { chainId } = node.chain;
  node.reader.put(assetChains, { chain: 0 }, { chainId, fxIds });
  node.reader.put(assetAliases, { chain: 0, alias: "AVAX" }, { assetId: AVAX });
  for (const [
    i,
    { kind = "secp256k1.TransferOutput", assetId = AVAX, amount = 1n, locktime = 0n, addresses = [owner] },
  ] of outputs.entries()) {
    const txId = id(i + 1);
    const body = { kind, amount, locktime, threshold: 1, addresses: [...addresses], groupId: 0 };
    const bytes = encodeAll(assetCodec(fxIds).utxo, { txId, outputIndex: i, assetId, output: body });
    const [place, rank] = [{ chain: 0, utxoId: utxoId(txId, i) }, utxoRank(0n)];
    node.reader.put(assetUtxos, place, { bytes, rank });
    for (const address of addresses) node.reader.put(utxosByAddress, { ...place, address, rank }, {});
  }
  return node;
}

const ask = (node: ChainNode, params: object = {}) =>
  node.result<{ balance: string; utxoIDs: unknown[] }>("avm.getBalance", { address: formatId(owner), assetID: "AVAX", ...params });

describe("avm.getBalance", () => {
  test("sums transfer outputs of the asset and names them", async () => {
    const node = nodeWith([{ amount: 5n }, { amount: 7n }, { amount: 9n, assetId: id(0xbb) }]);
    const { balance, utxoIDs } = await ask(node);
    expect(balance).toBe("12");
    expect(new Set(utxoIDs.map((reference) => JSON.stringify(reference)))).toEqual(
      new Set([1, 2].map((n) => JSON.stringify({ txID: formatId(id(n)), outputIndex: n - 1 }))),
    );
    expect(await node.ask("avm.getBalance", { address: formatId(other), assetID: formatId(id(0xbb)) })).toBe(
      '{"balance":"0","utxoIDs":[]}',
    );
  });

  test("leaves out what the address cannot spend alone or not yet, unless partial ones are asked for", async () => {
    const node = nodeWith([{ amount: 1n }, { amount: 2n, addresses: [owner, other] }, { amount: 4n, locktime: 1_700_000_001n }]);
    expect((await ask(node)).balance).toBe("1");
    expect((await ask(node, { includePartial: true })).balance).toBe("7");
    node.clock += 1n;
    expect((await ask(node)).balance).toBe("5");
  });

  test("never counts outputs of other kinds", async () => {
    const node = nodeWith([{ kind: "secp256k1.MintOutput" }, { kind: "nft.MintOutput" }, { kind: "property.OwnedOutput" }, { amount: 3n }]);
    expect(await ask(node, { includePartial: true })).toMatchObject({ balance: "3", utxoIDs: [{ outputIndex: 3 }] });
  });

  test("knows the transfer output of a chain whose fxs stand in another order", async () => {
    const node = nodeWith([{ kind: "secp256k1.MintOutput" }, { amount: 3n }], [...X_FXS].reverse());
    expect((await ask(node)).balance).toBe("3");
  });

  test("fails on a sum that no u64 holds", async () => {
    const node = nodeWith([{ amount: 2n ** 64n - 1n }, { amount: 1n }]);
    expect(await node.ask("avm.getBalance", { address: formatId(owner), assetID: "AVAX" })).toBe("overflow");
    expect(await node.ask("avm.getAllBalances", { address: formatId(owner) })).toBe(
      `{"balances":[{"asset":"AVAX","balance":"${2n ** 64n - 1n}"}]}`,
    );
  });

  test.each([
    [{ address: "" }, `problem parsing address '': couldn't parse address "": no separator found in address`],
    [{ address: formatId(owner), assetID: "avax" }, "asset 'avax' not found"],
  ])("refuses %j", async (params, text) => {
    expect(await nodeWith([]).ask("avm.getBalance", params)).toBe(text);
  });
});

test("balances agree with a plain sum over any outputs, at any time", async () => {
  const outputs = fc.array(
    fc.record({
      assetId: fc.constantFrom(AVAX, id(0xbb), id(0xcc)),
      amount: fc.bigInt({ min: 1n, max: 1000n }),
      locktime: fc.constantFrom(0n, 10n, 20n, 30n),
      addresses: fc.constantFrom([owner], [owner, other], [other]),
    }),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(outputs, fc.bigInt({ min: 0n, max: 40n }), fc.boolean(), async (made, clock, includePartial) => {
      const node = nodeWith(made);
      node.clock = clock;
      const counted = made.filter(
        ({ addresses, locktime }) => addresses.includes(owner) && (includePartial || (addresses.length === 1 && locktime <= clock)),
      );
      const sums = new Map<string, bigint>();
      for (const { assetId, amount } of counted) sums.set(assetId, (sums.get(assetId) ?? 0n) + amount);
      const { balances } = await node.result<{ balances: { asset: string; balance: string }[] }>("avm.getAllBalances", {
        address: formatId(owner),
        includePartial,
      });
      const expected = [...sums].map(([assetId, sum]) => [assetId === AVAX ? "AVAX" : formatId(assetId), `${sum}`]);
      expect(new Map(balances.map(({ asset, balance }) => [asset, balance]))).toEqual(new Map(expected as [string, string][]));
      for (const [assetId, sum] of sums) {
        const { balance, utxoIDs } = await ask(node, { assetID: formatId(assetId), includePartial });
        expect(balance).toBe(`${sum}`);
        expect(utxoIDs).toHaveLength(counted.filter((output) => output.assetId === assetId).length);
      }
    }),
  );
});
