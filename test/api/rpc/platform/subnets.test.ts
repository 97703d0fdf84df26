import { expect, test } from "vitest";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { PendingStatus } from "../../../../src/chains/mempool/issuer.ts";
import { platformChains, platformSubnets, platformTxs, TX_ABORTED, TX_COMMITTED } from "../../../../src/chains/platform/tables.ts";
import { id, PlatformNode, shortId } from "./platform-node.ts";

const [first, second, l1] = [id(0x5f), id(0x50), id(0x51)];
const [xChain, cChain, ownChain] = [id(0xf1), id(0xf2), id(0xc0)];
const otherTx = id(0x77);

function nodeWithSubnets(): PlatformNode {
  const node = new PlatformNode();
  const owner = { locktime: 3n, threshold: 1, addresses: [shortId(4)] };
  const subnet = (
    subnetId: string,
    sequence: bigint,
    conversion?: { conversionId: string; managerChainId: string; managerAddress: Uint8Array },
  ) => node.reader.put(platformSubnets, { subnetId }, { sequence, owner, transformation: undefined, conversion });
  subnet(first, 0n);
  subnet(second, 1n);
  subnet(l1, 2n, { conversionId: id(0xcc), managerChainId: ownChain, managerAddress: Uint8Array.of(1, 2) });
  const chain = (chainId: string, sequence: bigint, subnetId: string, name: string) =>
    node.reader.put(platformChains, { chainId }, { sequence, subnetId, name, vmId: id(0x33), fxIds: [] });
  chain(xChain, 0n, id(0), "X-Chain");
  chain(cChain, 1n, id(0), "C-Chain");
  chain(ownChain, 2n, first, "<own>");
  for (const txId of [first, otherTx, ownChain]) {
    node.reader.put(
      platformTxs,
      { txId },
      { height: 0n, status: txId === otherTx ? TX_ABORTED : TX_COMMITTED, typeId: 0, offset: 0, size: 0, bytes: Uint8Array.of(0) },
    );
  }
  return node;
}

test("subnets come in order of creation, the primary network last", async () => {
  const { subnets } = JSON.parse(await nodeWithSubnets().ask("getSubnets"));
  expect(subnets.map((subnet: { id: string }) => subnet.id)).toEqual([first, second, l1, id(0)].map(formatId));
});

test("subnets that are asked for come in the order of the request, once; unknown ones are left out", async () => {
  const node = nodeWithSubnets();
  const { subnets } = JSON.parse(await node.ask("getSubnets", { ids: [l1, id(0), id(9), l1].map(formatId) }));
  expect(subnets.map((subnet: { id: string }) => subnet.id)).toEqual([l1, id(0)].map(formatId));
  expect(await node.ask("getSubnets", { ids: [formatId(id(9))] })).toBe('{"subnets":null}');
  expect(await node.ask("getSubnets", { ids: [formatId(otherTx)] })).toBe(`"${formatId(otherTx)}" is not a subnet`);
});

test("an L1 shows its manager and is not permissioned", async () => {
  const node = nodeWithSubnets();
  expect(JSON.parse(await node.ask("getSubnet", { subnetID: formatId(l1) }))).toMatchObject({
    isPermissioned: false,
    threshold: "1",
    locktime: "3",
    subnetTransformationTxID: "11111111111111111111111111111111LpoYY",
    conversionID: formatId(id(0xcc)),
    managerChainID: formatId(ownChain),
    managerAddress: "0x0102",
  });
  expect(JSON.parse(await node.ask("getSubnet", { subnetID: formatId(first) }))).toMatchObject({
    isPermissioned: true,
    managerAddress: null,
  });
});

test("what is no subnet is told apart", async () => {
  const node = nodeWithSubnets();
  expect(await node.ask("getSubnet", {})).toBe("the primary network isn't a subnet");
  expect(await node.ask("getSubnet", { subnetID: formatId(id(9)) })).toBe("not found");
  expect(await node.ask("validates", { subnetID: formatId(id(9)) })).toBe(`problem retrieving subnet "${formatId(id(9))}": not found`);
  expect(await node.ask("validates", { subnetID: formatId(otherTx) })).toBe(`"${formatId(otherTx)}" is not a subnet`);
  expect(await node.ask("validatedBy", { blockchainID: formatId(first) })).toBe(`"${formatId(first)}" is not a blockchain`);
  expect(await node.ask("validatedBy", {})).toBe('{"subnetID":"11111111111111111111111111111111LpoYY"}');
});

test("chains come newest first within a subnet, those of the primary network last, names escaped as Go does", async () => {
  const node = nodeWithSubnets();
  const text = await node.ask("getBlockchains");
  expect(text).toContain('"name":"\\u003cown\\u003e"');
  expect(JSON.parse(text).blockchains.map((chain: { name: string }) => chain.name)).toEqual(["<own>", "C-Chain", "X-Chain"]);
  expect(await node.ask("validates")).toBe(`{"blockchainIDs":["${formatId(cChain)}","${formatId(xChain)}"]}`);
});

test("a chain of this process syncs, another one is created, what is none is unknown", async () => {
  const node = nodeWithSubnets();
  const status = (blockchainID: string) => node.ask("getBlockchainStatus", { blockchainID });
  for (const own of ["P", "platform", "X", "evm", formatId(cChain)]) expect(await status(own)).toBe('{"status":"Syncing"}');
  expect(await status(formatId(ownChain))).toBe('{"status":"Created"}');
  expect(await status(formatId(first))).toBe('{"status":"Unknown"}');
  expect(await status("")).toBe("argument 'blockchainID' not given");
  expect(await status("p")).toBe('problem parsing blockchainID "p": input string is smaller than the checksum size');
});

test("a chain whose creation waits for a block is preferred, until it is created", async () => {
  const node = nodeWithSubnets();
  node.issueContext = { ...node.issueContext, isPendingChain: (chainId) => chainId === first || chainId === ownChain };
  const status = (blockchainID: string) => node.ask("getBlockchainStatus", { blockchainID: formatId(blockchainID) });
  expect(await status(first)).toBe('{"status":"Preferred"}');
  expect(await status(ownChain)).toBe('{"status":"Created"}');
});

test("an undecided transaction is processing, or dropped with the reason", async () => {
  const node = nodeWithSubnets();
  const waiting = new Map<string, PendingStatus>([
    [id(9), { kind: "processing" }],
    [id(10), { kind: "dropped", reason: "tx conflicts with <other> tx" }],
    [first, { kind: "processing" }],
  ]);
  node.issueContext = { ...node.issueContext, status: (_chainId, txId) => waiting.get(txId) };
  const status = (txId: string) => node.ask("getTxStatus", { txID: formatId(txId) });
  expect(await status(id(9))).toBe('{"status":"Processing"}');
  expect(await status(id(10))).toBe('{"status":"Dropped","reason":"tx conflicts with \\u003cother\\u003e tx"}');
  expect(await status(first)).toBe('{"status":"Committed"}');
});

test("a decided transaction is committed or aborted, any other unknown", async () => {
  const node = nodeWithSubnets();
  const status = async (txId: string) => JSON.parse(await node.ask("getTxStatus", { txID: formatId(txId) })).status;
  expect(await Promise.all([first, otherTx, id(9)].map(status))).toEqual(["Committed", "Aborted", "Unknown"]);
});
