/**
 * Reads NFTs in the order of `evm_nft_queue`: the URI of their metadata, and the metadata itself, from the URI if it contains them, or from
 * the network if the operator allows it. The index adds entries that are due at once, when an NFT first exists; this adds entries that are
 * due later.
 */

import type { Change, TableKey, TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { NftFetchSettings } from "../chain-settings.ts";
import { ERC721 } from "../facts.ts";
import { tokenIdKey } from "../index/holding-rows.ts";
import { evmNfts } from "../index/tables.ts";
import { evmNftMetadata, evmNftQueue } from "../index/token-tables.ts";
import { readDataUri } from "../nft/data-uri.ts";
import type { Fetched, NftFetcher } from "../nft/fetcher.ts";
import { readNftMetadata } from "../nft/nft-metadata.ts";
import { NFT_STATUSES, type NftStatus, statusNumber } from "../nft/nft-status.ts";
import type { CallAnswer } from "./multicall.ts";
import { rowChange } from "./token-commits.ts";
import { type QueuedNft, readTokenUri, uriOfToken, uriQuestion } from "./token-uri.ts";
import { type TokenWork, type WorkParts, workOrPostpone } from "./token-work.ts";

/** Contracts that draw an image need much more gas than others. */
export const URI_GAS = 30_000_000n;
const PIECE = 8;
/** share of NFTs that are due again */
const ASKED_AGAIN = 2;
const SWEEP_PIECE = 200;
const HOUR = 3_600n;
const DAY = 24n * HOUR;
const NOTHING = Buffer.alloc(0);

type QueueKey = TableKey<typeof evmNftQueue>;
type NftRow = TableValue<typeof evmNftMetadata>;
interface Reading {
  readonly tokenUri: Buffer;
  readonly metadata: Buffer;
  readonly status: NftStatus;
}

interface DueNft extends QueuedNft {
  readonly entry: QueueKey;
}

export class NftWork implements TokenWork {
  readonly #parts: WorkParts;
  readonly #fetcher: NftFetcher;
  readonly #settings: NftFetchSettings;
  /** collection that had the last turn */
  #turn: Address | undefined;
  /** NFT up to which the sweep after the start has come; undefined: complete, or not needed */
  #swept: { readonly token?: Address; readonly tokenId?: string } | undefined;

  constructor(parts: WorkParts, fetcher: NftFetcher, settings: NftFetchSettings) {
    this.#parts = parts;
    this.#fetcher = fetcher;
    this.#settings = settings;
    this.#swept = settings.fetches ? {} : undefined;
  }

  async step(signal: AbortSignal): Promise<boolean> {
    const { store, rpc, commits } = this.#parts;
    const entries = await this.#due();
    if (entries.length === 0) return this.#sweep();
    const rows = await store.getMany(evmNfts, entries.map(nftKey));
    const gone = entries.filter((_, i) => rows[i] === undefined);
    await commits.commit(gone.flatMap((entry) => this.#leaveQueue(entry, isNew(entry) ? HOUR : undefined)));
    const due = entries.flatMap((entry, i): DueNft[] => {
      if (rows[i] === undefined) return [];
      return [{ entry, token: entry.token, tokenId: BigInt(`0x${entry.tokenId}`), isErc721: rows[i].kind === ERC721 }];
    });
    await workOrPostpone(
      due,
      rpc,
      (nfts) => this.#read(nfts, signal),
      (nft, error) => this.#postpone(nft, error),
      signal,
    );
    return true;
  }

  /**
   * Collections take turns with their new NFTs, so that one that mints without end does not delay others. NFTs that are due again have a
   * share of each step.
   */
  async #due(): Promise<QueueKey[]> {
    const { store, chain, clock } = this.#parts;
    const again = await store.scan(evmNftQueue, { prefix: { chain }, from: { dueAt: 1n }, until: { dueAt: clock() + 1n }, limit: PIECE });
    const places = PIECE - Math.min(again.length, ASKED_AGAIN);
    const tokens = await this.#nextCollections(places);
    const each = Math.floor(places / Math.max(tokens.length, 1));
    const fresh = await Promise.all(tokens.map((token) => store.scan(evmNftQueue, { prefix: { chain, dueAt: 0n, token }, limit: each })));
    const entries = fresh.flat();
    return [...entries, ...again.slice(0, PIECE - entries.length)].map(({ key }) => key);
  }

  /** At most `most` collections with new NFTs, after the one that had the last turn. */
  async #nextCollections(most: number): Promise<Address[]> {
    const { store, chain } = this.#parts;
    const tokens: Address[] = [];
    const next = async (after: Address | undefined) => {
      const behind = after === undefined ? {} : { after: { token: after } };
      const [row] = await store.scan(evmNftQueue, { prefix: { chain, dueAt: 0n }, ...behind, limit: 1 });
      return row?.key.token;
    };
    while (tokens.length < most) {
      const token = (await next(tokens.at(-1) ?? this.#turn)) ?? (await next(undefined));
      if (token === undefined || tokens.includes(token)) break;
      tokens.push(token);
    }
    this.#turn = tokens.at(-1);
    return tokens;
  }

  /** Resolves to false within an hour of the last request. */
  async reindex(token: Address, tokenId: bigint): Promise<boolean> {
    const { store, chain, clock, commits } = this.#parts;
    const key = { chain, token, tokenId: tokenIdKey(tokenId) };
    const row = await store.get(evmNftMetadata, key);
    const now = clock();
    if (row !== undefined && row.requestedAt + HOUR > now) return false;
    const unread = { tokenUri: NOTHING, status: statusNumber("UNINDEXED"), metadata: NOTHING, updatedAt: 0n };
    await commits.commit([
      rowChange(evmNftMetadata, key, { ...(row ?? unread), requestedAt: now }),
      rowChange(evmNftQueue, { ...key, dueAt: now }, {}),
    ]);
    return true;
  }

  /** Once after the start, if fetching is allowed: queues NFTs that were found while it was not. */
  async #sweep(): Promise<boolean> {
    if (this.#swept === undefined) return false;
    const { store, chain, clock, commits } = this.#parts;
    const after = this.#swept.token === undefined ? {} : { after: this.#swept };
    const rows = await store.scan(evmNftMetadata, { prefix: { chain }, ...after, limit: SWEEP_PIECE });
    const unread = rows.filter(({ value }) => NFT_STATUSES[value.status] === "UNINDEXED");
    await commits.commit(unread.map(({ key }) => rowChange(evmNftQueue, { ...key, dueAt: clock() }, {})));
    const last = rows.at(-1)?.key;
    this.#swept = rows.length < SWEEP_PIECE || last === undefined ? undefined : { token: last.token, tokenId: last.tokenId };
    return rows.length > 0;
  }

  async #read(nfts: readonly DueNft[], signal: AbortSignal): Promise<void> {
    const { reader, store, commits, clock } = this.#parts;
    const answers = await reader.askEach(nfts.map(uriQuestion), "latest", { gas: URI_GAS, signal });
    const readings = await Promise.all(nfts.map((nft, i) => this.#readOne(nft, answers[i], signal)));
    // a read that was interrupted because the service stops has no result
    signal.throwIfAborted();
    const now = clock();
    const before = await store.getMany(
      evmNftMetadata,
      nfts.map(({ entry }) => nftKey(entry)),
    );
    const changes = nfts.flatMap(({ entry }, i) => {
      const { status } = readings[i]!;
      const delay = status === "MISSING_TOKEN" && isNew(entry) ? HOUR : retryDelay(status, before[i]);
      return [rowChange(evmNftMetadata, nftKey(entry), rowOf(readings[i]!, before[i], now)), ...this.#leaveQueue(entry, delay)];
    });
    await commits.commit(changes);
  }

  async #readOne({ tokenId, isErc721 }: QueuedNft, answer: CallAnswer, signal: AbortSignal): Promise<Reading> {
    const found = readTokenUri(answer);
    if ("status" in found) return { tokenUri: NOTHING, metadata: NOTHING, status: found.status };
    const tokenUri = Buffer.from(found.uri);
    const content = await this.#content(isErc721 ? found.uri : uriOfToken(found.uri, tokenId), signal);
    const read = "status" in content ? content : readNftMetadata(content.content, { isErc721 });
    if ("status" in read) return { tokenUri, metadata: NOTHING, status: read.status };
    return { tokenUri, metadata: Buffer.from(JSON.stringify(read.metadata)), status: "INDEXED" };
  }

  async #content(uri: string, signal: AbortSignal): Promise<Fetched> {
    const content = readDataUri(uri);
    if (content === undefined) return this.#fetcher.fetch(uri, signal);
    return content.length > this.#settings.maxBytes ? { status: "METADATA_CONTENT_TOO_LARGE" } : { content };
  }

  async #postpone({ entry, token, tokenId }: DueNft, error: unknown): Promise<void> {
    const { commits, log } = this.#parts;
    log.warn({ err: error, token: `0x${token}`, tokenId: tokenId.toString() }, "Could not ask for a token's URI; asking again in an hour");
    await commits.commit(this.#leaveQueue(entry, HOUR));
  }

  /** @param delay seconds until the NFT is read again; undefined: never */
  #leaveQueue(entry: QueueKey, delay: bigint | undefined): Change[] {
    const again = delay === undefined ? [] : [rowChange(evmNftQueue, { ...entry, dueAt: this.#parts.clock() + delay }, {})];
    return [rowChange(evmNftQueue, entry, undefined), ...again];
  }
}

/**
 * Whether the index added the entry. If an NFT is burned and minted again while it is being read, the index queues the same entry, which
 * the worker then removes. So an NFT that was missing is asked for once more.
 */
function isNew({ dueAt }: QueueKey): boolean {
  return dueAt === 0n;
}

function nftKey({ chain, token, tokenId }: QueueKey): Omit<QueueKey, "dueAt"> {
  return { chain, token, tokenId };
}

function isTransient(status: NftStatus | undefined): boolean {
  return status === "UNREACHABLE_TOKEN_URI" || status === "THROTTLED_TOKEN_URI";
}

/** Earlier metadata stay while a server is unavailable. */
function rowOf({ tokenUri, metadata, status }: Reading, before: NftRow | undefined, now: bigint): NftRow {
  const requestedAt = before?.requestedAt ?? 0n;
  const isKept =
    isTransient(status) && before !== undefined && NFT_STATUSES[before.status] === "INDEXED" && tokenUri.equals(before.tokenUri);
  if (isKept) return before;
  return { tokenUri, metadata, status: statusNumber(status), updatedAt: status === "UNINDEXED" ? 0n : now, requestedAt };
}

/** Seconds until an unavailable server is asked again; undefined: never. */
function retryDelay(status: NftStatus, before: NftRow | undefined): bigint | undefined {
  if (status === "THROTTLED_TOKEN_URI") return HOUR;
  if (status !== "UNREACHABLE_TOKEN_URI") return undefined;
  return before !== undefined && NFT_STATUSES[before.status] === status ? 7n * DAY : DAY;
}
