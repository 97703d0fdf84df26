/** Changes of a JSON answer, one at a time, that a reader must notice. */

type Json = Record<string, unknown>;

/** Where a value stands, with `*` for places in lists: `transactions/<*>/nativeTransaction/value`. */
export function* leavesOf(value: unknown, shape = ""): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* leavesOf(item, `${shape}/*`);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) yield* leavesOf(member, `${shape}/${name}`);
  else yield shape;
}

/** Places of lists that have items. */
export function* listsOf(value: unknown, shape = ""): Generator<string> {
  if (Array.isArray(value) && value.length > 0) yield shape;
  if (Array.isArray(value)) for (const item of value) yield* listsOf(item, `${shape}/*`);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) yield* listsOf(member, `${shape}/${name}`);
}

/** Changes the first value of this shape. */
export function withChanged<T>(value: T, shape: string, change: (old: unknown) => unknown): T {
  const [, ...steps] = shape.split("/");
  let isDone = false;
  const walk = (at: unknown, [step, ...rest]: readonly string[]): unknown => {
    if (isDone) return at;
    if (step === undefined) {
      isDone = true;
      return change(at);
    }
    if (step === "*") return Array.isArray(at) ? at.map((item) => walk(item, rest)) : at;
    if (typeof at !== "object" || at === null || !(step in at)) return at;
    return { ...at, [step]: walk((at as Json)[step], rest) };
  };
  return walk(value, steps) as T;
}

/** Another value of the same type. */
export function other(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return "Malicious";
  const [first = ""] = value;
  return value.length > 2 && value.startsWith("0x")
    ? `${value.slice(0, -1)}${value.endsWith("1") ? "2" : "1"}`
    : `${first === "7" ? "8" : "7"}${value.slice(1)}`;
}

/** What can go wrong with a list. */
export const LIST_CHANGES: Readonly<Record<string, (list: readonly unknown[]) => unknown[]>> = {
  "an item is missing": (list) => list.slice(1),
  "an item is there twice": (list) => [list[0], ...list],
  "a member is there that should not be": ([first, ...rest]) => [{ ...(first as Json), surprise: 1 }, ...rest],
};
