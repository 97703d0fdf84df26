/** What a URL has before its `@`, or as a password in its query, in any form that it may be mistyped in: errors do not show it. */

/** @param json texts in JSON */
export function withoutCredentials(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*@/g, '"…@').replace(/(pass\w*=)[^&"]*/gi, "$1…");
}
