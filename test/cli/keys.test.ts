/** `firn keys`, started from the command line. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

function keys(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [firn, "keys", ...args], { encoding: "utf8" });
  return { exitCode: status, output: stdout, error: stderr };
}

/** The rows of `firn keys list`, without the heading. */
function rows(directory: string): string[][] {
  return keys("list", "--data-dir", directory)
    .output.trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/ {2,}/));
}

describe("firn keys", () => {
  test("makes a key, shows it once, lists it and revokes it", () => {
    const directory = scratchDirectory();
    const dataDir = ["--data-dir", directory];
    expect(keys("list", ...dataDir)).toMatchObject({ exitCode: 0, output: expect.stringContaining("no API keys in") });
    const made = keys("add", "--name", "wallet-backend", "--tier", "pro", ...dataDir);
    expect(made).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^firn_[A-Za-z0-9_-]{43}\n$/) });
    expect(made.error).toMatch(/^key [0-9a-f]{8} \(wallet-backend, tier pro\) created; save it now, Firn does not show it again\n$/);
    expect(keys("add", ...dataDir).exitCode).toBe(0);
    const [first, second] = rows(directory);
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/), "wallet-backend", "pro", "read", expect.any(String), "-"]);
    expect(second!.slice(1, 4)).toEqual([second![0], "free", "read"]);
    expect(keys("list", ...dataDir).output).not.toContain(made.output.trim());
    expect(keys("revoke", "wallet-backend", ...dataDir)).toMatchObject({
      exitCode: 0,
      output: `key ${first![0]} (wallet-backend) revoked\n`,
    });
    expect(keys("revoke", second![0]!, ...dataDir).exitCode).toBe(0);
    expect(rows(directory).map((row) => row[5])).toEqual([expect.stringMatching(/^20/), expect.stringMatching(/^20/)]);
    expect(statSync(join(directory, "api-keys.json")).mode & 0o777).toBe(0o600);
  });

  test("loses no key when it runs several times at once", async () => {
    const directory = scratchDirectory();
    keys("list", "--data-dir", directory);
    const runs = ["a", "b", "c", "d"].map((name) =>
      spawn(process.execPath, [firn, "keys", "add", "--name", name, "--data-dir", directory]),
    );
    expect((await Promise.all(runs.map((run) => once(run, "exit")))).map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(
      rows(directory)
        .map(([, name]) => name)
        .sort(),
    ).toEqual(["a", "b", "c", "d"]);
  });

  test("tells in one line what is wrong", () => {
    const directory = scratchDirectory();
    const dataDir = ["--data-dir", directory];
    keys("add", "--name", "taken", ...dataDir);
    const line = (text: string) => expect.stringMatching(new RegExp(`^firn: [^\\n]*${text}[^\\n]*\\n$`));
    expect(keys("add", "--tier", "gold", ...dataDir)).toMatchObject({ exitCode: 2, error: line("gold is not a tier; use free, base") });
    expect(keys("add", "--privileges", "all", ...dataDir)).toMatchObject({
      exitCode: 2,
      error: line("all is not a privilege; use read or write"),
    });
    expect(keys("add", "--name", "a/b", ...dataDir)).toMatchObject({ exitCode: 2, error: line("name a/b cannot be used") });
    expect(keys("add", "--name", "taken", ...dataDir)).toMatchObject({ exitCode: 1, error: line("has the name taken; use another") });
    expect(keys("revoke", "nobody", ...dataDir)).toMatchObject({
      exitCode: 1,
      error: line("no key nobody; run firn keys list to see all keys"),
    });
    const path = join(directory, "api-keys.json");
    writeFileSync(path, readFileSync(path).subarray(0, 50));
    for (const args of [["add"], ["list"], ["revoke", "taken"]]) {
      expect(keys(...args, ...dataDir)).toMatchObject({ exitCode: 1, error: line("api-keys.json is damaged; restore it") });
    }
  });

  test("has examples in the help of each command", () => {
    for (const command of ["add", "list", "revoke"]) {
      const { exitCode, output } = keys(command, "--help");
      expect(exitCode).toBe(0);
      expect(output).toMatch(new RegExp(`Examples:\\n {2}\\$ firn keys ${command}`));
      expect(output).toContain("--data-dir");
    }
    expect(keys("--help").output).toMatch(/add \[options\].*list \[options\].*revoke \[options\] <key>/s);
  });
});
