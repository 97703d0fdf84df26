/** Reads the UTXOs of an address, the newest block's first. A UTXO costs two rows: one of the list, and its own. */

import type { Id, ShortId } from "../base/bytes/id.ts";
import type { TableKey } from "../base/table/table.ts";
import { type Awaitable, andThen, later, type Steps } from "../base/work/awaitable.ts";
import { assetUtxos } from "../chains/asset/tables.ts";
import { platformUtxos } from "../chains/platform/tables.ts";
import { rowsAtOnce, type StoreReader, sideBySide } from "../store/store.ts";
import { PLATFORM_UTXOS, utxosByAddress } from "./tables.ts";

/** Whose UTXOs are listed. `chain` is PLATFORM_UTXOS or the number of an asset chain. */
interface UtxoOwner {
  readonly chain: number;
  readonly address: ShortId;
}

interface OwnedUtxo {
  readonly utxoId: Id;
  /** without codec version */
  readonly bytes: Uint8Array;
}

/** A position in the list. */
export type UtxoPlace = TableKey<typeof utxosByAddress>;

/** Reads all of them in pages. */
export async function* utxosOfAddress(
  reader: StoreReader,
  owner: UtxoOwner,
  { pageSize = rowsAtOnce(reader) } = {},
): AsyncGenerator<OwnedUtxo> {
  let after: UtxoPlace | undefined;
  for (;;) {
    const places = await utxoPlaces(reader, owner, { after, limit: pageSize });
    yield* await readUtxos(
      reader,
      owner.chain,
      places.map(({ utxoId }) => utxoId),
    );
    if (places.length < pageSize) return;
    after = places.at(-1);
  }
}

/** The same at once where the rows are there: `use` gets one page after the other. */
export function* eachPageOfUtxos(reader: StoreReader, owner: UtxoOwner, use: (utxos: readonly OwnedUtxo[]) => void): Steps<void> {
  const limit = rowsAtOnce(reader);
  for (let after: UtxoPlace | undefined; ; ) {
    const places = yield* later(utxoPlaces(reader, owner, { after, limit }));
    const utxoIds = places.map(({ utxoId }) => utxoId);
    use(yield* later(readUtxos(reader, owner.chain, utxoIds)));
    if (places.length < limit) return;
    after = places.at(-1);
  }
}

/** Reads those of one address after the other, and the first ones of several together. */
export async function* utxosOfAddresses(reader: StoreReader, chain: number, addresses: readonly ShortId[]): AsyncGenerator<OwnedUtxo> {
  const open = async (address: ShortId) => {
    const utxos = utxosOfAddress(reader, { chain, address });
    return { utxos, first: await utxos.next() };
  };
  for await (const { utxos, first } of sideBySide(addresses, open)) {
    if (first.done) continue;
    yield first.value;
    yield* utxos;
  }
}

/** Lists at most `limit` UTXOs after a position. */
export function utxoPlaces(
  reader: StoreReader,
  { chain, address }: UtxoOwner,
  { after, limit }: { readonly after: UtxoPlace | undefined; readonly limit: number },
): Awaitable<UtxoPlace[]> {
  const rows = reader.scan(utxosByAddress, { prefix: { chain, address }, limit, ...(after && { after }) });
  return andThen(rows, (found) => found.map(({ key }) => key));
}

/** The position of a UTXO; undefined if it is not in the list. */
export async function placeOfUtxo(reader: StoreReader, { chain, address }: UtxoOwner, utxoId: Id): Promise<UtxoPlace | undefined> {
  const [utxo] = await readRows(reader, chain, [utxoId]);
  if (utxo === undefined) return undefined;
  const place = { chain, address, rank: utxo.rank, utxoId };
  return (await reader.get(utxosByAddress, place)) === undefined ? undefined : place;
}

/** Reads listed UTXOs of a chain. */
export function readUtxos(reader: StoreReader, chain: number, utxoIds: readonly Id[]): Awaitable<OwnedUtxo[]> {
  return andThen(readRows(reader, chain, utxoIds), (rows) => utxoIds.map((utxoId, i) => ({ utxoId, bytes: rows[i]!.bytes })));
}

function readRows(
  reader: StoreReader,
  chain: number,
  utxoIds: readonly Id[],
): Awaitable<readonly ({ readonly bytes: Uint8Array; readonly rank: bigint } | undefined)[]> {
  const keys = utxoIds.map((utxoId) => ({ utxoId }));
  if (chain === PLATFORM_UTXOS) return reader.getMany(platformUtxos, keys);
  return reader.getMany(
    assetUtxos,
    keys.map((key) => ({ chain, ...key })),
  );
}
