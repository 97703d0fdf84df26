/**
 * `npm test`: everything that must hold before a change is ready. Works in a fresh clone.
 * Ends with one line, `N passed, N failed`, and exits 0 only if nothing failed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
let passed = 0;
let failed = 0;

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" }).status === 0;
}

function check(name, command, args) {
  console.log(`\n▸ ${name}`);
  if (run(command, args)) passed++;
  else {
    failed++;
    console.error(`✗ ${name} failed`);
  }
}

if (!existsSync(join(root, "node_modules", ".package-lock.json")) && !run("npm", ["ci", "--no-audit", "--no-fund"])) process.exit(1);

check("lint", "npx", ["biome", "check", "."]);
check("types", "npx", ["tsc", "--noEmit"]);
check("build", "npx", ["tsc", "-p", "tsconfig.build.json"]);

console.log("\n▸ tests");
const scratch = mkdtempSync(join(tmpdir(), "firn-test-"));
const report = join(scratch, "report.json");
const isGreen = run("npx", ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]);
if (existsSync(report)) {
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8"));
  passed += numPassedTests;
  // a file that could not even be loaded has no failed tests, but is a failure
  failed += numFailedTests > 0 || isGreen ? numFailedTests : Math.max(1, numFailedTestSuites);
} else failed++;
rmSync(scratch, { recursive: true, force: true });

console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
