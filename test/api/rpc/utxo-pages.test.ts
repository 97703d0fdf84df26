/** Pages of getUTXOs, whose addresses are read together, against reading one address after the other. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { atomicUtxoPage, FIRST_PAGE, nativeUtxoPage } from "../../../src/api/rpc/utxo-pages.ts";
import { platformUtxos } from "../../../src/chains/platform/tables.ts";
import { sharedByAddress } from "../../../src/chains/shared-memory/tables.ts";
import { PLATFORM_UTXOS, utxosByAddress } from "../../../src/index/tables.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { change } from "../../serve/small-store.ts";
import { scratchDirectory } from "../../store/scratch.ts";

let store: LmdbStore;
beforeEach(() => {
  store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
});
afterEach(() => store.close());

const [destination, source] = ["d0".repeat(32), "50".repeat(32)];
// number 0 would be the place where the first page starts
const addressOf = (number: number) => (number + 1).toString(16).padStart(40, "0");
const idOf = (number: number) => (number + 1).toString(16).padStart(64, "0");

/** Of each address the numbers of its UTXOs, which several may own. */
const anyOwned = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), { minLength: 1, maxLength: 8 });

async function write(owned: readonly (readonly number[])[]): Promise<void> {
  const [listed, shared] = [[], []] as [object[], object[]];
  for (const [address, utxos] of owned.entries()) {
    for (const utxo of utxos) {
      const key = { chain: PLATFORM_UTXOS, address: addressOf(address), rank: 7n, utxoId: idOf(utxo) };
      listed.push(change(utxosByAddress, key, {}), change(platformUtxos, { utxoId: idOf(utxo) }, { bytes: Buffer.from([utxo]), rank: 7n }));
      shared.push(
        change(sharedByAddress, { destination, source, address: addressOf(address), key: idOf(utxo) }, { bytes: Buffer.from([utxo]) }),
      );
    }
  }
  await store.commit([...listed, ...shared] as Parameters<LmdbStore["commit"]>[0]);
}

/** Of one address after the other `most` UTXOs, until the page is full. */
function plainPage(owned: readonly (readonly number[])[], limit: number, most: number): string[] {
  const page = new Set<string>();
  for (const utxos of owned) {
    for (const utxo of [...utxos].sort((a, b) => a - b).slice(0, most)) if (page.size < limit) page.add(idOf(utxo));
  }
  return [...page];
}

test("a page has the UTXOs of one address after the other until it is full", async () => {
  await fc.assert(
    fc.asyncProperty(anyOwned, fc.integer({ min: 1, max: 45 }), async (owned, limit) => {
      for (const table of [utxosByAddress, platformUtxos, sharedByAddress]) await store.clear(table);
      await write(owned);
      const request = { addresses: owned.map((_, address) => addressOf(address)), start: FIRST_PAGE, limit };
      const idsOf = ({ utxos }: { utxos: readonly { utxoId: string }[] }) => utxos.map(({ utxoId }) => utxoId);
      expect(idsOf(await nativeUtxoPage(store, PLATFORM_UTXOS, request))).toEqual(plainPage(owned, limit, limit));
      const all = Number.POSITIVE_INFINITY;
      expect(idsOf(await atomicUtxoPage(store, { destination, source }, request))).toEqual(plainPage(owned, limit, all));
    }),
    { numRuns: 100 },
  );
});
