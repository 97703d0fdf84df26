/** Errors show no password of a URL, in whatever form it is mistyped: nothing before its `@`, and no password of its query. */

/** @param json texts in JSON */
export function withoutCredentials(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*@/g, '"…@').replace(/(pass\w*=)[^&"]*/gi, "$1…");
}
