/** Makes a data directory with the index of the busy address's chain, as an ingester would. */
import { pino } from "pino";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import type { Change } from "../../src/base/table/table.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { ERC20, ERC721, ERC1155 } from "../../src/evm/facts.ts";
import { evmContractMetadata } from "../../src/evm/index/token-tables.ts";
import { completeSettings } from "../../src/evm/ingest/complete-settings.ts";
import { EvmIngester } from "../../src/evm/ingest/evm-ingester.ts";
import { chainChanges } from "../../src/evm/ingest/open-chain.ts";
import { FUJI_ID } from "../../src/network/presets.ts";
import type { EvmBatch, EvmSource } from "../../src/sources/evm/evm-source.ts";
import { formatChange } from "../../src/store/format.ts";
import { openStore } from "../../src/store/open.ts";
import { busyBlocks, CHAIN_ID, COINS, COLLECTION, coin, MULTI_TOKEN, placeOf } from "./busy-address.ts";

const CHAIN = 0;
const BLOCKS_PER_BATCH = 20;

export async function makeBusyStore(directory: string, transactions: number): Promise<void> {
  const store = await openStore({ directory, mode: "write" });
  try {
    const settings = completeSettings(entryOf(["http://127.0.0.1:1"]), { evmChainId: CHAIN_ID, isAvalanche: true });
    await store.commit([
      formatChange({ networkId: FUJI_ID, genesisId: EMPTY_ID }),
      ...chainChanges(CHAIN, CHAIN_ID, settings),
      ...tokenRows(),
    ]);
    const stop = new AbortController();
    const last = placeOf(transactions - 1).height;
    const ingester = new EvmIngester({
      store,
      chain: { chain: CHAIN, evmChainId: CHAIN_ID, startHeight: 0n, maxReorgDepth: 0 },
      source: sourceOf(transactions, last),
      classifier: { classify: async () => new Map([[COLLECTION, { kind: ERC721, isWrapped: false }]]) },
      upstream: { committed: () => {}, tell: () => {} },
      log: pino({ level: "warn" }),
      onCommit: ({ height }) => {
        if (height === last) stop.abort();
      },
    });
    await ingester.run(stop.signal);
  } finally {
    await store.close();
  }
}

function sourceOf(transactions: number, last: bigint): EvmSource {
  return {
    async *batches(): AsyncGenerator<EvmBatch> {
      let blocks: EvmBatch["blocks"][number][] = [];
      const head = { height: last, timestamp: 0n };
      for (const block of busyBlocks(transactions)) {
        blocks.push(block);
        if (blocks.length < BLOCKS_PER_BATCH) continue;
        yield { blocks, head };
        blocks = [];
      }
      if (blocks.length > 0) yield { blocks, head };
    },
  };
}

/** The rows that the token service would have written. */
function tokenRows(): Change[] {
  const row = (contract: string, kind: number, name: string) =>
    ({
      table: evmContractMetadata,
      key: { chain: CHAIN, contract },
      value: { kind, name, symbol: "TKN", decimals: kind === ERC20 ? 18 : undefined, checkedAt: 0n },
    }) as Change;
  const coins = Array.from({ length: COINS }, (_, i) => row(coin(i), ERC20, i === 0 ? "Busiest" : `Coin ${i}`));
  return [...coins, row(COLLECTION, ERC721, "Collection"), row(MULTI_TOKEN, ERC1155, "Pieces")];
}
