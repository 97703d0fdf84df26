import { expect, test } from "vitest";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { Writer } from "../../../../src/base/codec/reader.ts";
import { platformUtxos } from "../../../../src/chains/platform/tables.ts";
import { PLATFORM_UTXOS, utxosByAddress } from "../../../../src/index/tables.ts";
import { id, PlatformNode, shortId } from "./platform-node.ts";

const AVAX = id(0xaa);
const now = 1_700_000_000n;
const owner = shortId(1);

interface Output {
  amount: bigint;
  locktime?: bigint;
  stakeableUntil?: bigint;
  asset?: string;
}

function utxoBytes(index: number, { amount, locktime = 0n, stakeableUntil, asset = AVAX }: Output): Buffer {
  const writer = new Writer();
  writer.hex(id(0x77));
  writer.u32(index);
  writer.hex(asset);
  if (stakeableUntil !== undefined) {
    writer.u32(22);
    writer.u64(stakeableUntil);
  }
  writer.u32(7);
  writer.u64(amount);
  writer.u64(locktime);
  writer.u32(1);
  writer.u32(1);
  writer.hex(owner);
  return writer.finish();
}

function nodeWith(outputs: readonly Output[], owners = [owner]): PlatformNode {
  const node = new PlatformNode();
  for (const [index, output] of outputs.entries()) {
    putUtxo(node, id(index + 1), utxoBytes(index, output), owners);
  }
  return node;
}

function putUtxo(node: PlatformNode, utxoId: string, bytes: Uint8Array, owners: readonly string[]): void {
  node.reader.put(platformUtxos, { utxoId }, { bytes, rank: 0n });
  for (const address of owners) node.reader.put(utxosByAddress, { chain: PLATFORM_UTXOS, address, rank: 0n, utxoId }, {});
}

const balanceOf = async (node: PlatformNode, addresses = [owner]) =>
  JSON.parse(await node.ask("getBalance", { addresses: addresses.map((address) => formatId(address)) }));

test("an address without UTXOs has zeros, empty maps and no list of UTXOs", async () => {
  expect(await new PlatformNode().ask("getBalance", {})).toBe(
    '{"balance":"0","unlocked":"0","lockedStakeable":"0","lockedNotStakeable":"0","balances":{},"unlockeds":{},"lockedStakeables":{},' +
      '"lockedNotStakeables":{},"utxoIDs":null}',
  );
});

test("outputs fall into classes by their two locks", async () => {
  const node = nodeWith([
    { amount: 1n },
    { amount: 10n, locktime: now },
    { amount: 100n, locktime: now + 1n },
    { amount: 1000n, stakeableUntil: now },
    { amount: 10_000n, stakeableUntil: now + 1n },
    { amount: 100_000n, stakeableUntil: now + 1n, locktime: now + 1n },
    { amount: 1_000_000n, asset: id(0xbb) },
  ]);
  expect(await balanceOf(node)).toMatchObject({
    balance: "111111",
    unlocked: "1011",
    lockedStakeable: "10000",
    lockedNotStakeable: "100100",
    balances: { [formatId(AVAX)]: "111111", [formatId(id(0xbb))]: "1000000" },
    lockedStakeables: { [formatId(AVAX)]: "10000" },
  });
});

test("a kept balance follows the clock when a lock passes", async () => {
  const node = nodeWith([{ amount: 5n, locktime: now + 60n }]);
  expect(await balanceOf(node)).toMatchObject({ unlocked: "0", lockedNotStakeable: "5" });
  node.clock = now + 59n;
  expect(await balanceOf(node)).toMatchObject({ unlocked: "0" });
  node.clock = now + 60n;
  expect(await balanceOf(node)).toMatchObject({ unlocked: "5", lockedNotStakeable: "0" });
});

test("a kept balance ends with the state of the chain", async () => {
  const node = nodeWith([{ amount: 5n }]);
  await balanceOf(node);
  putUtxo(node, id(9), utxoBytes(9, { amount: 2n }), [owner]);
  expect(await balanceOf(node)).toMatchObject({ balance: "5" });
  node.moveTo({ height: 1n });
  expect(await balanceOf(node)).toMatchObject({ balance: "7" });
});

test("a UTXO of two asked addresses counts once; sums saturate", async () => {
  const max = 2n ** 64n - 1n;
  const node = nodeWith([{ amount: max }, { amount: max }], [shortId(1), shortId(2)]);
  const balance = await balanceOf(node, [shortId(2), shortId(1)]);
  expect(balance).toMatchObject({ balance: `${max}` });
  expect(balance.utxoIDs).toEqual([0, 1].map((outputIndex) => ({ txID: formatId(id(0x77)), outputIndex })));
});

test("the first bad address fails the request", async () => {
  expect(await new PlatformNode().ask("getBalance", { addresses: ["P-x", ""] })).toBe(
    `couldn't parse address "P-x": invalid bech32 string length 1`,
  );
});

test("json is no encoding of UTXOs, but of none it is", async () => {
  const node = nodeWith([{ amount: 1n }]);
  const address = formatId(owner);
  expect(await node.ask("getUTXOs", { addresses: [address], encoding: "json" })).toBe(
    `couldn't encode UTXO ${formatId(id(1))} as json: unsupported encoding in method`,
  );
  expect(JSON.parse(await node.ask("getUTXOs", { addresses: [formatId(shortId(3))], encoding: "JSON" }))).toMatchObject({
    numFetched: "0",
    utxos: [],
    encoding: "json",
  });
});

test.each([0, 1025, 4294967295])("a limit of %i gives a full page", async (limit) => {
  const node = nodeWith(Array.from({ length: 1100 }, (_, i) => ({ amount: BigInt(i + 1) })));
  expect(JSON.parse(await node.ask("getUTXOs", { addresses: [formatId(owner)], limit })).numFetched).toBe("1024");
});

test("an unknown source chain is told before a bad address", async () => {
  expect(await new PlatformNode().ask("getUTXOs", { addresses: ["?"], sourceChain: "x" })).toBe(
    'problem parsing source chainID "x": there is no ID with alias: x',
  );
});

test("both members of a start index must parse", async () => {
  const node = new PlatformNode();
  const address = formatId(owner);
  expect(await node.ask("getUTXOs", { addresses: [address], startIndex: { utxo: formatId(id(1)) } })).toBe(
    `couldn't parse start index address "": couldn't parse address "": no separator found in address`,
  );
  expect(await node.ask("getUTXOs", { addresses: [address], startIndex: { address, utxo: "0" } })).toBe(
    "couldn't parse start index utxo: base58 decoding error: Invalid base58 digit ('0')",
  );
});
