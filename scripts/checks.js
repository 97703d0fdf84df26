/** Checks that `npm test` and `npm run check` are made of, and their last line: `N passed, N failed`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
let passed = 0;
/** what failed, so that the last lines of a long log name it */
const failures = [];

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
  else failures.push(name);
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
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    passed += numPassedTests;
    const failedTests = testResults.flatMap(failuresOf);
    failures.push(...(failedTests.length > 0 || isGreen ? failedTests : ["the test runner: its output says why"]));
  } else failures.push("the test runner: it wrote no report");
  rmSync(scratch, { recursive: true, force: true });
}

/** A file that could not even be loaded has no failed tests, but is a failure. */
function failuresOf({ name, status, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults.filter((result) => result.status === "failed");
  if (failed.length === 0 && status === "failed") return [`${file} could not be run`];
  return failed.map(
    ({ fullName, failureMessages: [message = ""] }) => `${file} > ${fullName}\n    ${message.split("\n", 3).join("\n    ")}`,
  );
}

/** Exits 0 only if nothing failed. */
export function end() {
  if (failures.length > 0) console.log(`\n${failures.map((failure) => `✗ ${failure}`).join("\n")}`);
  console.log(`\n${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}

function secondsSince(startedAt) {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
