/** A short version of `npm run attack`, which runs longer, against all targets, and measures latencies. */
import { afterEach, expect, test } from "vitest";
import type { Attack } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { FirnTarget } from "./firn-target.ts";
import { anonymousBytes } from "./process-tree.ts";
import { BOUNDS, runAttack } from "./run-attack.ts";

let target: FirnTarget | undefined;
afterEach(() => target?.stop());

/** Nothing is timed: machines that run this may be busy. */
const bounds = { ...BOUNDS, p99Ms: Number.POSITIVE_INFINITY, answerMs: 120_000 };
const FUSE_BYTES = 2 ** 31;

async function problemsUnder(names: readonly string[], seconds: number): Promise<readonly string[]> {
  target = await FirnTarget.start({ kind: "devnet", workers: 1 });
  const chosen = names.map((name) => attacks.find((attack) => attack.name === name)!);
  const { problems } = await runAttack({
    ...{ target, attacks: chosen as [Attack, ...Attack[]], seconds, idleBytes: anonymousBytes(target.pid) },
    ...{ addresses: { attacker: "127.0.0.2", good: "127.0.0.1" }, perSecond: 1, bounds, fuseBytes: FUSE_BYTES },
  });
  const ending = await target.stop(bounds.answerMs);
  target = undefined;
  return ending === undefined ? problems : [...problems, ending];
}

test("a devnet answers everybody else, and stays as it is, whatever clients and foreign pages send", async () => {
  const names = ["evm-large-bodies", "evm-large-frames", "evm-null-batches", "huge-address", "json-shapes", "half-bodies", "odd-http"];
  expect(await problemsUnder(names, 0.4)).toEqual([]);
});
