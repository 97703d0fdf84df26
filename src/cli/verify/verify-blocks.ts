/** Checks that stored blocks hash to their IDs, have the right heights, and name their predecessors as parents. */

import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { Row } from "../../base/table/table.ts";
import { blocks } from "../../index/tables.ts";
import type { NodeChains } from "../../ingest/chains.ts";
import { unwrapParsed } from "../../ingest/ingest-log.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import type { Problems } from "./problems.ts";

interface ParsedBlock {
  readonly id: Id;
  readonly height: bigint;
  readonly parentId: Id;
}

/** small pages, because blocks are large */
const PAGE = 256;

/** Returns the number of blocks. */
export async function verifyBlocks(reader: StoreReader, chains: NodeChains, problems: Problems, signal: AbortSignal): Promise<number> {
  let previous: Row<typeof blocks> | undefined;
  let count = 0;
  for await (const row of scanAll(reader, blocks, {}, { pageSize: PAGE })) {
    if (signal.aborted) break;
    const before = previous?.key.chainId === row.key.chainId ? previous : undefined;
    const fault = blockFault(row, before, chains);
    if (fault !== undefined) problems.add(`block ${row.key.height} of chain ${formatId(row.key.chainId)} ${fault}`);
    previous = row;
    count++;
  }
  return count;
}

function blockFault({ key, value }: Row<typeof blocks>, before: Row<typeof blocks> | undefined, chains: NodeChains): string | undefined {
  const parse = parserOf(key.chainId, chains);
  if (parse === undefined) return "belongs to a chain that the store does not have";
  const container = Buffer.concat([value.head, value.bytes, value.tail]);
  let parsed: ReturnType<typeof unwrapParsed<ParsedBlock>>;
  try {
    const item = { kind: "block", chainId: key.chainId, height: key.height, container, acceptedAt: value.acceptedAt } as const;
    parsed = unwrapParsed(value.containerId === EMPTY_ID ? { ...item, isHeaderUnknown: true } : item, parse);
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
  const { unwrapped, block } = parsed;
  if (block.id !== value.blockId || unwrapped.containerId !== value.containerId) return "does not hash to its ID";
  if (Buffer.compare(unwrapped.head, value.head) !== 0 || Buffer.compare(unwrapped.inner, value.bytes) !== 0)
    return "is split in the wrong places";
  if (before === undefined) return undefined;
  if (before.key.height + 1n !== key.height) return `follows block ${before.key.height}`;
  return block.parentId === before.value.blockId ? undefined : "does not name the block before it as its parent";
}

function parserOf(chainId: Id, chains: NodeChains): ((bytes: Uint8Array) => ParsedBlock) | undefined {
  if (chainId === PLATFORM_CHAIN_ID) return (bytes) => chains.platform.parse(bytes);
  return chains.parserOf(chainId);
}
