/** What a shell completes with the scripts of `firn completion`. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { kebab } from "../../src/cli/config-kinds.ts";
import { run } from "./firn.ts";

/** What bash offers for the last word of each line. */
function completed(script: string, lines: readonly (readonly string[])[]): string[] {
  const asked = lines.map(
    (words) => `COMP_WORDS=(firn ${words.map((word) => `"${word}"`).join(" ")}) COMP_CWORD=${words.length}; _firn; echo "\${COMPREPLY[*]}"`,
  );
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `set -u\n${script}\n${asked.join("\n")}`], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}

test("bash completes commands, those of a group, flags and their values, and leaves the rest to file names", () => {
  const { output: script, exitCode } = run(["completion", "bash"]);
  expect(exitCode).toBe(0);
  const expected: [words: string[], offered: string][] = [
    [["imp"], "import"],
    [["snapshot"], "snapshot snapshots"],
    [["keys", ""], "add list revoke"],
    [["time", "a"], "advance"],
    [["keys", "add", "--ti"], "--tier"],
    [["devnet", "--no-"], "--no-evm --no-relayer --no-explorer"],
    [["import", "--level", ""], "full replay"],
    [["import", "--data-dir", "keys", "--lev"], "--level"],
    [["completion", ""], ""],
    [["import", ""], ""],
    [["import", "--data-dir", ""], ""],
    [["import", "--config", "fi"], ""],
    [["--ver"], "--version"],
  ];
  const offered = completed(
    script,
    expected.map(([words]) => words),
  );
  expect(offered).toEqual(expected.map(([, words]) => words));
});

test("the scripts of zsh and fish have every command and flag; another shell is refused", () => {
  for (const shell of ["zsh", "fish"]) {
    const { output: script } = run(["completion", shell]);
    for (const { usage, keys } of commands) {
      expect(script, shell).toContain(usage.split(" ")[0]);
      for (const key of keys) expect(script, shell).toContain(shell === "fish" ? `-l ${kebab(key)}` : `--${kebab(key)}`);
    }
  }
  expect(run(["completion", "tcsh"])).toMatchObject({
    exitCode: 2,
    error: expect.stringContaining("there is no script for tcsh; use bash, zsh, fish"),
  });
});
