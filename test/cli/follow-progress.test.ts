import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FollowProgress } from "../../src/cli/follow/follow-progress.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { completeSettings } from "../../src/evm/ingest/complete-settings.ts";
import type { EvmCommitted } from "../../src/evm/ingest/evm-ingester.ts";

const settings = completeSettings(entryOf(["http://127.0.0.1:1"]), { evmChainId: 1n, isAvalanche: false });
const chain = { chain: 0, evmChainId: 1n, startHeight: 0n, maxReorgDepth: 0, settings: { ...settings, name: "Ours" } };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

function shown({ isTTY }: { isTTY: boolean }) {
  const written: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info", base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const progress = new FollowProgress({ log, terminal: { isTTY, columns: 100, write: (text) => written.push(text) } });
  const commit = (height: bigint, head: bigint, more: Partial<EvmCommitted> = {}) =>
    progress.committed(chain, { blocks: 100, transactions: 500, undone: 0, rows: 1, height, head, ...more });
  return { progress, written, lines, commit };
}

test("renews one line on a terminal while a chain catches up, and clears it at the tip", () => {
  const { written, commit } = shown({ isTTY: true });
  vi.advanceTimersByTime(1000);
  commit(100n, 1000n);
  vi.advanceTimersByTime(1000);
  commit(200n, 1000n);
  expect(written.at(-1)).toBe("\r\u001b[2KOurs 200/1000  20 %  200 blocks/s  1000 tx/s  4 s left");
  const { length } = written;
  commit(210n, 1000n);
  expect(written).toHaveLength(length);
  commit(1000n, 1000n);
  expect(written.at(-1)).toBe("\r\u001b[2K");
  commit(1001n, 1001n);
  expect(written.at(-1)).toBe("\r\u001b[2K");
  expect(written).toHaveLength(length + 1);
});

test("writes log lines elsewhere, at most one a minute, and tells of each reorganisation", () => {
  const { written, lines, commit } = shown({ isTTY: false });
  vi.advanceTimersByTime(70_000);
  commit(100n, 1000n);
  commit(200n, 1000n);
  vi.advanceTimersByTime(70_000);
  commit(300n, 1000n);
  commit(1000n, 1000n, { undone: 3 });
  expect(written).toEqual([]);
  expect(lines.map(({ msg, height, undone }) => [msg, height, undone])).toEqual([
    ["Indexing", "100", undefined],
    ["Indexing", "300", undefined],
    ["Replaced blocks after a reorganisation", "1000", 3],
  ]);
});

test("shows chains of a primary network, whose transactions are not counted apart", () => {
  const { progress, written } = shown({ isTTY: true });
  vi.advanceTimersByTime(1000);
  progress.advanced("P", "P", { height: 100n, head: 1000n, blocks: 100 });
  vi.advanceTimersByTime(1000);
  progress.advanced("P", "P", { height: 200n, head: 1000n, blocks: 100 });
  expect(written.at(-1)).toBe("\r\u001b[2KP 200/1000  20 %  200 blocks/s  4 s left");
});

test("shows what is fetched from peers before it is executed", () => {
  const { progress, written } = shown({ isTTY: true });
  progress.peers(14);
  vi.advanceTimersByTime(1000);
  progress.advanced("P", "P", { height: 0n, head: 1000n, blocks: 0, fetched: 300 });
  expect(written.at(-1)).toBe("\r\u001b[2KP 0/1000  0 %  300 fetched  |  14 peers");
  vi.advanceTimersByTime(1000);
  progress.advanced("P", "P", { height: 0n, head: 1000n, blocks: 0, fetched: 500 });
  expect(written.at(-1)).toBe("\r\u001b[2KP 0/1000  0 %  0 blocks/s  500 fetched, 200/s  |  14 peers");
});
