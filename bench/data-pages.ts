/**
 * The pages of a list that are measured: its first, those in its middle, its last. Position tokens come from walking the whole list in large
 * pages, and its end in small ones.
 */
import type { LoadRequest } from "./load.ts";

export interface ListPages {
  /** large pages of the walk */
  readonly walked: number;
  readonly first: LoadRequest[];
  readonly middle: LoadRequest[];
  readonly last: LoadRequest[];
}

/** A list without page parameters. */
export interface ListRequest extends LoadRequest {
  readonly largestPage: number;
}

/** How many pages are asked for in turn, at most: several are measured, so that no answer is the one before. */
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

export async function pagesOf(origin: string, list: ListRequest, pageSize: number): Promise<ListPages> {
  const { largestPage } = list;
  const page = (token: string | undefined) => pageRequest(list, pageSize, token);
  const beginning = await walk(origin, list, pageSize, undefined, DISTINCT_PAGES - 1);
  const large = await walk(origin, list, largestPage, undefined, Number.POSITIVE_INFINITY);
  const end = await walk(origin, list, pageSize, large.at(-2) ?? undefined, Number.POSITIVE_INFINITY);
  const middle = large.slice(1 + Math.floor(large.length / 4), Math.ceil((3 * large.length) / 4));
  return {
    walked: large.length,
    first: beginning.map(page),
    middle: spread(middle.length > 0 ? middle : beginning, DISTINCT_PAGES).map(page),
    last: end.slice(-DISTINCT_PAGES).map(page),
  };
}

/** Tokens of a list's pages, from `start` on; undefined is the one of its first page. */
async function walk(
  origin: string,
  list: ListRequest,
  pageSize: number,
  start: string | undefined,
  most: number,
): Promise<(string | undefined)[]> {
  const tokens = [start];
  while (tokens.length <= most) {
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
