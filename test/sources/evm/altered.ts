/** Changes one place of a node's answer, as a lying node would. */
type Path = readonly (string | number)[];
type Json = Record<string, unknown>;

/** The places of all members that are texts, flags or null, and of list entries. */
export function placesIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => [[...path, i], ...placesIn(each, [...path, i])]);
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => placesIn(each, [...path, name]));
}

/** A copy with one place changed: another digit, another length, the entry left out or twice. */
export function altered<T>(value: T, path: Path, how: number): T {
  const copy = structuredClone(value);
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce<unknown>((at, step) => (at as Json)[step], copy) as Json & unknown[];
  const before = parent[last as number];
  if (typeof before === "string" && before.startsWith("0x")) {
    const digits = before.slice(2) || "0";
    const at = how % digits.length;
    const digit = ((Number.parseInt(digits[at]!, 16) + 1 + (how % 15)) % 16).toString(16);
    parent[last as number] = how % 7 === 0 ? `${before}00` : `0x${digits.slice(0, at)}${digit}${digits.slice(at + 1)}`;
  } else if (typeof last === "number") {
    if (how % 2 === 0) parent.splice(last, 1);
    else parent.splice(last, 0, structuredClone(before));
  } else parent[last as unknown as number] = before === null ? `0x${"ab".repeat(20)}` : typeof before === "boolean" ? !before : null;
  return copy;
}
