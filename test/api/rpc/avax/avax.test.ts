import { describe, expect, test } from "vitest";
import { avaxMethods } from "../../../../src/api/rpc/avax/methods.ts";
import { formatAddress } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { atomicTxs, evmTips } from "../../../../src/chains/atomic/tables.ts";
import { parseAtomicTx } from "../../../../src/chains/atomic/tx.ts";
import { sharedByAddress } from "../../../../src/chains/shared-memory/tables.ts";
import { ChainNode, id, shortId } from "../chain-node.ts";

const owner = shortId(5);

/** The C-chain before Helicon or in it, with `count` UTXOs from the P-chain. */
function nodeWith(count: number, { isHelicon }: { isHelicon: boolean }): ChainNode {
  const node = new ChainNode(avaxMethods, { chainId: id(0xf2), alias: "C" });
  node.issueContext = { ...node.issueContext, issue: async (_, bytes) => parseAtomicTx(bytes).id };
  const { helicon } = node.network.upgrades.times;
  node.reader.put(evmTips, { chainId: id(0xf2) }, { height: 1n, lastAccepted: id(1), timestamp: isHelicon ? helicon : helicon - 1n });
  for (let n = 1; n <= count; n++) {
    const key = { destination: id(0xf2), source: PLATFORM_CHAIN_ID, address: owner, key: id(n) };
    node.reader.put(sharedByAddress, key, { bytes: Uint8Array.of(0, 0, n) });
  }
  node.reader.put(atomicTxs, { txId: id(7) }, { height: 12n, blockId: id(1), bytes: Uint8Array.of(1) });
  return node;
}

interface Page {
  readonly utxos: readonly string[];
  readonly endIndex: { readonly address: string; readonly utxo: string };
}

async function pages(node: ChainNode, limit: number, most: number): Promise<Page[]> {
  const found: Page[] = [];
  let startIndex = {};
  while (found.length < most) {
    const params = { addresses: [formatId(owner)], sourceChain: "P", limit, startIndex, encoding: "hexnc" };
    const page = await node.result<Page>("avax.getUTXOs", params);
    found.push(page);
    startIndex = page.endIndex;
  }
  return found;
}

describe("avax.getUTXOs", () => {
  test("before Helicon a page ends with its last UTXO, which comes again", async () => {
    const found = await pages(nodeWith(3, { isHelicon: false }), 2, 3);
    expect(found.map(({ utxos }) => utxos)).toEqual([["0x000001", "0x000002"], ["0x000002", "0x000003"], ["0x000003"]]);
  });

  test("from Helicon on a page ends where the next one starts, and the last one behind everything", async () => {
    const node = nodeWith(3, { isHelicon: true });
    const text = (address: string) => formatAddress("C", node.network.hrp, address);
    const [first, second, third] = await pages(node, 2, 3);
    expect(first).toMatchObject({ utxos: ["0x000001", "0x000002"], endIndex: { address: text(owner), utxo: formatId(id(3)) } });
    expect(second).toMatchObject({ utxos: ["0x000003"], endIndex: { address: text("f".repeat(40)), utxo: formatId("f".repeat(64)) } });
    expect(third).toMatchObject({ utxos: [], endIndex: { address: text(EMPTY_SHORT_ID), utxo: formatId(EMPTY_ID) } });
  });

  test.each([
    [false, { addresses: [] }, "no addresses provided"],
    [false, { addresses: [formatId(owner)] }, "no source chain provided"],
    [false, { addresses: ["x"], sourceChain: "P" }, `couldn't parse address "x": no separator found in address`],
    [true, { addresses: [formatId(owner)] }, `parsing source chainID "": there is no ID with alias: `],
    [true, { addresses: ["x"], sourceChain: "P" }, `parsing address "x": no separator found in address`],
    [true, { addresses: [formatId(owner)], sourceChain: "P", encoding: "json" }, "encoding utxo: unsupported encoding in method"],
  ])("with Helicon %s refuses %j", async (isHelicon, params, text) => {
    expect(await nodeWith(1, { isHelicon }).ask("avax.getUTXOs", params)).toBe(text);
  });
});

