/** Checks that `npm test` and `npm run check` are made of, and their last line: `N passed, N failed`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
let passed = 0;
let failed = 0;

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" }).status === 0;
}

/** Works in a fresh clone. */
export function install() {
  if (!existsSync(join(root, "node_modules", ".package-lock.json")) && !run("npm", ["ci", "--no-audit", "--no-fund"])) process.exit(1);
}

export function check(name, command, args) {
  const startedAt = performance.now();
  console.log(`\n▸ ${name}`);
  const isGood = run(command, args);
  if (isGood) passed++;
  else failed++;
  console[isGood ? "log" : "error"](`${isGood ? "✓" : "✗"} ${name} ${isGood ? "passed" : "failed"} after ${secondsSince(startedAt)} s`);
}

/** @param args which tests, as vitest takes them */
export function tests(...args) {
  testsThrough([], ...args);
}

/** @param program with its arguments, through which the tests are run */
export function testsThrough(program, ...args) {
  console.log("\n▸ tests");
  const scratch = mkdtempSync(join(tmpdir(), "firn-test-"));
  const report = join(scratch, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const [command, ...rest] = [...program, "npx", "vitest", "run", ...args, ...reporters];
  const isGreen = run(command, rest);
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8"));
    passed += numPassedTests;
    // a file that could not even be loaded has no failed tests, but is a failure
    failed += numFailedTests > 0 || isGreen ? numFailedTests : Math.max(1, numFailedTestSuites);
  } else failed++;
  rmSync(scratch, { recursive: true, force: true });
}

/** Exits 0 only if nothing failed. */
export function end() {
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

function secondsSince(startedAt) {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
