/**
 * Query parameters that lists share. Spread them into a route's query: `Type.Object({ addresses: Type.Optional(csv("…")), ...pageQuery(),
 * ...sortQuery, ...timeQuery })`. The framework reads `pageToken`. Handlers get its position as `context.after` and pass the next one to
 * `context.nextPage`.
 */
import Type, { type TObject, type TOptional, type TString } from "typebox";
import { badRequest } from "./errors.ts";

/** Rows of a page. It is always set when the handler runs. */
export function pageSize(max: number, byDefault: number) {
  return Type.Integer({
    minimum: 1,
    maximum: max,
    default: byDefault,
    description: `Maximum number of items in a page, from 1 to ${max}.`,
  });
}

const pageToken = Type.Optional(
  Type.String({
    description:
      "`nextPageToken` of the previous page. It carries the filters of the first request; filters that are sent again are ignored. `pageSize` may change.",
  }),
);

/** `pageToken` and `pageSize`. */
export function pageQuery(max = 100, byDefault = 10) {
  return { pageToken, pageSize: pageSize(max, byDefault) };
}

/** `sortOrder`: newest first by default. It is always set when the handler runs. */
export const sortQuery = {
  sortOrder: Type.Union([Type.Literal("asc"), Type.Literal("desc")], {
    default: "desc",
    description: "Order by time, or by `sortBy` where that exists and is given: `asc` is oldest or smallest first.",
  }),
};

/** A time in Unix seconds, which fits a u64 and is exact as a number. */
export function unixSeconds(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

/** `startTimestamp` (inclusive) and `endTimestamp` (exclusive). */
export const timeQuery = {
  startTimestamp: Type.Optional(unixSeconds("Unix seconds: items at or after this time.")),
  endTimestamp: Type.Optional(unixSeconds("Unix seconds: items before this time.")),
};

/** A comma-separated list in one parameter. Read it with `splitCsv` or a parser that uses it. */
export function csv(description: string): TString {
  return Type.String({ description: `${description} Comma-separated.` });
}

/** A repeated parameter: `txTypes=A&txTypes=B`. One parameter with commas also works: `txTypes=A,B`. */
export function repeated<T extends string>(values: readonly T[], description: string) {
  return Type.Array(Type.Union(values.map((value) => Type.Literal(value))), {
    description: `${description} Repeat the parameter for several, or put commas between them.`,
  });
}

/** Several times the most that any list may name: it is read before duplicates are removed. */
const MAX_CSV_ITEMS = 8192;

/** Splits a comma-separated list: items are trimmed, empty ones and duplicates are dropped, the order stays. */
export function splitCsv(text: string): string[] {
  const items = new Set<string>();
  const parts = text.split(",", MAX_CSV_ITEMS + 1);
  if (parts.length > MAX_CSV_ITEMS) {
    throw badRequest(`a comma-separated list may have at most ${MAX_CSV_ITEMS} items, repeated and empty ones included`);
  }
  for (const part of parts) {
    const item = part.trim();
    if (item !== "") items.add(item);
  }
  return [...items];
}

/** In a list's answer, absent on the last page only. */
export const nextPageToken: TOptional<TString> = Type.Optional(
  Type.String({ description: "Token of the next page. Absent on the last one." }),
);

/**
 * The schema of a list's answer: `pageOf({ utxos: Type.Array(utxoSchema), chainInfo: chainInfoSchema }, "ListUtxosResponse")`. Without a
 * name, the OpenAPI document names it after its operation.
 */
export function pageOf<P extends Parameters<typeof Type.Object>[0]>(
  members: P,
  $id?: string,
): TObject<{ nextPageToken: typeof nextPageToken } & P> {
  return Type.Object({ nextPageToken, ...members }, $id === undefined ? {} : { $id }) as TObject<
    { nextPageToken: typeof nextPageToken } & P
  >;
}
