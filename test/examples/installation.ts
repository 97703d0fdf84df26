/**
 * Installs what package.json or requirements.txt of a folder asks for, into the user's cache: tools of the examples are no dependencies of
 * Firn.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "firn", "examples");

export interface Installation {
  /** where the files are, from the root of the repository */
  readonly from: string;
  readonly files: readonly string[];
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
  /** made before; folders of programs for these commands */
  readonly path?: () => readonly string[];
}

interface NpmOptions extends Pick<Installation, "path"> {
  /** files beside the package's two */
  readonly others?: readonly string[];
  /** fails if what was installed does not run here */
  readonly check?: readonly [program: string, ...args: string[]];
}

export function npmPackages(from: string, { others = [], check, ...rest }: NpmOptions = {}): Installation {
  return {
    from,
    files: ["package.json", "package-lock.json", ...others],
    commands: [
      // Not `ci`: a registry may lack packages of other platforms, which the lock file then lacks, too. No scripts: programs come in packages
      ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
      ...(check === undefined ? [] : [check]),
    ],
    ...rest,
  };
}

export function pythonPackages(from: string): Installation {
  const install = ["install", "--quiet", "--retries", "1", "--disable-pip-version-check", "--requirement", "requirements.txt"];
  return {
    from,
    files: ["requirements.txt"],
    commands: [
      ["python3", "-m", "venv", "venv"],
      [join("venv", "bin", "pip"), ...install],
    ],
  };
}

/** Another one for other versions: a change of the files is a new folder. */
export function folderOf({ from, files }: Installation): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(root, from, file)));
  return join(CACHE, `${from.replaceAll("/", "-")}-${hash.digest("hex").slice(0, 12)}`);
}

const markerOf = (installation: Installation) => join(folderOf(installation), "installed");

export function isInstalled(installation: Installation): boolean {
  return existsSync(markerOf(installation));
}

/** Firn is not installed: whoever uses the packages links the one that is tested. */
function leaveOutFirn(path: string): void {
  if (!existsSync(path)) return;
  const json = JSON.parse(readFileSync(path, "utf8")) as { devDependencies?: Record<string, string> };
  delete json.devDependencies?.["firn-node"];
  writeFileSync(path, JSON.stringify(json));
}

/** Tells whether it worked. */
export function install(installation: Installation): boolean {
  if (isInstalled(installation)) return true;
  const folder = folderOf(installation);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of installation.files) cpSync(join(root, installation.from, file), join(folder, file));
  leaveOutFirn(join(folder, "package.json"));
  const env = { ...process.env, PATH: [...(installation.path?.() ?? []), process.env.PATH].join(delimiter) };
  const run = ([program, ...args]: readonly [string, ...string[]]) =>
    spawnSync(program, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  if (!installation.commands.every(run)) return false;
  writeFileSync(markerOf(installation), "");
  return true;
}
