import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Agreement } from "../../../src/sources/nodes/agreement.ts";
import type { ReadBlock } from "../../../src/sources/nodes/chain-reader.ts";
import type { Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";

const { signal } = new AbortController();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => vi.getMockedSystemTime()!.getTime();

/** Two upstreams; the first one's blocks are asked about. @param idAt what the second one says */
function agreement(idAt: (height: bigint) => Promise<string | undefined>, heightOf = (): bigint => 1000n) {
  const used = { state: "used", failures: 0, errors: {} } as const;
  const rpc = { states: () => ["first", "second"].map((name) => ({ ...used, name })) } as Partial<Upstreams> as Upstreams;
  const asked = new Agreement({ rpc, heightOf, idAt: async (upstream, height) => (upstream === 0 ? `${height}` : idAt(height)) });
  return async (height: bigint): Promise<number> => {
    const before = now();
    const required = asked.require({ head: { id: `${height}`, parentId: "", height }, upstream: 0 } as unknown as ReadBlock, signal);
    let hasEnded = false;
    required.then(
      () => (hasEnded = true),
      () => (hasEnded = true),
    );
    await vi.advanceTimersByTimeAsync(0);
    while (!hasEnded) await vi.advanceTimersByTimeAsync(50);
    await required;
    return now() - before;
  };
}

test("an upstream that never says which block it has is waited for once, whatever height it tells", async () => {
  let height = 10n;
  const waitedMs = agreement(
    () => new Promise(() => {}),
    () => height++,
  );
  expect(await waitedMs(10n)).toBe(1_500);
  for (let next = 11n; next < 20n; next++) expect(await waitedMs(next)).toBe(0);
});

test("it is waited for again once it says what it has where it was waited for in vain, and contradicted where that is another block", async () => {
  let has = 9n;
  const waitedMs = agreement(
    async (height) => (height > has ? undefined : height === 30n ? "another" : `${height}`),
    () => has,
  );
  expect(await waitedMs(10n)).toBeGreaterThanOrEqual(3_000);
  expect(await waitedMs(11n)).toBe(0);
  has = 12n;
  // asked beside this one
  expect(await waitedMs(12n)).toBe(0);
  expect(await waitedMs(13n)).toBeGreaterThanOrEqual(3_000);
  has = 30n;
  expect(await waitedMs(14n)).toBe(0);
  await expect(waitedMs(30n)).rejects.toThrow("upstreams have different blocks 30: first has");
});

test("an upstream that contradicts once and agrees when asked again is believed; one that is then silent is not", async () => {
  const answers = ["another", "10", "10", "another", undefined];
  const waitedMs = agreement(async () => answers.shift());
  expect(await waitedMs(10n)).toBeLessThan(1_000);
  await expect(waitedMs(10n)).rejects.toThrow("upstreams have different blocks 10: first has");
});
