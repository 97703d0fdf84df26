/**
 * `npm run mutation -- [--seed N] [--count 60] [--rest]`: changes src in so many small ways, one at a time, and says what notices: the tests of
 * the same folder, the types, all of `npm test`. `--rest` also runs those that only `npm run test:whole` has. What nobody notices is listed:
 * either it changes nothing, or a test is missing. Files are restored, also when it is interrupted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { drawMutants, type Mutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** what runs on without an end was noticed, too: of all tests, and of those of a folder */
const [LONGEST_MS, LONGEST_OF_FOLDER_MS] = [30 * 60_000, 5 * 60_000];

const { values } = readOptions();
const [seed, count] = [values.seed, values.count].map(Number) as [number, number];
if (![seed, count].every((number) => Number.isSafeInteger(number) && number >= 0)) fail("--seed and --count take whole numbers");
if ((await run("git", ["status", "--porcelain", "src"])).output !== "") fail("src has changes that are not committed: commit them first");

function readOptions() {
  try {
    return parseArgs({
      options: {
        seed: { type: "string", default: "1" },
        count: { type: "string", default: "60" },
        rest: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}; the options are --seed N, --count N and --rest`);
  }
}

function fail(message: string): never {
  console.error(`mutation: ${message}`);
  process.exit(2);
}

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/** In a process group of its own, which ends with it. */
async function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}, longestMs = LONGEST_MS): Promise<Ran> {
  const env = { ...process.env, FIRN_TEST_SEED: String(seed), ...environment };
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // it has ended
    }
  };
  const timer = setTimeout(end, longestMs);
  process.once("exit", end);
  const said = [child.stdout, child.stderr].map(text);
  const [status] = await once(child, "exit").finally(end);
  clearTimeout(timer);
  process.off("exit", end);
  return { status, output: (await Promise.all(said)).join("") };
}

/** The first test that failed; undefined if none did. */
async function failing(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const longestMs = args.length > 0 ? LONGEST_OF_FOLDER_MS : LONGEST_MS;
  const { status, output } = await run("npx", ["vitest", "run", ...args, "--bail=1", "--passWithNoTests"], environment, longestMs);
  if (status === 0) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of the report
  return /FAIL\s+(.*)/.exec(output.replace(/\x1b\[[0-9;]*m/g, ""))?.[1] ?? "a run that did not end well";
}

/** The folder of test/ that has the same place as the file, or the next one above it. */
function folderOf(file: string): string {
  let folder = dirname(file).replace(/^src/, "test");
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return folder === "test" ? "test/architecture.test.ts" : `${folder}/`;
}

type Judge = (mutant: Mutant) => Promise<string | undefined>;
const SHARE = { FIRN_TEST_PART: "share" };
/** What may notice a change, the quickest first. Programs that tests start are built anew by them. */
const STEPS: readonly (readonly [string, Judge])[] = [
  ["nearest tests", ({ file }) => failing([folderOf(file)], SHARE)],
  ["types", async () => ((await run("npx", ["tsc", "--noEmit"])).status === 0 ? undefined : "tsc")],
  ["npm test", () => failing([], SHARE)],
  ...(values.rest ? [["rest", () => failing([], { FIRN_TEST_PART: "rest", FIRN_TEST_WHOLE: "1" })] as const] : []),
];

/** What `judge` says of the change, which is there meanwhile. */
async function changed({ file, start, end, replacement }: Mutant, judge: () => Promise<string | undefined>): Promise<string | undefined> {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  const interrupted = () => {
    writeFileSync(path, source);
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  try {
    writeFileSync(path, source.slice(0, start) + replacement + source.slice(end));
    return await judge();
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
console.log(`seed ${seed}: ${left.length} changes`);
for (const [name, judge] of STEPS) {
  const survivors: Mutant[] = [];
  for (const [i, mutant] of left.entries()) {
    const test = await changed(mutant, () => judge(mutant));
    if (test === undefined) survivors.push(mutant);
    console.log(`${name} ${i + 1}/${left.length}  ${described(mutant)}: ${test === undefined ? "not noticed" : `noticed (${test})`}`);
  }
  console.log(`\n${name} noticed ${left.length - survivors.length} of ${left.length} changes\n`);
  left = survivors;
}
console.log(`${left.length} of ${count} changes survived${left.map((mutant) => `\n  ${described(mutant)}`).join("")}`);
