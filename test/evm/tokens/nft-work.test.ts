import { describe, expect, test } from "vitest";
import { ERC721, ERC1155 } from "../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../src/evm/index/holding-rows.ts";
import { evmNfts } from "../../../src/evm/index/tables.ts";
import { evmNftMetadata, evmNftQueue } from "../../../src/evm/index/token-tables.ts";
import type { Fetched, NftFetcher } from "../../../src/evm/nft/fetcher.ts";
import { NFT_STATUSES, type NftStatus } from "../../../src/evm/nft/nft-status.ts";
import { NftWork } from "../../../src/evm/tokens/nft-work.ts";
import { MAX_URI_BYTES } from "../../../src/evm/tokens/token-uri.ts";
import { asks, CHAIN, SOMEBODY, textAnswer, type WorkBench, withWorkBench } from "./work-parts.ts";

const APES = "a9".repeat(20);
const SETTINGS = { fetches: true, ipfsGateway: undefined, maxBytes: 1000, timeoutMs: 1000 };
const HOUR = 3600n;
const signal = new AbortController().signal;
const nftKey = (tokenId: bigint) => ({ chain: CHAIN, token: APES, tokenId: tokenIdKey(tokenId) });

interface Answered {
  readonly fetched: string[];
  next: Fetched;
}

function worker(bench: WorkBench, { fetches = true } = {}): { work: NftWork; web: Answered } {
  const web: Answered = { fetched: [], next: { status: "UNINDEXED" } };
  const fetcher: NftFetcher = {
    async fetch(uri) {
      web.fetched.push(uri);
      return web.next;
    },
  };
  return { web, work: new NftWork(bench.parts, fetcher, { ...SETTINGS, fetches }) };
}

async function exists({ put }: WorkBench, tokenId: bigint, kind: number = ERC721): Promise<void> {
  await put(evmNfts, nftKey(tokenId), { kind, owner: kind === ERC721 ? SOMEBODY : undefined, supply: 1n });
  await put(evmNftQueue, { ...nftKey(tokenId), dueAt: 0n }, {});
}

async function read(bench: WorkBench, tokenId = 1n) {
  const row = await bench.store.get(evmNftMetadata, nftKey(tokenId));
  if (row === undefined) return undefined;
  const json = Buffer.from(row.metadata).toString();
  return {
    uri: Buffer.from(row.tokenUri).toString(),
    status: NFT_STATUSES[row.status] as NftStatus,
    metadata: json === "" ? undefined : (JSON.parse(json) as object),
    updatedAt: row.updatedAt,
  };
}

const dueTimes = async (bench: WorkBench) => (await bench.keys(evmNftQueue)).map(({ dueAt }) => dueAt);

test("A collection that mints without end holds up neither another one nor what is to be asked again", async () => {
  await withWorkBench(async (bench) => {
    bench.answers.set(asks("tokenURI(uint256)"), textAnswer('data:,{"name":"x"}'));
    const queue = async (token: string, tokenId: bigint, dueAt: bigint) => {
      await bench.put(evmNfts, { ...nftKey(tokenId), token }, { kind: ERC721, owner: SOMEBODY, supply: 1n });
      await bench.put(evmNftQueue, { ...nftKey(tokenId), token, dueAt }, {});
    };
    for (let tokenId = 0n; tokenId < 100n; tokenId++) await queue("00".repeat(20), tokenId, 0n);
    await queue("11".repeat(20), 1n, bench.now);
    const others = Array.from({ length: 12 }, (_, i) => `e${i.toString(16)}`.repeat(20));
    for (const token of others) await queue(token, 1n, 0n);
    const { work } = worker(bench);
    const waiting = async () => new Set((await bench.keys(evmNftQueue)).map(({ token }) => token)).size;
    for (let step = 0; step < 3; step++) await work.step(signal);
    expect(await waiting()).toBe(1);
    while (await work.step(signal));
    expect(await waiting()).toBe(0);
  });
});

