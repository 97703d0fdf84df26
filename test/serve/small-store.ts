/** A store on disk with the few rows that a serving process reads, for tests of the server itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import type { Change, Table, TableKey, TableValue } from "../../src/base/table/table.ts";
import { assetChainState, assetChains } from "../../src/chains/asset/tables.ts";
import { evmTips } from "../../src/chains/atomic/tables.ts";
import { platformChain } from "../../src/chains/platform/tables.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { mainnet } from "../../src/network/presets.ts";
import { formatChange } from "../../src/store/format.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { ingestProgress } from "../../src/store/tables.ts";

export const smallNetwork: NetworkInstance = {
  ...mainnet,
  genesisBytes: new Uint8Array(),
  genesisId: "01".repeat(32),
  xChainId: "02".repeat(32),
  cChainId: "03".repeat(32),
  avaxAssetId: "04".repeat(32),
};

export function change<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): Change {
  return { table, key, value } as Change;
}

/** Heights of all chains, and the progress of ingest, which moves with them. */
export function heightChanges(heights: { P: bigint; X: bigint; C: bigint }): Change[] {
  const scalars = { feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n };
  const assetScalars = { phase: 1, txCount: 0n, vertexCount: 0n, feeAssetId: EMPTY_ID };
  return [
    change(platformChain, { slot: 0 }, { height: heights.P, lastAccepted: EMPTY_ID, timestamp: 0n, ...scalars }),
    change(assetChains, { chain: 0 }, { chainId: smallNetwork.xChainId, fxIds: [] }),
    change(assetChainState, { chain: 0 }, { height: heights.X, lastAccepted: EMPTY_ID, timestamp: 0n, ...assetScalars }),
    change(evmTips, { chainId: smallNetwork.cChainId }, { height: heights.C, lastAccepted: EMPTY_ID, timestamp: 0n }),
    change(ingestProgress, { slot: 0 }, { nextSequence: heights.P + heights.X + heights.C, sharedMemoryOperations: 0n }),
  ];
}

export interface SmallStore {
  readonly store: Store;
  readonly directory: string;
  remove(): Promise<void>;
}

export async function openSmallStore(): Promise<SmallStore> {
  const directory = mkdtempSync(join(tmpdir(), "firn-server-"));
  const store = await openStore({ directory, mode: "write" });
  await store.commit([formatChange(smallNetwork), ...heightChanges({ P: 10n, X: 20n, C: 30n })]);
  return {
    store,
    directory,
    async remove() {
      await store.close().catch(() => {});
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
