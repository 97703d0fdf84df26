/** Table IDs 180–199. Shared memory (chain-rules 16). Keys start with the destination, which reads and removes what the source puts. */
import { bool, bytes, list } from "../../base/codec/codec.ts";
import { id, shortId, table } from "../../base/table/table.ts";

/**
 * Elements between export and import. `isTombstone`: the element was removed before it was put (chains may be executed in any
 * interleaving); the later put deletes the tombstone and stores nothing. `bytes` is the element as the exporter encoded it (a UTXO *with*
 * codec version).
 */
export const sharedElements = table({
  id: 180,
  name: "shared_elements",
  key: { destination: id, source: id, key: id },
  value: { isTombstone: bool, bytes, traits: list(shortId) },
});

/** The elements by address. Serves atomic getUTXOs; a page costs O(page). */
export const sharedByAddress = table({
  id: 181,
  name: "shared_by_address",
  key: { destination: id, source: id, address: shortId, key: id },
  value: { bytes },
});
