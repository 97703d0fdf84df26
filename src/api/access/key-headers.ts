/** The headers that can contain an API key. Official SDKs use one or the other. */
export const KEY_HEADERS = ["x-data-api-key", "x-glacier-api-key"] as const;

/** The keys of a request; headers that were not sent are left out. */
export function keysOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string[] {
  return KEY_HEADERS.map((name) => headers[name]).filter((key) => typeof key === "string");
}
