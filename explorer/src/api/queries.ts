/** Reads answers into components: one at a time, or page by page. Answers are shared, kept for a while, and read again when their chain grew. */
import { QueryClient, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { ApiError } from "./errors.ts";

const RETRIES = 2;
/** An answer is not asked for again within this time, in milliseconds, unless its chain grew. */
const FRESH_MS = 60_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < RETRIES && !(error instanceof ApiError && error.isFinal),
      refetchOnWindowFocus: false,
    },
  },
});

export interface Reading {
  /** the chain (`P`, `X`, `C` or an EVM chain ID) whose growth changes the answer, or several; undefined: nothing does */
  readonly follows?: string | readonly string[] | undefined;
  /** false: not asked yet */
  readonly isWanted?: boolean;
  /** false: what the server does not have it will not have a second later */
  readonly isRetried?: boolean;
}

/**
 * One answer.
 * @param key what was asked for: equal keys share an answer
 */
export function useAnswer<T>(key: readonly unknown[], ask: () => Promise<T>, { follows, isWanted = true, isRetried = true }: Reading = {}) {
  return useQuery<T>({ queryKey: key, queryFn: ask, enabled: isWanted, meta: { follows }, ...(!isRetried && { retry: false }) });
}

/** @typeParam K what tells where the next page begins */
export interface Page<K = string> {
  readonly nextPageToken?: K | undefined;
}

/** A list, page by page: `fetchNextPage` asks for the next one. */
export function usePages<T extends Page<K>, I, K = string>(
  key: readonly unknown[],
  ask: (pageToken: K | undefined) => Promise<T>,
  itemsOf: (page: T) => readonly I[],
  { follows, isWanted = true, isRetried = true }: Reading = {},
) {
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => ask(pageParam as K | undefined),
    initialPageParam: undefined as K | undefined,
    getNextPageParam: (last: T) => last.nextPageToken,
    enabled: isWanted,
    meta: { follows },
    ...(!isRetried && { retry: false }),
  });
  return { ...pages, items: pages.data?.pages.flatMap(itemsOf) };
}

/** What a list shows of its pages. */
export interface Pages<I> {
  /** undefined: none was read yet */
  readonly items: readonly I[] | undefined;
  readonly error: unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
  refetch(): unknown;
}

/**
 * Has the answers that follow these chains read again, as far as they are on the screen. A list of which more than a page was read stays as it
 * is: its reader is further down, and all its pages would be asked for.
 */
export function chainsGrew(chains: ReadonlySet<string>): void {
  const hasOnePage = (answer: unknown) => ((answer as { pages?: unknown[] } | undefined)?.pages?.length ?? 1) < 2;
  const follows = (names: unknown) => [names].flat().some((name) => chains.has(`${name}`));
  void queries.invalidateQueries({ predicate: ({ meta, state }) => follows(meta?.follows) && hasOnePage(state.data) });
}
