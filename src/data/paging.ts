/**
 * Query parameters that lists share. Spread them into a route's query:
 * `Type.Object({ addresses: Type.Optional(csv("…")), ...pageQuery(), ...sortQuery, ...timeQuery })`.
 * `pageToken` is read by the framework; handlers see its position as `context.after` and give the next one to `context.nextPage`.
 */
import Type, { type TObject, type TOptional, type TString } from "typebox";

/** Rows of a page; always set when the handler runs. */
export function pageSize(max: number, byDefault: number) {
  return Type.Integer({
    minimum: 1,
    maximum: max,
    default: byDefault,
    description: `The most items of a page, from 1 to ${max}.`,
  });
}

const pageToken = Type.Optional(
  Type.String({
    description:
      "`nextPageToken` of the page before. It carries the filters of the first request: those sent again are ignored, `pageSize` may change.",
  }),
);

/** `pageToken` and `pageSize`. */
export function pageQuery(max = 100, byDefault = 10) {
  return { pageToken, pageSize: pageSize(max, byDefault) };
}

/** `sortOrder`: newest first unless the client says otherwise. Always set when the handler runs. */
export const sortQuery = {
  sortOrder: Type.Union([Type.Literal("asc"), Type.Literal("desc")], {
    default: "desc",
    description: "Order by time, or by `sortBy` where that exists and is given: `asc` is oldest or smallest first.",
  }),
};

/** A time in Unix seconds; every one fits a u64 and is exact as a number. */
export function unixSeconds(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

/** `startTimestamp` (inclusive) and `endTimestamp` (exclusive). */
export const timeQuery = {
  startTimestamp: Type.Optional(unixSeconds("Unix seconds: items at or after this time.")),
  endTimestamp: Type.Optional(unixSeconds("Unix seconds: items before this time.")),
};

/** A comma-separated list in one parameter; read it with `splitCsv` or a parser above it. */
export function csv(description: string): TString {
  return Type.String({ description: `${description} Comma-separated.` });
}

/** A repeated parameter that may also come once: `txTypes=A&txTypes=B`. */
export function repeated<T extends string>(values: readonly T[], description: string) {
  return Type.Array(Type.Union(values.map((value) => Type.Literal(value))), {
    description: `${description} Repeat the parameter for several.`,
  });
}

/** Items of a comma-separated list: trimmed, none empty, each once, in the order in which they were sent. */
export function splitCsv(text: string): string[] {
  const items = new Set<string>();
  for (const part of text.split(",")) {
    const item = part.trim();
    if (item !== "") items.add(item);
  }
  return [...items];
}

/** Of a list's answer: absent on the last page only. */
export const nextPageToken: TOptional<TString> = Type.Optional(
  Type.String({ description: "Token of the next page. Absent on the last one." }),
);

/** A list's answer: `pageOf({ utxos: Type.Array(utxoSchema), chainInfo: chainInfoSchema })`. */
export function pageOf<P extends Parameters<typeof Type.Object>[0]>(members: P): TObject<{ nextPageToken: typeof nextPageToken } & P> {
  return Type.Object({ nextPageToken, ...members }) as TObject<{ nextPageToken: typeof nextPageToken } & P>;
}
