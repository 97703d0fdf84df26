import type { SourceItem } from "../source.ts";

export interface TimedItem {
  /** Unix nanoseconds */
  readonly time: bigint;
  readonly item: SourceItem;
}

/** Merges streams by time. Each keeps its own order; at equal times an earlier stream goes first. */
export async function* mergeByTime(streams: readonly AsyncGenerator<TimedItem>[]): AsyncGenerator<SourceItem> {
  const heads: { next: TimedItem; stream: AsyncGenerator<TimedItem> }[] = [];
  try {
    for (const stream of streams) {
      const { value, done } = await stream.next();
      if (!done) heads.push({ next: value, stream });
    }
    while (heads.length > 0) {
      const first = heads.reduce((least, head) => (head.next.time < least.next.time ? head : least));
      yield first.next.item;
      const { value, done } = await first.stream.next();
      if (done) heads.splice(heads.indexOf(first), 1);
      else first.next = value;
    }
  } finally {
    // closes the files if the consumer stops early
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  }
}
