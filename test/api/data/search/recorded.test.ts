/** Searches for everything that a recorded network has, in every form of text, and for what it does not have. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { SearchResult } from "../../../../src/api/data/search/schemas.ts";
import { search } from "../../../../src/api/data/search/search.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { formatEvmAddress } from "../../../../src/base/bytes/evm-address.ts";
import { utf8 } from "../../../../src/base/bytes/hex.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import type { Row, Table } from "../../../../src/base/table/table.ts";
import { assets, assetTxs, assetVertices } from "../../../../src/chains/asset/tables.ts";
import { atomicTxs } from "../../../../src/chains/atomic/tables.ts";
import { platformTxs } from "../../../../src/chains/platform/tables.ts";
import { blockchains, subnets } from "../../../../src/index/primary/network/network-tables.ts";
import { C_CHAIN, chainIdOf, primaryChains } from "../../../../src/index/primary/primary-chain.ts";
import { knownNodes } from "../../../../src/index/primary/staking/staking-tables.ts";
import { addressLists, EVM_LIST, l1ValidatorTransactions } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import { decodeOutput } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { chainsOf } from "../../../../src/index/primary/utxos/utxo-lists.ts";
import { groupsByAddress, utxoRecords } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import { blocks } from "../../../../src/index/tables.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import { openStore } from "../../../../src/store/open.ts";
import { scanAll } from "../../../../src/store/store.ts";
import { importUntil } from "../../../conformance/checkpoints.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { drawn } from "../../../share.ts";
import { type Asked, ask } from "../staking/request.ts";

const ALIASES = ["P", "X", "C"] as const;
/** without EVM chains */
const MOST_ROWS = 300;

type Wanted = Pick<SearchResult, "kind" | "id"> & Partial<SearchResult>;

