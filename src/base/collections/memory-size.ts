/**
 * Estimates how many bytes of memory a value takes. Only some elements of a long list are examined, which keeps this cheap. An instance of
 * a class counts as a small object, whatever it contains.
 */
export function memorySize(value: unknown, depth = DEPTH): number {
  if (typeof value === "string") return TEXT + value.length;
  if (typeof value !== "object" || value === null) return SLOT;
  if (ArrayBuffer.isView(value)) return OBJECT + value.byteLength;
  if (depth === 0) return OBJECT;
  if (Array.isArray(value)) return OBJECT + listSize(spread(value), value.length, depth - 1);
  if (value instanceof Map || value instanceof Set) return OBJECT + listSize(first(value), value.size, depth - 1);
  if (Object.getPrototypeOf(value) !== Object.prototype) return OBJECT;
  let size = OBJECT;
  for (const name in value) size += SLOT + memorySize((value as Record<string, unknown>)[name], depth - 1);
  return size;
}

/** @param looked the examined elements */
function listSize(looked: readonly unknown[], length: number, depth: number): number {
  if (looked.length === 0) return 0;
  const size = looked.reduce<number>((sum, element) => sum + SLOT + memorySize(element, depth), 0);
  return Math.round((size * length) / looked.length);
}

function spread(list: readonly unknown[]): readonly unknown[] {
  if (list.length <= SAMPLE) return list;
  return Array.from({ length: SAMPLE }, (_, i) => list[Math.floor((i * list.length) / SAMPLE)]);
}

function first(elements: Iterable<unknown>): readonly unknown[] {
  const looked: unknown[] = [];
  for (const element of elements) if (looked.push(element) === SAMPLE) break;
  return looked;
}

/** levels of nesting that are examined */
const DEPTH = 5;
/** elements of a list that are examined */
const SAMPLE = 16;
const SLOT = 8;
const OBJECT = 48;
const TEXT = 24;
