/**
 * Writes the blocks of a store as an archive: a recording that `firn import` reads, in segments that never change once they are written. An
 * export into an archive that exists continues where it ends.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../base/bytes/hex.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { formatAcceptedAt } from "../../base/json/accepted-at.ts";
import type { Row } from "../../base/table/table.ts";
import { assetChains, assetVertices } from "../../chains/asset/tables.ts";
import { subnetEvmChains } from "../../chains/subnet-evm/tables.ts";
import { blocks, ingestLog, LOG_BLOCK, LOG_SHARED_MEMORY, storeSource, vertexOrder } from "../../index/tables.ts";
import { isStandalone } from "../../network/standalone.ts";
import { segmentName } from "../../sources/archives/block-files.ts";
import { COMPRESSED, GrowingArchive } from "../../sources/archives/growing-archive.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import { ingestProgress } from "../../store/tables.ts";
import { decodeOperation } from "../shared-memory-log.ts";
import { storeNetwork } from "../store-network.ts";

interface ExportOptions {
  readonly reader: StoreReader;
  /** data directory of the store, for errors */
  readonly directory: string;
  /** folder of the archive; made if there is none */
  readonly folder: string;
  /** last heights to export, by short name; others are exported to the end of the store */
  readonly until?: ReadonlyMap<string, bigint>;
  /** default: 10,000, some 10 MB */
  readonly segmentBlocks?: number;
  readonly signal?: AbortSignal;
  /** a segment of so many blocks was written */
  readonly onSegment?: (file: string, blocks: number) => void;
}

const SEGMENT_BLOCKS = 10_000;
const SHARED_MEMORY = `sharedmemory.jsonl${COMPRESSED}`;
const VERTICES = `vertices.jsonl${COMPRESSED}`;

export async function exportArchive(options: ExportOptions): Promise<void> {
  const { reader, directory, folder } = options;
  const { network } = await storeNetwork(reader, directory);
  if (isStandalone(network)) {
    throw new FirnError(
      "archive-missing",
      `${directory} holds only EVM chains; their blocks stay with their nodes, so there is nothing to export`,
    );
  }
  const archive = new GrowingArchive(folder);
  const source = (await reader.get(storeSource, { slot: 0 }))!;
  await archive.identify("genesis-P.hex", `${encodeHexPlain(source.genesis)}\n`);
  await archive.identify("network.json", `${Buffer.from(source.network).toString()}\n`);
  const names = new Map<Id, string>([
    [PLATFORM_CHAIN_ID, "P"],
    [network.xChainId, "X"],
    [network.cChainId, "C"],
  ]);
  for await (const { key, value } of scanAll(reader, assetChains)) {
    if (!names.has(value.chainId)) names.set(value.chainId, formatId(value.chainId));
    else if (!archive.has(VERTICES)) await exportVertices(reader, archive, key.chain, value.chainId);
  }
  for await (const { value } of scanAll(reader, subnetEvmChains)) if (value.runs) names.set(value.chainId, formatId(value.chainId));
  const progress = await reader.get(ingestProgress, { slot: 0 });
  if ((progress?.sharedMemoryOperations ?? 0n) > 0n) await archive.add(SHARED_MEMORY, sharedMemoryLines(reader, names));
  for (const [chainId, name] of names) await exportChain(options, archive, chainId, name);
}

async function exportChain(
  { reader, until, segmentBlocks = SEGMENT_BLOCKS, signal, onSegment }: ExportOptions,
  archive: GrowingArchive,
  chainId: Id,
  name: string,
): Promise<void> {
  const [tip] = await reader.scan(blocks, { prefix: { chainId }, reverse: true, limit: 1 });
  const asked = until?.get(name);
  const last = tip === undefined ? 0n : asked !== undefined && asked < tip.key.height ? asked : tip.key.height;
  for (let from = archive.heightOf(name) + 1n; from <= last && !signal?.aborted; ) {
    const end = from + BigInt(segmentBlocks) - 1n;
    const to = end < last ? end : last;
    const file = `${segmentName(name, from, to)}${COMPRESSED}`;
    await archive.add(file, blockLines(reader, chainId, from, to));
    onSegment?.(file, Number(to - from) + 1);
    from = to + 1n;
  }
}

async function* blockLines(reader: StoreReader, chainId: Id, from: bigint, to: bigint): AsyncGenerator<string> {
  for await (const row of scanAll(reader, blocks, { chainId }, { from: { height: from } })) {
    if (row.key.height > to) return;
    yield blockLine(row);
  }
}

/** A container where the block has one, else the block. `containerID` is null if it is not known whether it has one. */
function blockLine({ key: { height }, value }: Row<typeof blocks>): string {
  const { blockId, containerId, head, bytes, tail, acceptedAt } = value;
  const container =
    head.length === 0
      ? { ...(containerId === EMPTY_ID && { containerID: null }), bytes: encodeHexPlain(bytes) }
      : { containerID: formatId(containerId), container: encodeHexPlain(Buffer.concat([head, bytes, tail])) };
  return `${JSON.stringify({ height: Number(height), id: formatId(blockId), ...container, acceptedAt: formatAcceptedAt(acceptedAt) })}\n`;
}

/** The DAG is over on every network: a chain that is still within it is exported once its vertices are all there. */
async function exportVertices(reader: StoreReader, archive: GrowingArchive, chain: number, chainId: Id): Promise<void> {
  const [first] = await reader.scan(vertexOrder, { prefix: { chainId }, limit: 1 });
  const [block] = await reader.scan(blocks, { prefix: { chainId }, limit: 1 });
  if (first !== undefined && block !== undefined) await archive.add(VERTICES, vertexLines(reader, chain, chainId));
}

async function* vertexLines(reader: StoreReader, chain: number, chainId: Id): AsyncGenerator<string> {
  for await (const { value } of scanAll(reader, vertexOrder, { chainId })) {
    const row = await reader.get(assetVertices, { chain, vertexId: value.vertexId });
    if (row === undefined) {
      throw new FirnError("store-damaged", `vertex ${formatId(value.vertexId)} is missing in the store; import the network again`);
    }
    yield `${JSON.stringify({ id: formatId(value.vertexId), bytes: encodeHexPlain(row.bytes) })}\n`;
  }
}

// `sharedmemory.jsonl` of an archive whose store lacks the blocks of a chain: what that chain did to the memory that it shares with others.

/** @param names short names of the chains */
async function* sharedMemoryLines(reader: StoreReader, names: ReadonlyMap<Id, string>): AsyncGenerator<string> {
  const heights = new Map<Id, number>();
  for await (const { value } of scanAll(reader, ingestLog)) {
    const { kind, chainId, ref } = value;
    if (kind === LOG_BLOCK) heights.set(chainId, Number(Buffer.from(ref).readBigUInt64BE()));
    if (kind !== LOG_SHARED_MEMORY) continue;
    const operation = decodeOperation(ref);
    const { peerId, key } = operation;
    const place = { by: names.get(chainId), peer: names.get(peerId), afterHeight: heights.get(peerId) ?? 0 };
    const content =
      operation.kind === "put" ? { op: "put", value: encodeHexPlain(operation.bytes), traits: operation.traits } : { op: "remove" };
    yield `${JSON.stringify({ ...place, ...content, key: formatId(key) })}\n`;
  }
}
