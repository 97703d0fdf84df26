import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BlockBursts } from "../../../src/cli/devnet/block-bursts.ts";
import { LineStyle } from "../../../src/cli/devnet/devnet-line.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function log() {
  const texts: string[] = [];
  const bursts = new BlockBursts(new LineStyle({ hasColors: false }), (text) => texts.push(text.slice("hh:mm:ss  ".length)));
  const block = (chain: string, height: number, ...kinds: string[]) =>
    bursts.line({ level: 30, time: 0, event: "Accepted block", chain, height: `${height}`, kinds });
  return { texts, bursts, block };
}

test("a block is told with what its transactions are", () => {
  const { texts, block } = log();
  block("P", 7, "BaseTx", "ImportTx", "BaseTx");
  block("X", 12);
  expect(texts).toEqual(["P 7       BaseTx ×2, ImportTx\n", "X 12      no transactions\n"]);
});

test("of the blocks of a second the first are told one by one, the others in a line for each chain", () => {
  const { texts, block } = log();
  for (let height = 1; height <= 100; height++) block("P", height, "BaseTx");
  for (let height = 1; height <= 5; height++) block("X", height);
  expect(texts).toHaveLength(20);
  vi.advanceTimersByTime(1000);
  expect(texts.slice(20)).toEqual(["P 21–100  80 blocks, 80 transactions\n", "X 1–5     5 blocks, 0 transactions\n"]);
  block("P", 101);
  expect(texts.at(-1)).toBe("P 101     no transactions\n");
});

test("what is no block is told at once, after the blocks before it", () => {
  const { texts, bursts, block } = log();
  for (let height = 1; height <= 30; height++) block("P", height);
  bursts.line({ level: 50, time: 0, event: "Could not answer a request", where: "P", err: { message: "no reason" } });
  expect(texts.slice(20)).toEqual(["P 21–30   10 blocks, 0 transactions\n", "Could not answer a request  where P: no reason\n"]);
});
