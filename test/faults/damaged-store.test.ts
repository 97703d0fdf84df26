/** Every command that opens a damaged store reports the damage, changes nothing, and is never ended by a signal. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { open } from "lmdb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Change } from "../../src/base/table/table.ts";
import { Problems } from "../../src/cli/verify/problems.ts";
import { verifyByReplay } from "../../src/cli/verify/verify-replay.ts";
import { verifyStore } from "../../src/cli/verify/verify-store.ts";
import { openDevnetNetwork } from "../../src/devnet/devnet-file.ts";
import { ingestLog } from "../../src/index/tables.ts";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { inspectStore } from "../../src/store/inspect.ts";
import { openStore } from "../../src/store/open.ts";
import { storeWriter } from "../../src/store/tables.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { Random } from "../fuzz/mutate.ts";
import { scratchDirectory } from "../store/scratch.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
const PAGE_BYTES = 4096;
const FLIPS = 400;
const UNTIL = new Map([
  ["P", 110n],
  ["X", 90n],
  ["C", 5n],
]);

let whole = "";

beforeAll(async () => {
  whole = mkdtempSync(join(tmpdir(), "firn-whole-"));
  const source = await openArchive({ path: recordingFolder("latest-1"), instance: networkInstance, until: UNTIL });
  const store = await openStore({ directory: whole, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "replay" });
  await store.close();
});
afterAll(() => rmSync(whole, { recursive: true, force: true }));

function damagedCopy(damage: (bytes: Buffer) => Buffer, directory = scratchDirectory()): string {
  cpSync(whole, directory, { recursive: true });
  const file = join(directory, "store", "data.mdb");
  writeFileSync(file, damage(readFileSync(file)));
  return directory;
}

const DAMAGES: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  "cut off": (bytes) => bytes.subarray(0, bytes.length / 2),
  overwritten: (bytes) => Buffer.from(bytes.map((byte, at) => (at < 2 * PAGE_BYTES ? byte : (at * 31) & 0xff))),
};
const COMMANDS: readonly (readonly string[])[] = [
  ["serve", "--http-port", "0"],
  ["status"],
  ["import", recordingFolder("latest-1")],
  ["devnet", "--http-port", "0"],
  ["follow", "--rpc", "http://127.0.0.1:1", "--http-port", "0"],
  ["reindex"],
  ["verify"],
];

test.each(Object.keys(DAMAGES))("a store whose file is %s makes every command say so and end", async (name) => {
  const archive = damagedCopy(DAMAGES[name]!);
  const devnet = scratchDirectory();
  // what tells a devnet from an archive
  // biome-ignore lint/plugin: as `firn devnet` starts it
  openDevnetNetwork(devnet, { now: BigInt(Math.floor(Date.now() / 1000)) });
  damagedCopy(DAMAGES[name]!, devnet);
  const before = readFileSync(join(archive, "store", "data.mdb"));
  const runs = COMMANDS.map(async ([command, ...args]) => {
    const directory = command === "devnet" ? devnet : archive;
    const child = spawn(process.execPath, [firn, command!, ...args, "--data-dir", directory], { stdio: ["ignore", "pipe", "pipe"] });
    const [told, said, [exitCode, endedBy]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    return { command, exitCode, endedBy, isTold: /data\.mdb(?: is damaged)?: /.test(told + said), hasStack: said.includes("    at ") };
  });
  for (const run of await Promise.all(runs)) {
    expect(run).toEqual({ command: run.command, exitCode: 1, endedBy: null, isTold: true, hasStack: false });
  }
  for (const directory of [archive, devnet]) expect(readFileSync(join(directory, "store", "data.mdb")).equals(before)).toBe(true);
});

describe("verify", () => {
  const verdictOf = (directory: string) =>
    verifyStore({ directory, scratch: tmpdir(), replayMs: undefined, signal: new AbortController().signal }).then(
      ({ isSound, problems }) => ({ isSound, problems }),
      (error: Error) => ({ isSound: false, problems: [error.message] }),
    );

  test("finds nothing wrong with a whole store", async () => {
    expect(await verdictOf(whole)).toEqual({ isSound: true, problems: [] });
  });

  test("compares only what no later block changes when its time ends before the last block, and notices a changed row of those", async () => {
    const replayPart = (directory: string) =>
      inspectStore(directory, async (store) => {
        const problems = new Problems();
        const ending = new AbortController();
        const options = { directory, scratch: tmpdir(), enough: ending.signal, onCommit: () => ending.abort() };
        return { ...(await verifyByReplay(store, options, problems)), problems: problems.first };
      });
    const { isWhole, fraction, rows, problems } = await replayPart(whole);
    expect({ isWhole, problems }).toEqual({ isWhole: false, problems: [] });
    expect(fraction).toBeLessThan(1);
    expect(rows).toBeGreaterThan(100);
    const directory = damagedCopy((bytes) => bytes);
    const store = await openStore({ directory, mode: "write" });
    const key = { sequence: 5n };
    const row = (await store.get(ingestLog, key))!;
    await store.commit([{ table: ingestLog, key, value: { ...row, chainId: "33".repeat(32) } } as Change]);
    await store.close();
    expect((await replayPart(directory)).problems.join("\n")).toContain("cannot be executed again");
  });

  test(`notices ${FLIPS} flipped bits`, async () => {
    const random = new Random(20_261_122);
    const directory = damagedCopy((bytes) => {
      for (let flip = 0; flip < FLIPS; flip++) bytes[2 * PAGE_BYTES + random.below(bytes.length - 2 * PAGE_BYTES)]! ^= 1 << random.below(8);
      return bytes;
    });
    expect((await verdictOf(directory)).isSound).toBe(false);
  });

  test("notices every single bit that is flipped in the key or the value of a row", async () => {
    const random = new Random(20_261_122);
    for (let round = 0; round < 6; round++) {
      const directory = damagedCopy((bytes) => bytes);
      const row = await flipInRow(directory, random);
      const { isSound, problems } = await verdictOf(directory);
      expect({ row, isSound, hasProblems: problems.length > 0 }).toEqual({ row, isSound: false, hasProblems: true });
    }
  });
});

/** Past the store, as a disk would do it. Returns the key. */
async function flipInRow(directory: string, random: Random): Promise<string> {
  const entries = open<Buffer, Buffer>({
    path: join(directory, "store"),
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
    noSync: true,
  });
  const keys = [...entries.getKeys()].map((key) => Buffer.from(key)).filter((key) => key.readUInt16BE() !== storeWriter.id);
  const key = keys[random.below(keys.length)]!;
  const bytes = Buffer.concat([key, entries.get(key)!]);
  bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  await entries.remove(key);
  await entries.put(bytes.subarray(0, key.length), bytes.subarray(key.length));
  await entries.close();
  return key.toString("hex");
}
