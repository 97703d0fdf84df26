/** Compares an answered list with the expected one, item by item in both directions. */
import { type CheckResult, check } from "../check.ts";

/** One result for each expected item, one for each that is too many, and one for the order if the items are right. */
export function* sameItems(name: string, answered: readonly string[], expected: readonly string[]): Generator<CheckResult> {
  const left = new Map<string, number>();
  for (const item of answered) left.set(item, (left.get(item) ?? 0) + 1);
  let isSame = true;
  for (const item of expected) {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    if (count < 1) isSame = false;
    yield check(`${name}: ${item}`, count < 1 ? "is not answered" : undefined);
  }
  for (const [item, count] of left) {
    for (let i = 0; i < count; i++) {
      isSame = false;
      yield check(`${name}: ${item}`, "is answered, but nobody meant it");
    }
  }
  if (!isSame) return;
  const at = expected.findIndex((item, i) => answered[i] !== item);
  yield check(`${name}: order`, at === -1 ? undefined : `item ${at} is ${answered[at]}\n  expected ${expected[at]}`);
}