describe.each(drawn("whose things are found", ["latest-1", "eras-1", "x-dag"] as const, 1))("%s", (name) => {
  const directory = mkdtempSync(join(tmpdir(), "firn-search-"));
  const opened = openAll();

  async function openAll() {
    await importUntil(recordingFolder(name), directory, {}, "replay");
    const { network } = await openArchive({ path: recordingFolder(name), instance: networkInstance });
    const store = await openStore({ directory, mode: "read", network });
    return { store, network, asked: { network, clock: 0n, heights: [0n, 0n, 0n] } satisfies Asked };
  }

  afterAll(async () => {
    await (await opened).store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function rowsOf<T extends Table>(table: T): Promise<Row<T>[]> {
    const rows: Row<T>[] = [];
    for await (const row of scanAll((await opened).store, table)) rows.push(row);
    return rows;
  }

  async function found(query: string): Promise<{ results: SearchResult[]; understoodAs: string[]; problems: string[]; forms?: string[] }> {
    const { store, asked } = await opened;
    const counted = new CountingReader(store);
    const { body } = await ask(search, counted, asked, { query });
    expect(counted.reads, query).toBeLessThan(MOST_ROWS);
    const answer = body as unknown as Awaited<ReturnType<typeof found>>;
    expect(answer.results.length, query).toBeLessThanOrEqual(20);
    expect(answer.forms === undefined, query).toBe(answer.results.length > 0);
    return answer;
  }

  async function holds(texts: readonly string[], wanted: Wanted): Promise<void> {
    for (const text of texts) {
      const { results } = await found(text);
      expect(results, text).toContainEqual(expect.objectContaining(wanted));
    }
  }

  const formsOf = (id: string) => [formatId(id), id, `0x${id.toUpperCase()}`, ` ${formatId(id)}\n`];

  test("every transaction, block, wrapper of a block and vertex is found by its ID, and every block by its height", async () => {
    const { network } = await opened;
    const txs = [
      ...(await rowsOf(platformTxs)).map(({ key, value }) => ({ chain: "P" as const, id: key.txId, height: value.height })),
      ...(await rowsOf(assetTxs))
        .filter(({ key }) => key.chain === 0)
        .map(({ key, value }) => ({ chain: "X" as const, id: key.txId, height: value.height })),
      ...(await rowsOf(atomicTxs)).map(({ key, value }) => ({ chain: "C" as const, id: key.txId, height: value.height })),
    ];
    for (const { chain, id, height } of txs) {
      await holds(formsOf(id).slice(0, 2), { kind: "transaction", chain, id: formatId(id), blockNumber: `${height}` });
    }
    let count = 0;
    for (const { key, value } of await rowsOf(blocks)) {
      const chain = primaryChains.find((one) => chainIdOf(one, network) === key.chainId);
      if (chain === undefined) continue;
      const id = chain === C_CHAIN ? `0x${value.blockId}` : formatId(value.blockId);
      const block = { kind: "block" as const, chain: ALIASES[chain], blockNumber: `${key.height}` };
      await holds([...formsOf(value.blockId).slice(0, 2), `${key.height}`], { ...block, id });
      if (value.containerId !== value.blockId && value.containerId !== EMPTY_ID)
        await holds([formatId(value.containerId)], { ...block, id: `${key.height}` });
      count++;
    }
    for (const { key } of await rowsOf(assetVertices)) {
      if (key.chain === 0) await holds(formsOf(key.vertexId).slice(0, 2), { kind: "vertex", chain: "X", id: formatId(key.vertexId) });
    }
    expect(txs.length + count).toBeGreaterThan(30);
  });

  test("every subnet, blockchain, asset and L1 validator is found by its ID, and those with names by these", async () => {
    for (const { key } of await rowsOf(subnets))
      await holds(formsOf(key.subnetId), { kind: "subnet", chain: "P", id: formatId(key.subnetId) });
    for (const { key, value } of await rowsOf(blockchains)) {
      const wanted = { kind: "blockchain" as const, id: formatId(key.chainId), name: utf8(value.name) };
      await holds([...formsOf(key.chainId), utf8(value.name), utf8(value.name).toUpperCase(), utf8(value.name).slice(0, -1)], wanted);
    }
    for (const { key, value } of await rowsOf(assets)) {
      if (key.chain !== 0) continue;
      const wanted = { kind: "asset" as const, chain: "X" as const, id: formatId(key.assetId) };
      await holds([...formsOf(key.assetId), utf8(value.name), utf8(value.symbol).toLowerCase()], wanted);
    }
    const validations = new Set((await rowsOf(l1ValidatorTransactions)).map(({ key }) => key.validationId));
    for (const id of validations) await holds(formsOf(id), { kind: "l1Validator", chain: "P", id: formatId(id) });
  });

  test("every address and node is found in every form", async () => {
    const { network } = await opened;
    const owners = new Map<string, Set<number>>();
    const note = (address: string, chain: number) => owners.set(address, (owners.get(address) ?? new Set()).add(chain));
    for (const { value } of await rowsOf(utxoRecords)) {
      for (const address of decodeOutput(value, network).addresses) for (const chain of chainsOf(value)) note(address, chain);
    }
    for (const { key } of await rowsOf(groupsByAddress)) note(key.address, key.chain);
    for (const [owner, chains] of owners) {
      const id = encodeBech32(network.hrp, owner);
      const hint = `on ${ALIASES.filter((_, chain) => chains.has(chain)).join(", ")}`;
      await holds([id, `P-${id}`, `X-${id}`, `C-${id}`, id.toUpperCase(), formatId(owner), owner], { kind: "address", id, hint });
    }
    for (const {
      key: { list, address },
    } of await rowsOf(addressLists)) {
      if (list !== EVM_LIST) continue;
      const id = formatEvmAddress(address);
      await holds([id, `0x${address}`, address.toUpperCase(), `C-${id}`], { kind: "address", id, hint: "on C" });
    }
    for (const {
      value: { nodeId },
    } of await rowsOf(knownNodes)) {
      await holds([formatNodeId(nodeId), formatId(nodeId), nodeId], { kind: "validator", id: formatNodeId(nodeId) });
    }
    expect(owners.size).toBeGreaterThan(3);
  });

  test("the chains are found by their aliases", async () => {
    for (const alias of ALIASES)
      await holds([alias, alias.toLowerCase(), `${alias}-Chain`, `${alias.toLowerCase()}-chain`], { kind: "chain", id: alias });
  });

  test("what is not there is not found, and the answer says how the text was read and what is understood", async () => {
    const { network } = await opened;
    const [id, short] = [fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 20, maxLength: 20 })];
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
    const absent = fc.oneof(
      id.map((bytes) => [formatId(hex(bytes)), "an ID of the primary network"]),
      id.map((bytes) => [`0x${hex(bytes)}`, "the hash of a transaction or block, or an ID in hex"]),
      short.map((bytes) => [formatNodeId(hex(bytes)), "a node ID"]),
      short.map((bytes) => [formatEvmAddress(hex(bytes)), "an address of EVM chains"]),
      short.map((bytes) => [`P-${encodeBech32(network.hrp, hex(bytes))}`, "an address of P, X and C"]),
      fc.bigInt({ min: 10n ** 9n, max: 2n ** 64n - 1n }).map((height) => [`${height}`, "a height"]),
      fc.string({ unit: "binary", minLength: 12, maxLength: 60 }).map((text) => [`zq${text}`, "a name"]),
    );
    await fc.assert(
      fc.asyncProperty(absent, async ([text, reading]) => {
        const { results, understoodAs, problems, forms } = await found(text!);
        expect(results).toEqual([]);
        expect(understoodAs).toContain(reading);
        expect(problems).toEqual([]);
        expect(forms!.length).toBeGreaterThan(3);
      }),
      { numRuns: 100 },
    );
  });
});
