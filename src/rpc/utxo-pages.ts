/**
 * Pages of getUTXOs on every chain (rpc-platform 4.1, rpc-avm-info-health 3.6). Native UTXOs of an address are sorted from the newest block
 * to the oldest, and by ID within a block. UTXOs in shared memory are sorted by ID. A page costs O(addresses + page), whatever the number
 * of UTXOs.
 */
import { assetUtxos } from "../asset/tables.ts";
import { utxosByAddress } from "../index/tables.ts";
import { platformUtxos } from "../platform/tables.ts";
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

/** The chain whose UTXOs are read; `chain` is the number of an asset chain, undefined for the P-chain. */
export interface UtxoChain {
  readonly chainId: Id;
  readonly chain?: number;
}

export const FIRST_PAGE: PageIndex = { address: EMPTY_SHORT_ID, utxoId: EMPTY_ID };
export const MAX_PAGE_UTXOS = 1024;
const CODEC_VERSION = Buffer.alloc(2);

/** UTXOs on the chain itself. The UTXO of `start` was on the previous page and is left out. */
export async function nativeUtxoPage(reader: StoreReader, chain: UtxoChain, { addresses, start, limit }: PageRequest): Promise<UtxoPage> {
  const { chainId } = chain;
  const page = new Map<Id, PageUtxo>();
  let end = start;
  for (const address of sortedFrom(addresses, start)) {
    const after = address === start.address ? await existing(reader, chain, start) : undefined;
    const rows = await reader.scan(utxosByAddress, { prefix: { chainId, address }, limit, ...(after && { after }) });
    end = { address, utxoId: end.utxoId };
    for (const { key, value } of rows) {
      end = { address, utxoId: key.utxoId };
      if (!page.has(key.utxoId)) page.set(key.utxoId, { utxoId: key.utxoId, bytes: Buffer.concat([CODEC_VERSION, value.bytes]) });
      if (page.size === limit) return { utxos: [...page.values()], end };
    }
  }
  return { utxos: [...page.values()], end };
}

/** If the start was spent since, the list is read from the beginning again, as on the node, so nothing is lost. */
async function existing(reader: StoreReader, { chainId, chain }: UtxoChain, { address, utxoId }: PageIndex) {
  const utxo = await (chain === undefined ? reader.get(platformUtxos, { utxoId }) : reader.get(assetUtxos, { chain, utxoId }));
  if (utxo === undefined) return undefined;
  const key = { chainId, address, rank: utxo.rank, utxoId };
  return (await reader.get(utxosByAddress, key)) === undefined ? undefined : key;
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
