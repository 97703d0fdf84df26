/** A row's key for people: JSON, with 64-bit numbers as text. */
export function keyText(key: object): string {
  return JSON.stringify(key, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}
