/**
 * Runs the project in `examples/` that belongs to a page of docs/contracts: every `console` block of the page, in its order, in a copy of
 * the project and against a network of its own.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { FirnProcess } from "../cli/firn.ts";
import { documentedExamples, documentedPattern } from "../documented.ts";
import { folderOf, type Installation, install, isInstalled, npmPackages, root } from "./installation.ts";

const BASE = "http://127.0.0.1:9650";
/** what the examples are compiled with */
const SOLC_VERSION = "0.8.30";
const solc = npmPackages("test/examples/solc", { others: ["solc.cjs"] });

/** The page docs/contracts/<name>.md and the project examples/<name>, if it has one. */
interface Example {
  readonly installations: readonly Installation[];
  /** folders of programs that come before others */
  readonly path?: () => readonly string[];
  /** the project's packages, or those that the root has, too */
  readonly packages?: Installation | readonly string[];
}

function ofPackages(
  name: string,
  { others = [], path = () => [] as string[] }: { others?: readonly Installation[]; path?: () => string[] } = {},
): Example {
  const packages = npmPackages(`examples/${name}`, { path });
  return { installations: [solc, ...others, packages], path, packages };
}

const EXAMPLES = {
  foundry: ofPackages("foundry"),
} as const satisfies Readonly<Record<string, Example>>;

export type ExampleName = keyof typeof EXAMPLES;
export const exampleNames = Object.keys(EXAMPLES) as ExampleName[];
const exampleOf = (name: ExampleName): Example => EXAMPLES[name];

export function hasTools(name: ExampleName): boolean {
  return exampleOf(name).installations.every(isInstalled);
}

/** Tells whether it worked. */
export function installTools(name: ExampleName): boolean {
  return exampleOf(name).installations.every(install);
}

export interface Ran {
  readonly command: string;
  /** standard output and standard error, with the documented URL */
  readonly output: string;
  /** the page's output, as a pattern */
  readonly documented: string;
  readonly isAsDocumented: boolean;
}

/** @param scratch an empty folder */
export async function runExample(name: ExampleName, scratch: string): Promise<Ran[]> {
  const example = exampleOf(name);
  const project = join(scratch, name);
  const network = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
  const [, url = ""] = await network.printed(/"url":"([^"]+)"/);
  try {
    copyProject(join(root, "examples", name), project, url);
    linkPackages(example, project);
    const environment = environmentFor(example, project, scratch);
    const ran: Ran[] = [];
    for (const { command, output: documented } of documentedExamples(`docs/contracts/${name}.md`)) {
      const { output, isGood } = await run(command.replaceAll(BASE, url).replace(/^npx /, ""), project, environment);
      const shown = output.replaceAll(url, BASE).trim();
      ran.push({ command, output: shown, documented, isAsDocumented: isGood && documentedPattern(documented).test(shown) });
    }
    return ran;
  } finally {
    await network.end();
  }
}

/** Without what was built there; names the network's own URL. */
function copyProject(from: string, to: string, url: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/\/(?:node_modules|artifacts|cache|out|broadcast)$/.test(path) });
  for (const name of readdirSync(to, { recursive: true, encoding: "utf8" })) {
    const path = join(to, name);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8");
    if (text.includes(BASE)) writeFileSync(path, text.replaceAll(BASE, url));
  }
}

function linkPackages({ packages }: Example, project: string): void {
  if (packages === undefined) return;
  if ("from" in packages) {
    symlinkSync(join(folderOf(packages), "node_modules"), join(project, "node_modules"), "dir");
    return;
  }
  for (const name of packages) {
    const path = join(project, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(name === "firn-node" ? root : join(name === "solc" ? folderOf(solc) : root, "node_modules", name), path, "dir");
  }
}

/** Build tools find a compiler where they would have put the one that they download. */
function environmentFor({ path = () => [] }: Example, project: string, scratch: string): NodeJS.ProcessEnv {
  const compiler = join(folderOf(solc), "solc.cjs");
  const cache = join(scratch, "cache");
  const builds = [{ path: "solc", version: SOLC_VERSION, longVersion: `${SOLC_VERSION}+commit.73712a01` }];
  for (const folder of ["compilers-v2", "compilers-v3"]) {
    for (const platform of ["linux-amd64", "linux-arm64", "macosx-amd64"]) {
      const compilers = join(cache, "hardhat-nodejs", folder, platform);
      mkdirSync(compilers, { recursive: true });
      writeFileSync(join(compilers, "list.json"), JSON.stringify({ builds, releases: {}, latestRelease: SOLC_VERSION }));
      symlinkSync(compiler, join(compilers, "solc"));
    }
  }
  return {
    ...process.env,
    // where npx looks, too; without it there is only the tool's own output, sooner
    PATH: [...path(), join(project, "node_modules", ".bin"), join(root, "bin"), process.env.PATH].join(delimiter),
    // no questions, no telemetry
    CI: "true",
    XDG_CACHE_HOME: cache,
    FOUNDRY_SOLC: compiler,
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
  };
}

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ output: string; isGood: boolean }> {
  const child = spawn("bash", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  return { output, isGood: code === 0 };
}