describe("atomic transactions", () => {
  test.each([false, true])("are found with their height (Helicon: %s)", async (isHelicon) => {
    const node = nodeWith(0, { isHelicon });
    const txID = formatId(id(7));
    expect(await node.ask("avax.getAtomicTx", { txID, encoding: "hexnc" })).toBe('{"tx":"0x01","encoding":"hexnc","blockHeight":"12"}');
  });

  test("have a status with coreth only", async () => {
    const [before, since] = [false, true].map((isHelicon) => nodeWith(0, { isHelicon })) as [ChainNode, ChainNode];
    const txID = formatId(id(7));
    expect(await before.ask("avax.getAtomicTxStatus", { txID })).toBe('{"status":"Accepted","blockHeight":"12"}');
    expect(await before.ask("avax.getAtomicTxStatus", { txID: formatId(id(8)) })).toBe('{"status":"Unknown"}');
    expect(await since.ask("avax.getAtomicTxStatus", { txID })).toBe('rpc: can\'t find method "avax.GetAtomicTxStatus"');
    // a client of a devnet waits with it
    since.development = {} as typeof since.development;
    expect(await since.ask("avax.getAtomicTxStatus", { txID })).toBe('{"status":"Accepted","blockHeight":"12"}');
    expect(await since.ask("avax.getAtomicTxStatus", { txID: formatId(id(8)) })).toBe('{"status":"Unknown"}');
  });

  test.each([
    ["processing", "Processing"],
    ["rejected", "Dropped"],
  ] as const)("that no block holds have a status before Helicon (%s)", async (kind, status) => {
    const node = nodeWith(0, { isHelicon: false });
    node.issueContext = { ...node.issueContext, status: () => (kind === "processing" ? { kind, bytes: Buffer.of(2) } : { kind }) };
    expect(await node.ask("avax.getAtomicTxStatus", { txID: formatId(id(8)) })).toBe(`{"status":"${status}"}`);
    const tx = await node.ask("avax.getAtomicTx", { txID: formatId(id(8)), encoding: "hexnc" });
    expect(tx === '{"tx":"0x02","encoding":"hexnc"}').toBe(status === "Processing");
  });

  test.each([
    [false, id(8), `could not find tx ${formatId(id(8))}`],
    [false, EMPTY_ID, "nil transaction ID"],
    [true, EMPTY_ID, "fetching tx: reading tx: not found"],
  ])("that are unknown fail in the words of the VM (Helicon: %s)", async (isHelicon, txId, text) => {
    expect(await nodeWith(0, { isHelicon }).ask("avax.getAtomicTx", { txID: formatId(txId) })).toBe(text);
  });

  test.each([
    [false, "0x0000", "problem parsing transaction: couldn't unmarshal interface: packer has insufficient length for input"],
    [false, "0x", "problem decoding transaction: input string is smaller than the checksum size"],
    [true, "0x", "decoding tx: input string is smaller than the checksum size"],
  ])("that cannot be read are refused (Helicon: %s, %s)", async (isHelicon, tx, text) => {
    const encoding = tx === "0x" ? "hex" : "hexnc";
    expect(await nodeWith(0, { isHelicon }).ask("avax.issueTx", { tx, encoding })).toBe(text);
  });

  test.each([
    [false, "atomic.UnsignedAtomicTx"],
    [true, "tx.Unsigned"],
  ])("that are no transactions are named (Helicon: %s)", async (isHelicon, wanted) => {
    const answer = await nodeWith(0, { isHelicon }).ask("avax.issueTx", { tx: "0x000000000007", encoding: "hexnc" });
    expect(answer).toContain(`couldn't unmarshal interface: *secp256k1fx.TransferOutput does not implement interface ${wanted}`);
  });
});
