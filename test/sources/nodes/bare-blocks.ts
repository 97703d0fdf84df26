import type { Id } from "../../../src/base/bytes/id.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { headReader } from "../../../src/sources/nodes/chain-reader.ts";
import type { BlockItem, Source, SourceItem } from "../../../src/sources/source.ts";

/** Services that tell what containers alone tell: their IDs, and the epoch that the next one begins. */
export const OF_CONTAINERS = ["index", "proposervm"];

/** The same blocks without what only their containers tell. @param chains default: all */
export function withoutContainers(archive: Source, chains?: readonly Id[]): Source {
  const bare = (item: SourceItem): SourceItem => {
    if (item.kind !== "block" || chains?.includes(item.chainId) === false) return item;
    const readHead = headReader(item.chainId, archive.network);
    const isBlock = (bytes: Uint8Array) => {
      try {
        return readHead(bytes) !== undefined;
      } catch {
        return false;
      }
    };
    const { inner } = unwrapBlock(item.container, isBlock);
    const { id, time } = readHead(inner);
    return { ...item, id, container: inner, acceptedAt: (time ?? 0n) * 1_000_000_000n, isHeaderUnknown: true } satisfies BlockItem;
  };
  return {
    ...archive,
    async *items(from) {
      for await (const run of archive.items(from)) yield run.map(bare);
    },
  };
}
