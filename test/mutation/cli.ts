/**
 * `npm run mutation -- [--seed N] [--count 60] [--rest]`: changes src in so many small ways, one at a time, and says what notices: the tests of
 * the same folder, the types, all tests of `npm test` that import the file. `--rest` also runs those that only `npm run test:whole` has. What
 * nobody notices is listed: either it changes nothing, or a test is missing. Files are restored, also when it is interrupted.
 */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { drawMutants, type Mutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** what runs on without an end was noticed, too */
const LONGEST_MS = 15 * 60_000;

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "60" }, rest: { type: "boolean", default: false } },
});
const [seed, count] = [values.seed, values.count].map(Number) as [number, number];
if (![seed, count].every((number) => Number.isSafeInteger(number) && number >= 0)) fail("--seed and --count take whole numbers");
if (run("git", ["status", "--porcelain", "src"]).stdout !== "") fail("src has changes that are not committed: commit them first");

function fail(message: string): never {
  console.error(`mutation: ${message}`);
  process.exit(2);
}

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  const env = { ...process.env, FIRN_TEST_SEED: String(seed), ...environment };
  return spawnSync(program, args, { cwd: root, encoding: "utf8", env, timeout: LONGEST_MS, killSignal: "SIGKILL", maxBuffer: 2 ** 28 });
}

/** The first test that failed; undefined if none did. */
function failing(args: readonly string[], environment: NodeJS.ProcessEnv): string | undefined {
  const { status, stdout, stderr } = run("npx", ["vitest", ...args, "--run", "--bail=1", "--passWithNoTests"], environment);
  if (status === 0) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of the report
  const text = (stdout + stderr).replace(/\x1b\[[0-9;]*m/g, "");
  return /FAIL\s+(.*)/.exec(text)?.[1] ?? "a run that did not end well";
}

/** The folder of test/ that has the same place as the file, or the next one above it. */
function folderOf(file: string): string {
  let folder = dirname(file).replace(/^src/, "test");
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return folder === "test" ? "test/architecture.test.ts" : `${folder}/`;
}

const SHARE = { FIRN_TEST_PART: "share" };
/** What may notice a change, the quickest first. */
const STEPS: readonly (readonly [string, (mutant: Mutant) => string | undefined])[] = [
  ["nearest tests", ({ file }) => failing([folderOf(file)], SHARE)],
  ["types", () => (run("npx", ["tsc", "--noEmit"]).status === 0 ? undefined : "tsc")],
  ["npm test", ({ file }) => failing(["related", file], SHARE)],
  ...(values.rest
    ? [["rest", ({ file }: Mutant) => failing(["related", file], { FIRN_TEST_PART: "rest", FIRN_TEST_WHOLE: "1" })] as const]
    : []),
];

/** What `judge` says of the change, which is there meanwhile. */
function changed({ file, start, end, replacement }: Mutant, judge: () => string | undefined): string | undefined {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  const interrupted = () => {
    writeFileSync(path, source);
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  try {
    writeFileSync(path, source.slice(0, start) + replacement + source.slice(end));
    return judge();
  } finally {
    writeFileSync(path, source);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
  }
}

function described({ file, line, start, end, replacement }: Mutant): string {
  const replaced = readFileSync(join(root, file), "utf8").slice(start, end);
  return `${file}:${line}  ${JSON.stringify(replaced)} → ${JSON.stringify(replacement)}`;
}

let left = drawMutants(root, seed, count);
for (const [name, judge] of STEPS) {
  const survivors = left.filter((mutant, i) => {
    const test = changed(mutant, () => judge(mutant));
    console.log(`${name} ${i + 1}/${left.length}  ${described(mutant)}: ${test === undefined ? "not noticed" : `noticed (${test})`}`);
    return test === undefined;
  });
  console.log(`\nseed ${seed}: ${name} noticed ${left.length - survivors.length} of ${left.length} changes\n`);
  left = survivors;
}
console.log(`${left.length} of ${count} changes survived${left.map((mutant) => `\n  ${described(mutant)}`).join("")}`);
