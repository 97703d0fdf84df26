/** The error for an old version of Node, as far as a process can simulate one. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { engines, scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const [, least] = /^>=(\S+)$/.exec(engines.node)!;

function runOn(version: string, program: string) {
  const pretence = `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pretence, program, "--version"], {
    cwd: root,
    encoding: "utf8",
  });
  return { exitCode: status, output: stdout, error: stderr };
}

describe("on an older Node", () => {
  test.each(["v18.20.8", "v20.18.3"])("%s, firn, npm test and npm run check say which one is needed, and nothing else", (version) => {
    for (const program of ["bin/firn", "scripts/test.js", "scripts/check.js"]) {
      const error = `Firn needs Node ${least} or newer; this is Node ${version.slice(1)}\n`;
      expect(runOn(version, program)).toEqual({ exitCode: 1, output: "", error });
    }
  });

  test("every npm script in TypeScript says so too", () => {
    const commands = Object.values<string>(scripts).filter((command) => command.includes("tsx "));
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) expect(command).toMatch(/^tsx --import \.\/bin\/check-node\.js /);
  });
});

test.each([`v${least}.0`, "v22.12.0"])("Node %s is new enough", (version) => {
  const { exitCode, error } = runOn(version, "bin/firn");
  expect(error).not.toContain("Firn needs Node");
  expect(exitCode).toBe(0);
});
