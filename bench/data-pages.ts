/**
 * Finds the measured pages of a list: its first, middle and last ones. Walks the list in large pages to collect tokens, and its end in
 * small ones. Of a long list it walks only the beginning, and reaches its end in the opposite order.
 */
import type { BenchTokens } from "./data-tokens.ts";
import type { LoadRequest } from "./load.ts";

export interface ListPages {
  /** number of large pages walked, and whether they are the whole list */
  readonly walked: string;
  readonly first: LoadRequest[];
  readonly middle: LoadRequest[];
  readonly last: LoadRequest[];
}

/** A list request without page parameters. */
export interface ListRequest extends LoadRequest {
  readonly largestPage: number;
}

/** Largest number of pages requested in turn; several are used, so that no answer repeats the previous one. */
const DISTINCT_PAGES = 10;

export function withParameters(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return added.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${added.join("&")}`;
}

export async function ask(origin: string, { path, body }: LoadRequest): Promise<{ text: string; json: Record<string, unknown> }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${origin}${path}`, body === undefined ? {} : { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return { text, json: JSON.parse(text) };
}

/** Limit on large pages, for lists that can be requested in both orders. */
const MOST_WALKED = 60;

export async function pagesOf(origin: string, list: ListRequest, pageSize: number, tokens: BenchTokens): Promise<ListPages> {
  const { largestPage } = list;
  const page = (token: string | undefined) => pageRequest(list, pageSize, token);
  const beginning = await walk(origin, list, pageSize, undefined, DISTINCT_PAGES);
  const large = await walk(origin, list, largestPage, undefined, MOST_WALKED);
  const isWhole = large.length < MOST_WALKED;
  const middle = isWhole ? large.slice(1 + Math.floor(large.length / 4), Math.ceil((3 * large.length) / 4)) : large.slice(MOST_WALKED / 2);
  const end = isWhole
    ? await walk(origin, list, pageSize, large.at(-2) ?? undefined, Number.POSITIVE_INFINITY)
    : await endOf(origin, list, pageSize, tokens);
  return {
    walked: isWhole ? `${large.length}` : `over ${MOST_WALKED}`,
    first: beginning.map(page),
    middle: spread(middle.length > 0 ? middle : beginning, DISTINCT_PAGES).map(page),
    last: end.slice(-DISTINCT_PAGES).map(page),
  };
}

/** Walks from the last page in the opposite order, then in the list's own. */
async function endOf(origin: string, list: ListRequest, pageSize: number, tokens: BenchTokens): Promise<string[]> {
  const reversed = { ...list, path: withParameters(list.path, { sortOrder: "asc" }) };
  const passed = (await walk(origin, reversed, pageSize, undefined, DISTINCT_PAGES + 1)).slice(1);
  return passed.map((token) => tokens.seal(list, tokens.positionOf(reversed, token!))).toReversed();
}

/** The tokens of a list's pages from `start` on; undefined stands for the first page. */
async function walk(
  origin: string,
  list: ListRequest,
  pageSize: number,
  start: string | undefined,
  most: number,
): Promise<(string | undefined)[]> {
  const tokens = [start];
  while (tokens.length < most) {
    const { json } = await ask(origin, pageRequest(list, pageSize, tokens.at(-1)));
    if (json.nextPageToken === undefined) break;
    tokens.push(json.nextPageToken as string);
  }
  return tokens;
}

function pageRequest({ path, body }: LoadRequest, pageSize: number, pageToken: string | undefined): LoadRequest {
  return { path: withParameters(path, { pageSize, ...(pageToken !== undefined && { pageToken }) }), body };
}

function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[Math.floor(i * step)]!);
}
