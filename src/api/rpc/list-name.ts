/** Names lists that clients send in the keys of kept answers. */
import { createHash } from "node:crypto";
import { eachInTurns } from "../../base/work/in-turns.ts";
import type { Work } from "../../base/work/work.ts";

/** Shorter lists are their own names. */
const LONG = 64;

/** @param items texts, none of which could be two that a comma joins. The name of a long list is its hash, so that a key does not take more memory than its answer. */
export async function listName(work: Work, items: readonly string[]): Promise<string> {
  if (items.length < LONG) return items.join();
  const hash = createHash("sha256");
  await eachInTurns(work, items, (item) => hash.update(item).update(","));
  return `${items.length} of ${hash.digest("hex")}`;
}