describe("An NFT", () => {
  test.each([
    ["reverts", undefined, "", "MISSING_TOKEN"],
    ["answers nothing", "0x", "", "INVALID_TOKEN_URI"],
    ["answers an empty text", textAnswer(""), "", "INVALID_TOKEN_URI"],
    ["answers no UTF-8", textAnswer("x").replace(/78$/, "ff"), "", "INVALID_TOKEN_URI"],
    ["answers too much", textAnswer("x".repeat(MAX_URI_BYTES + 1)), "", "METADATA_CONTENT_TOO_LARGE"],
    ["has no JSON inside", textAnswer("data:,{"), "data:,{", "INVALID_METADATA_JSON"],
    ["has no object inside", textAnswer("data:,[]"), "data:,[]", "INVALID_METADATA"],
    ["has a large one inside", textAnswer(`data:,${"x".repeat(1001)}`), `data:,${"x".repeat(1001)}`, "METADATA_CONTENT_TOO_LARGE"],
    ["has its metadata inside", textAnswer(' data:,{"name":"x"} '), 'data:,{"name":"x"}', "INDEXED"],
  ])("whose contract %s is told as such", async (_, answer, uri, status) => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("tokenURI(uint256)"), answer);
      await exists(bench, 1n);
      const { work, web } = worker(bench);
      expect(await work.step(signal)).toBe(true);
      const metadata = status === "INDEXED" ? { name: "x" } : undefined;
      expect(await read(bench)).toEqual({ uri, status, metadata, updatedAt: bench.now });
      expect([web.fetched, await dueTimes(bench)]).toEqual([[], status === "MISSING_TOKEN" ? [bench.now + HOUR] : []]);
    });
  });

  test("of ERC-1155 is fetched with its ID in the URI, and shows the URI as it is", async () => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("uri(uint256)"), textAnswer("https://example.org/{id}.json"));
      await exists(bench, 0x4cn, ERC1155);
      const { work, web } = worker(bench);
      web.next = { content: Buffer.from('{"properties":{"a":1}}') };
      await work.step(signal);
      expect(web.fetched).toEqual([`https://example.org/${"4c".padStart(64, "0")}.json`]);
      expect(await read(bench, 0x4cn)).toMatchObject({
        uri: "https://example.org/{id}.json",
        status: "INDEXED",
        metadata: { properties: '{"a":1}' },
      });
    });
  });

  test("that does not exist any more is forgotten an hour later", async () => {
    await withWorkBench(async (bench) => {
      await bench.put(evmNftQueue, { ...nftKey(1n), dueAt: 0n }, {});
      const { work } = worker(bench);
      expect(await work.step(signal)).toBe(true);
      expect(await dueTimes(bench)).toEqual([bench.now + HOUR]);
      bench.now += HOUR;
      expect(await work.step(signal)).toBe(true);
      expect([await read(bench), await dueTimes(bench), bench.asked]).toEqual([undefined, [], []]);
    });
  });

  test("that is minted again while its contract says that it is missing is asked for once more", async () => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("tokenURI(uint256)"), undefined);
      await exists(bench, 1n);
      const { work } = worker(bench);
      // The index queues it again, under the key that the worker removes with this reading
      await work.step(signal);
      bench.answers.set(asks("tokenURI(uint256)"), textAnswer('data:,{"name":"again"}'));
      bench.now += HOUR;
      await work.step(signal);
      expect(await read(bench)).toMatchObject({ status: "INDEXED", metadata: { name: "again" } });
      expect(await dueTimes(bench)).toEqual([]);
    });
  });

  test("is asked again where a server was away, seldom where it stays away; what was read stays", async () => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("tokenURI(uint256)"), textAnswer("https://example.org/1"));
      await exists(bench, 1n);
      const { work, web } = worker(bench);
      const delays: bigint[] = [];
      for (const status of ["THROTTLED_TOKEN_URI", "UNREACHABLE_TOKEN_URI", "UNREACHABLE_TOKEN_URI"] as const) {
        web.next = { status };
        await work.step(signal);
        const [dueAt] = await dueTimes(bench);
        delays.push(dueAt! - bench.now);
        bench.now = dueAt!;
        expect((await read(bench))?.status).toBe(status);
      }
      expect(delays).toEqual([HOUR, 24n * HOUR, 168n * HOUR]);
      web.next = { content: Buffer.from('{"name":"here"}') };
      await work.step(signal);
      const readOnce = await read(bench);
      expect(readOnce).toMatchObject({ status: "INDEXED", metadata: { name: "here" } });
      expect(await dueTimes(bench)).toEqual([]);

      await work.reindex(APES, 1n);
      web.next = { status: "UNREACHABLE_TOKEN_URI" };
      await work.step(signal);
      expect(await read(bench)).toEqual(readOnce);
    });
  });

  test("is read again when it is asked for, once an hour", async () => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("tokenURI(uint256)"), textAnswer('data:,{"name":"old"}'));
      await exists(bench, 1n);
      const { work } = worker(bench);
      await work.step(signal);
      bench.answers.set(asks("tokenURI(uint256)"), textAnswer('data:,{"name":"new"}'));
      expect(await work.reindex(APES, 1n)).toBe(true);
      expect(await work.reindex(APES, 1n)).toBe(false);
      expect((await read(bench))?.metadata).toEqual({ name: "old" });
      await work.step(signal);
      expect((await read(bench))?.metadata).toEqual({ name: "new" });
      bench.now += HOUR - 1n;
      expect(await work.reindex(APES, 1n)).toBe(false);
      bench.now += 1n;
      expect(await work.reindex(APES, 1n)).toBe(true);
    });
  });

  test("that was met while nothing was fetched is fetched once it may be", async () => {
    await withWorkBench(async (bench) => {
      bench.answers.set(asks("tokenURI(uint256)"), textAnswer("https://example.org/1"));
      await exists(bench, 1n);
      const off = worker(bench, { fetches: false });
      while (await off.work.step(signal));
      expect(await read(bench)).toEqual({ uri: "https://example.org/1", status: "UNINDEXED", metadata: undefined, updatedAt: 0n });
      const on = worker(bench);
      on.web.next = { content: Buffer.from("{}") };
      while (await on.work.step(signal));
      expect([off.web.fetched.length, on.web.fetched.length, (await read(bench))?.status]).toEqual([1, 1, "INDEXED"]);
    });
  });

  test("whose contract breaks the node is asked again in an hour", async () => {
    await withWorkBench(async (bench) => {
      bench.broken.add(APES);
      await exists(bench, 1n);
      await worker(bench).work.step(signal);
      expect([await read(bench), await dueTimes(bench)]).toEqual([undefined, [bench.now + HOUR]]);
    });
  });
});
