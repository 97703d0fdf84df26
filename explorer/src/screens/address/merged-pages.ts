/** One list, newest first, out of several that are newest first themselves and are read page by page: no list is read further than it is shown. */

export interface Timed {
  readonly timestamp: number;
}

export interface SourcePage<I extends Timed> {
  readonly items: readonly I[];
  readonly nextPageToken?: string | undefined;
}

export type Source<I extends Timed> = (pageToken: string | undefined) => Promise<SourcePage<I>>;

/** How far a source was read: items that are not shown yet, and where its next page begins. */
interface Progress<I extends Timed> {
  readonly left: readonly I[];
  readonly pageToken: string | undefined;
  readonly isEnded: boolean;
}

export interface MergedPage<I extends Timed> {
  readonly items: readonly I[];
  readonly nextPageToken?: readonly Progress<I>[] | undefined;
}

/**
 * The next page. Asks each source at most once, and shows items up to the first that could be older than what a source still has.
 * @param progress of each source; undefined: of the first page
 */
export async function readMerged<I extends Timed>(
  sources: readonly Source<I>[],
  progress: readonly Progress<I>[] = sources.map(() => ({ left: [], pageToken: undefined, isEnded: false })),
): Promise<MergedPage<I>> {
  const read = await Promise.all(
    progress.map(async (of, i): Promise<Progress<I>> => {
      if (of.left.length > 0 || of.isEnded) return of;
      const { items, nextPageToken } = await sources[i]!(of.pageToken);
      return { left: items, pageToken: nextPageToken, isEnded: nextPageToken === undefined };
    }),
  );
  const items: I[] = [];
  const shown = read.map(() => 0);
  for (;;) {
    // a source whose items are all shown may go on with items that are newer than the others'
    if (read.some(({ left, isEnded }, i) => shown[i] === left.length && !isEnded)) break;
    const next = newestOf(read, shown);
    if (next === undefined) break;
    items.push(read[next]!.left[shown[next]!]!);
    shown[next]!++;
  }
  const rest = read.map(({ left, ...of }, i) => ({ ...of, left: left.slice(shown[i]) }));
  return { items, nextPageToken: rest.some(({ left, isEnded }) => left.length > 0 || !isEnded) ? rest : undefined };
}

/** The source with the newest item; of equal ones the first. */
function newestOf<I extends Timed>(sources: readonly Progress<I>[], shown: readonly number[]): number | undefined {
  let newest: number | undefined;
  for (const [i, { left }] of sources.entries()) {
    const item = left[shown[i]!];
    if (item !== undefined && (newest === undefined || item.timestamp > sources[newest]!.left[shown[newest]!]!.timestamp)) newest = i;
  }
  return newest;
}
