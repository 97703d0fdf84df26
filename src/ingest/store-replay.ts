/** A store as a source: delivers what the store ingested, in the same order. Reads only `ingest_log` and the rows it points to. */

import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { Row } from "../base/table/table.ts";
import { assetChains, assetVertices } from "../chains/asset/tables.ts";
import { subnetEvmChains } from "../chains/subnet-evm/tables.ts";
import { blocks, ingestLog, LOG_BLOCK, LOG_VERTEX, vertexOrder } from "../index/tables.ts";
import type { Source, SourceItem } from "../sources/source.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import { decodeOperation } from "./shared-memory-log.ts";
import { storeNetwork } from "./store-network.ts";

const PAGE = 512;

export async function openStoreReplay(reader: StoreReader, directory: string): Promise<Source> {
  const { network, networkFile } = await storeNetwork(reader, directory);
  const numbers = new Map<Id, number>();
  for await (const { key, value } of scanAll(reader, assetChains)) numbers.set(value.chainId, key.chain);
  const subnetEvms: Id[] = [];
  for await (const { value } of scanAll(reader, subnetEvmChains)) subnetEvms.push(value.chainId);
  const primary = new Set([PLATFORM_CHAIN_ID, network.xChainId, network.cChainId]);
  const [last] = await reader.scan(ingestLog, { reverse: true, limit: 1 });
  const count = last === undefined ? 0 : Number(last.key.sequence) + 1;
  let read = 0;
  return {
    network,
    networkFile,
    otherChains: [...[...numbers.keys()].filter((chainId) => !primary.has(chainId)), ...subnetEvms],
    hasVertices: (await reader.scan(vertexOrder, { prefix: { chainId: network.xChainId }, limit: 1 })).length > 0,
    get fractionRead() {
      return count === 0 ? 1 : read / count;
    },
    async *items() {
      let operations = 0n;
      let after: { sequence: bigint } | undefined;
      for (;;) {
        const rows = await reader.scan(ingestLog, { limit: PAGE, ...(after && { after }) });
        if (rows.length === 0) return;
        const run: SourceItem[] = [];
        for (const row of rows) {
          const item = await readItem(reader, row, numbers, operations);
          if (item.kind === "shared-memory") operations++;
          run.push(item);
        }
        read += run.length;
        after = rows.at(-1)!.key;
        yield run;
      }
    },
  };
}

async function readItem(
  reader: StoreReader,
  { key: { sequence }, value: { kind, chainId, ref } }: Row<typeof ingestLog>,
  numbers: ReadonlyMap<Id, number>,
  operations: bigint,
): Promise<SourceItem> {
  const origin = `ingest_log ${sequence}`;
  if (kind === LOG_BLOCK) {
    const height = Buffer.from(ref).readBigUInt64BE();
    const row = await reader.get(blocks, { chainId, height });
    if (row === undefined) throw missing(origin, `block ${height}`);
    const container = Buffer.concat([row.head, row.bytes, row.tail]);
    const { blockId, containerId, acceptedAt } = row;
    const known = containerId === EMPTY_ID ? { id: blockId, isHeaderUnknown: true as const } : { id: containerId };
    return { kind: "block", chainId, height, ...known, container, acceptedAt, origin };
  }
  if (kind === LOG_VERTEX) {
    const vertexId = Buffer.from(ref).toString("hex");
    const row = await reader.get(assetVertices, { chain: numbers.get(chainId) ?? 0, vertexId });
    const order = row && (await reader.get(vertexOrder, { chainId, index: row.sequence }));
    if (row === undefined || order === undefined) throw missing(origin, `vertex ${vertexId}`);
    return { kind: "vertex", chainId, sequence: row.sequence, id: vertexId, bytes: row.bytes, acceptedAt: order.acceptedAt, origin };
  }
  return { kind: "shared-memory", chainId, sequence: operations, operation: decodeOperation(ref), origin };
}

function missing(origin: string, what: string): FirnError {
  return new FirnError("store-damaged", `${origin} names ${what}, which the store does not hold; import the recording again`, { origin });
}
