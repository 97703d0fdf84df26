import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { DAY_MS } from "../../../src/api/access/ledger.ts";
import { ledgerFilePath, openLedger } from "../../../src/api/access/ledger-file.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const limits = { free: { perMinute: 100, perDay: 1000 } };
const START = 20_000 * DAY_MS;
const demand = { client: "key:a", tier: "free", units: 60, ahead: 0 } as const;

function open(dataDirectory: string, now: number) {
  const problems: string[] = [];
  const kept = openLedger({ dataDirectory, limits, now: () => now, onProblem: (_, what) => problems.push(what) });
  return { ...kept, problems };
}

test("what was spent in the minute and the day survives a restart", async () => {
  const directory = scratchDirectory();
  const first = open(directory, START);
  expect(first.ledger.grant(demand).granted).toBe(60);
  await first.close();
  expect(statSync(ledgerFilePath(directory)).mode & 0o777).toBe(0o600);
  const sameMinute = open(directory, START + 30_000);
  expect(sameMinute.ledger.grant(demand)).toMatchObject({ granted: 0, minuteLeft: 40, dayLeft: 940 });
  await sameMinute.close();
  const sameDay = open(directory, START + 3_600_000);
  expect(sameDay.ledger.grant(demand)).toMatchObject({ granted: 60, minuteLeft: 40, dayLeft: 880 });
  await sameDay.close();
  const nextDay = open(directory, START + DAY_MS);
  expect(nextDay.ledger.grant(demand)).toMatchObject({ granted: 60, dayLeft: 940 });
  await nextDay.close();
  expect(JSON.parse(readFileSync(ledgerFilePath(directory), "utf8")).clients).toEqual([
    ["key:a", (START + DAY_MS) / 60_000, 60, 20_001, 60],
  ]);
});

test("nothing is written when nothing was spent", async () => {
  const directory = scratchDirectory();
  await open(directory, START).close();
  expect(() => statSync(ledgerFilePath(directory))).toThrow("ENOENT");
});

test("a damaged file is told, and counting starts from zero", async () => {
  const directory = scratchDirectory();
  for (const content of ["", "{", '{"version":2,"clients":[]}', '{"version":1,"clients":[["a",1,-1,1,1]]}']) {
    writeFileSync(ledgerFilePath(directory), content);
    const { ledger, problems, close } = open(directory, START);
    expect(problems).toEqual(["Could not read what clients have spent; counting from zero"]);
    expect(ledger.grant(demand).granted).toBe(60);
    await close();
  }
});

test("a process that is killed forgets five seconds at most", async () => {
  const directory = scratchDirectory();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const killed = open(directory, START);
  killed.ledger.grant(demand);
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  await expect.poll(() => open(directory, START).ledger.grant(demand).granted).toBe(0);
});
