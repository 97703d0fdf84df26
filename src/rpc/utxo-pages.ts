/**
 * Pages of getUTXOs on every chain (rpc-platform 4.1, rpc-avm-info-health 3.6). Native UTXOs of an address are sorted from the newest block
 * to the oldest, and by ID within a block. UTXOs in shared memory are sorted by ID. A page costs O(addresses + page), whatever the number
 * of UTXOs.
 */
import { placeOfUtxo, readUtxos, utxoPlaces } from "../index/utxos-of-address.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, type Id, type ShortId } from "../primitives/id.ts";
import { sharedByAddress } from "../shared-memory/tables.ts";
import type { StoreReader } from "../store/store.ts";

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
export async function nativeUtxoPage(reader: StoreReader, chain: number, { addresses, start, limit }: PageRequest): Promise<UtxoPage> {
  const page = new Set<Id>();
  let end = start;
  for (const address of sortedFrom(addresses, start)) {
    // If the start was spent since, the list is read from the beginning again, as on the node, so nothing is lost.
    const after = address === start.address ? await placeOfUtxo(reader, { chain, address }, start.utxoId) : undefined;
    end = { address, utxoId: end.utxoId };
    for (const { utxoId } of await utxoPlaces(reader, { chain, address }, { after, limit })) {
      end = { address, utxoId };
      page.add(utxoId);
      if (page.size === limit) return { utxos: await readPage(reader, chain, page), end };
    }
  }
  return { utxos: await readPage(reader, chain, page), end };
}

async function readPage(reader: StoreReader, chain: number, utxoIds: ReadonlySet<Id>): Promise<PageUtxo[]> {
  const utxos = await readUtxos(reader, chain, [...utxoIds]);
  return utxos.map(({ utxoId, bytes }) => ({ utxoId, bytes: Buffer.concat([CODEC_VERSION, bytes]) }));
}

/** UTXOs that `source` exported to `destination`. The UTXO of `start` is repeated, as on the node. */
export async function atomicUtxoPage(
  reader: StoreReader,
  { destination, source }: { readonly destination: Id; readonly source: Id },
  { addresses, start, limit }: PageRequest,
): Promise<UtxoPage> {
  const page = new Map<Id, PageUtxo>();
  let end = start;
  for (const address of sortedFrom(addresses, start)) {
    const prefix = { destination, source, address };
    const startKey = address === start.address ? start.utxoId : EMPTY_ID;
    const isListed = startKey !== EMPTY_ID && (await reader.get(sharedByAddress, { ...prefix, key: startKey })) !== undefined;
    // rows that are already on the page do not count
    const rows = await reader.scan(sharedByAddress, {
      prefix,
      limit: limit + page.size,
      ...(isListed && { from: { ...prefix, key: startKey } }),
    });
    end = { address, utxoId: startKey };
    for (const { key, value } of rows) {
      end = { address, utxoId: key.key };
      if (!page.has(key.key)) page.set(key.key, { utxoId: key.key, bytes: value.bytes });
      if (page.size === limit) return { utxos: [...page.values()], end };
    }
  }
  return { utxos: [...page.values()], end };
}

function sortedFrom(addresses: readonly ShortId[], { address: first }: PageIndex): ShortId[] {
  return [...new Set(addresses)].filter((address) => address >= first).sort();
}
