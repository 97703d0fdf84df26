import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getBlockchain } from "../../../../src/api/data/blockchains/get-blockchain.ts";
import { listBlockchains } from "../../../../src/api/data/blockchains/list-blockchains.ts";
import { getSubnet } from "../../../../src/api/data/subnets/get-subnet.ts";
import { listSubnets } from "../../../../src/api/data/subnets/list-subnets.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { idOf } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { type ModelChain, type ModelSubnet, NetworkWorld } from "../../../index/primary/network/network-world.ts";
import { ask, walk } from "../staking/request.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-subnets-"));
const world = new NetworkWorld(21);
const { network } = world;
const asked = { network, clock: 0n };
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write" });
  await world.grow(store, 150, 9);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function chainJson({ chainId, subnetId, name, evmChainId, height, time }: ModelChain) {
  const vmId = name === "P-Chain" ? "platformvm" : chainId === network.xChainId ? "avm" : formatId(idOf(77));
  return {
    ...{ createBlockTimestamp: Number(time), createBlockNumber: height === 0n ? "-1" : `${height}`, blockchainId: formatId(chainId) },
    ...{ vmId, subnetId: formatId(subnetId), blockchainName: name, evmChainId },
  };
}

function subnetJson({ subnetId, height, time, owners, conversion }: ModelSubnet) {
  const { owner } = owners.at(-1)!;
  const { threshold } = owner;
  const locktime = Number(owner.locktime);
  const addresses = owner.addresses.map((address) => encodeBech32(network.hrp, address));
  const chains = world.chains.filter((chain) => chain.subnetId === subnetId);
  const isPrimary = subnetId === PRIMARY_NETWORK_ID;
  // the X-chain's VM is its ID here
  const json = chains.map((chain) => ({ ...chainJson(chain), ...(chain.chainId === network.xChainId && { vmId: formatId(idOf(77)) }) }));
  return {
    ...{ createBlockTimestamp: Number(time), createBlockIndex: isPrimary ? "-1" : `${height}`, subnetId: formatId(subnetId) },
    ...{ ownerAddresses: addresses, threshold, locktime, subnetOwnershipInfo: { locktime, threshold, addresses } },
    isL1: conversion !== undefined,
    ...(conversion && {
      l1ConversionTransactionHash: formatId(conversion.txId),
      l1ValidatorManagerDetails: {
        blockchainId: formatId(conversion.managerChainId),
        contractAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      },
    }),
    blockchains: isPrimary ? json : json.sort((a, b) => (a.blockchainId < b.blockchainId ? -1 : 1)),
  };
}

test.each(["1", "7", "10000"])("subnets and blockchains come in order of creation, in pages of %s", async (pageSize) => {
  const [subnets, chains] = [world.subnets.map(subnetJson), world.chains.map(chainJson)];
  expect(subnets.length).toBeGreaterThan(20);
  for (const query of [{ pageSize }, { pageSize, sortOrder: "desc" }]) {
    expect(await walk(listSubnets, store, asked, query, "subnets")).toEqual([...subnets].reverse());
    expect(await walk(listBlockchains, store, asked, query, "blockchains")).toEqual([...chains].reverse());
  }
  expect(await walk(listSubnets, store, asked, { pageSize, sortOrder: "asc" }, "subnets")).toEqual(subnets);
  expect(await walk(listBlockchains, store, asked, { pageSize, sortOrder: "asc" }, "blockchains")).toEqual(chains);
});

test("one subnet, one blockchain: as in the lists", async () => {
  for (const subnet of world.subnets) {
    const params = { subnetId: formatId(subnet.subnetId) };
    expect((await ask(getSubnet, store, asked, {}, { params })).body).toEqual(subnetJson(subnet));
  }
  for (const chain of world.chains) {
    const params = { blockchainId: formatId(chain.chainId) };
    // the world holds no transactions, where a genesis would be
    expect((await ask(getBlockchain, store, asked, {}, { params })).body).toEqual(chainJson(chain));
  }
});

test("P, X and C answer to their aliases, X and C to Fuji's public IDs", async () => {
  const names = async (blockchainId: string) =>
    (await ask(getBlockchain, store, asked, {}, { params: { blockchainId } })).body.blockchainId;
  expect(await names("p-chain")).toBe("11111111111111111111111111111111LpoYY");
  for (const text of ["x-chain", "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm"])
    expect(await names(text)).toBe(formatId(network.xChainId));
  for (const text of ["c-chain", "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp"])
    expect(await names(text)).toBe(formatId(network.cChainId));
});

test("an unknown ID is not found, a text that is no ID is malformed", async () => {
  const unknown = formatId(nameId("unknown"));
  await expect(ask(getSubnet, store, asked, {}, { params: { subnetId: unknown } })).rejects.toMatchObject({ status: 404 });
  await expect(ask(getBlockchain, store, asked, {}, { params: { blockchainId: unknown } })).rejects.toMatchObject({ status: 404 });
  await expect(ask(getSubnet, store, asked, {}, { params: { subnetId: "P" } })).rejects.toMatchObject({ status: 400 });
  await expect(ask(getBlockchain, store, asked, {}, { params: { blockchainId: "P" } })).rejects.toMatchObject({ status: 400 });
});

test("a walk while subnets are added shows each that was there exactly once", async () => {
  const path = mkdtempSync(join(tmpdir(), "firn-subnets-walk-"));
  const grown = await openStore({ directory: path, mode: "write" });
  const growing = new NetworkWorld(22);
  await growing.grow(grown, 60, 10);
  for (const sortOrder of ["asc", "desc"]) {
    const before = growing.subnets.map(({ subnetId }) => formatId(subnetId));
    const seen: unknown[] = [];
    let after: Awaited<ReturnType<typeof ask>>["next"];
    do {
      const { body, next } = await ask(listSubnets, grown, asked, { pageSize: "2", sortOrder }, { after });
      seen.push(...(body.subnets as { subnetId: string }[]).map(({ subnetId }) => subnetId));
      after = next;
      if (seen.length < 20) await growing.grow(grown, 2, 2);
    } while (after !== undefined);
    expect(seen.filter((subnetId) => before.includes(subnetId as string))).toEqual(sortOrder === "asc" ? before : before.reverse());
    expect(new Set(seen).size).toBe(seen.length);
  }
  await grown.close();
  rmSync(path, { recursive: true, force: true });
});

test("a page reads no more rows on a store that is 100 times larger", async () => {
  const path = mkdtempSync(join(tmpdir(), "firn-subnets-large-"));
  const large = await openStore({ directory: path, mode: "write" });
  const many = new NetworkWorld(23);
  await many.grow(large, 40, 20);
  await many.crowd(large, 100 * many.subnets.length);
  for (const pageSize of [1, 10, 100, 1000]) {
    const reader = new CountingReader(large);
    const { body } = await ask(listSubnets, reader, asked, { pageSize: `${pageSize}` });
    const chains = (body.subnets as { blockchains: unknown[] }[]).flatMap(({ blockchains }) => blockchains).length;
    expect(chains).toBe(pageSize);
    expect(reader.reads).toBeLessThanOrEqual(2 * pageSize + 2 * chains + 2);
    const other = new CountingReader(large);
    await ask(listBlockchains, other, asked, { pageSize: `${pageSize}`, sortOrder: "asc" });
    expect(other.reads).toBeLessThanOrEqual(2 * pageSize + 2);
  }
  await large.close();
  rmSync(path, { recursive: true, force: true });
});
