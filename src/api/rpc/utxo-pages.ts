/**
 * Pages of getUTXOs on every chain (rpc-platform 4.1, rpc-avm-info-health 3.6). Native UTXOs of an address are sorted from the newest block
 * to the oldest, and by ID within a block. UTXOs in shared memory are sorted by ID. A page costs O(addresses + page), whatever the number
 * of UTXOs.
 */

import { EMPTY_ID, EMPTY_SHORT_ID, type Id, type ShortId } from "../../base/bytes/id.ts";
import type { Row } from "../../base/table/table.ts";
import { type Awaitable, andThen, atOnce, later, type Steps, together } from "../../base/work/awaitable.ts";
import { sharedByAddress } from "../../chains/shared-memory/tables.ts";
import { placeOfUtxo, readUtxos, type UtxoPlace, utxoPlaces } from "../../index/utxos-of-address.ts";
import { type StoreReader, TOGETHER } from "../../store/store.ts";

/** The end of a page, where the next one starts. */
export interface PageIndex {
  readonly address: ShortId;
  readonly utxoId: Id;
}

export interface PageUtxo {
  readonly utxoId: Id;
  /** with codec version */
  readonly bytes: Uint8Array;
}

export interface UtxoPage {
  readonly utxos: readonly PageUtxo[];
  readonly end: PageIndex;
}

export interface PageRequest {
  readonly addresses: readonly ShortId[];
  readonly start: PageIndex;
  readonly limit: number;
}

export const FIRST_PAGE: PageIndex = { address: EMPTY_SHORT_ID, utxoId: EMPTY_ID };
export const MAX_PAGE_UTXOS = 1024;
const CODEC_VERSION = Buffer.alloc(2);

/**
 * UTXOs on the chain itself. The UTXO of `start` was on the previous page and is left out.
 * @param chain as in `utxos_by_address`
 */
export function nativeUtxoPage(reader: StoreReader, chain: number, request: PageRequest): Awaitable<UtxoPage> {
  return atOnce(nativeSteps(reader, chain, request));
}

function* nativeSteps(reader: StoreReader, chain: number, { addresses, start, limit }: PageRequest): Steps<UtxoPage> {
  const page = new Set<Id>();
  let end = start;
  const read = (address: ShortId, last: UtxoPlace | undefined, limit: number) => {
    const owner = { chain, address };
    // If the start was spent since, the list is read from the beginning again, as on the node, so nothing is lost.
    const place = last ?? (address === start.address ? placeOfUtxo(reader, owner, start.utxoId) : undefined);
    return andThen(place, (after) => utxoPlaces(reader, owner, { after, limit }));
  };
  const take = ({ address, rows, isFirst }: Piece<UtxoPlace>) => {
    if (isFirst) end = { address, utxoId: end.utxoId };
    for (const { utxoId } of rows) {
      end = { address, utxoId };
      if (page.add(utxoId).size === limit) return true;
    }
    return false;
  };
  const room = () => limit - page.size;
  yield* untilFull(sortedFrom(addresses, start), { read, room, most: () => limit, take });
  return { utxos: yield* later(readPage(reader, chain, page)), end };
}

function readPage(reader: StoreReader, chain: number, utxoIds: ReadonlySet<Id>): Awaitable<PageUtxo[]> {
  return andThen(readUtxos(reader, chain, [...utxoIds]), (utxos) =>
    utxos.map(({ utxoId, bytes }) => ({ utxoId, bytes: Buffer.concat([CODEC_VERSION, bytes]) })),
  );
}

/** UTXOs that `source` exported to `destination`. The UTXO of `start` is repeated, as on the node. */
export function atomicUtxoPage(reader: StoreReader, way: AtomicWay, request: PageRequest): Awaitable<UtxoPage> {
  return atOnce(atomicSteps(reader, way, request));
}

interface AtomicWay {
  readonly destination: Id;
  readonly source: Id;
}

function* atomicSteps(reader: StoreReader, { destination, source }: AtomicWay, { addresses, start, limit }: PageRequest): Steps<UtxoPage> {
  const page = new Map<Id, PageUtxo>();
  let end = start;
  const startKeyOf = (address: ShortId) => (address === start.address ? start.utxoId : EMPTY_ID);
  const read = async (address: ShortId, last: Row<typeof sharedByAddress> | undefined, limit: number) => {
    const prefix = { destination, source, address };
    if (last !== undefined) return reader.scan(sharedByAddress, { prefix, after: last.key, limit });
    const from = { ...prefix, key: startKeyOf(address) };
    const isListed = from.key !== EMPTY_ID && (await reader.get(sharedByAddress, from)) !== undefined;
    return reader.scan(sharedByAddress, { prefix, limit, ...(isListed && { from }) });
  };
  const take = ({ address, rows, isFirst }: Piece<Row<typeof sharedByAddress>>) => {
    if (isFirst) end = { address, utxoId: startKeyOf(address) };
    for (const { key, value } of rows) {
      end = { address, utxoId: key.key };
      if (!page.has(key.key)) page.set(key.key, { utxoId: key.key, bytes: value.bytes });
      if (page.size === limit) return true;
    }
    return false;
  };
  const room = () => limit - page.size;
  // rows that are already on the page do not count
  yield* untilFull(sortedFrom(addresses, start), { read, room, most: () => limit + page.size, take });
  return { utxos: [...page.values()], end };
}

interface Piece<R> {
  readonly address: ShortId;
  readonly rows: readonly R[];
  /** whether these are the address's first ones */
  readonly isFirst: boolean;
}

interface Pieces<R> {
  /** Reads rows of an address after one of them, or its first ones. */
  read(address: ShortId, last: R | undefined, limit: number): Awaitable<readonly R[]>;
  /** rows that the page still takes */
  room(): number;
  /** rows that are read of one address */
  most(): number;
  /** Returns whether the page is full. */
  take(piece: Piece<R>): boolean;
}

/**
 * Takes the rows of one address after the other. The first address is read alone, because it may fill the page; of those after it the first
 * rows are read together, some more than have room if each has its share.
 */
function* untilFull<R>(addresses: readonly ShortId[], { read, room, most, take }: Pieces<R>): Steps<void> {
  for (let at = 0, count = 1; at < addresses.length; at += count, count = TOGETHER) {
    const group = addresses.slice(at, at + count);
    const share = group.length === 1 ? most() : Math.min(most(), Math.ceil((2 * room()) / group.length) + 1);
    const first = yield* later(together(group.map((address) => read(address, undefined, share))));
    for (const [i, rows] of first.entries()) {
      const address = group[i]!;
      if (take({ address, rows, isFirst: true })) return;
      const left = most() - share;
      if (rows.length < share || left <= 0) continue;
      if (take({ address, rows: yield* later(read(address, rows.at(-1), left)), isFirst: false })) return;
    }
  }
}

function sortedFrom(addresses: readonly ShortId[], { address: first }: PageIndex): ShortId[] {
  return [...new Set(addresses)].filter((address) => address >= first).sort();
}
