/**
 * Runs what a page of docs/contracts shows in a copy of its project in `examples/`, against a network of its own: every command of its
 * `console` blocks, in their order, then every `js` block that is a whole program.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { FirnProcess } from "../cli/firn.ts";
import { documentedExamples, documentedPattern } from "../documented.ts";
import { folderOf, type Installation, install, isInstalled, npmPackages, pythonPackages, root } from "./installation.ts";

const BASE = "http://127.0.0.1:9650";
/** what the examples are compiled with */
const SOLC_VERSION = "0.8.30";
/** what Hardhat 3 asks for at least */
const HARDHAT_NODE = [22, 13] as const;

const solc = npmPackages("test/examples/solc", { others: ["solc.cjs"] });
const nodeFolder = join("node_modules", `node-linux-${process.arch}`, "bin");
/** on Linux; elsewhere Hardhat 3 needs that the user's own is new enough */
const node = npmPackages("test/examples/node", { check: [join(nodeFolder, "node"), "--version"] });
const python = pythonPackages("examples/web3py");
const needsNode = !isAtLeast(process.versions.node, HARDHAT_NODE);
const nodePath = () => (needsNode ? [join(folderOf(node), nodeFolder)] : []);

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
  hardhat: ofPackages("hardhat", { others: needsNode ? [node] : [], path: nodePath }),
  "hardhat-2": ofPackages("hardhat-2"),
  foundry: ofPackages("foundry"),
  viem: { installations: [solc], packages: ["solc", "viem"] },
  web3py: { installations: [python], path: () => [join(folderOf(python), "venv", "bin")] },
  metamask: { installations: [] },
  ethers: { installations: [solc], packages: ["ethers", "solc"] },
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
    const environment = environmentFor(example, project, { scratch, url });
    const page = `docs/contracts/${name}.md`;
    const ran: Ran[] = [];
    for (const { command, output: documented } of [...documentedExamples(page), ...programsOf(page, project)]) {
      const { output, isGood } = await run(command.replaceAll(BASE, url).replace(/^npx /, ""), project, environment);
      const shown = output.replaceAll(url, BASE).trim();
      ran.push({ command, output: shown, documented, isAsDocumented: isGood && documentedPattern(documented).test(shown) });
    }
    return ran;
  } finally {
    await network.end();
  }
}

/** Of those of the page, as commands that print nothing. */
function programsOf(page: string, project: string): { command: string; output: string }[] {
  const programs = [...readFileSync(join(root, page), "utf8").matchAll(/^```js\n(import .*?)^```/gms)];
  return programs.map(([, program], index) => {
    const file = `documented-${index}.js`;
    writeFileSync(join(project, file), program!);
    return { command: `node ${file}`, output: "" };
  });
}

/** Without what was built there; names the network's own URL. */
function copyProject(from: string, to: string, url: string): void {
  mkdirSync(to);
  if (!existsSync(from)) return;
  cpSync(from, to, { recursive: true, filter: (path) => !/\/(?:node_modules|artifacts|cache|out|broadcast|venv)$/.test(path) });
  for (const name of readdirSync(to, { recursive: true, encoding: "utf8" })) {
    const path = join(to, name);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8");
    if (text.includes(BASE)) writeFileSync(path, text.replaceAll(BASE, url));
  }
}

/** Packages as `npm install` puts them into the project: Firn's own is the clone. */
function linkPackages({ packages }: Example, project: string): void {
  if (packages === undefined) return;
  const modules = join(project, "node_modules");
  const link = (target: string, name: string) => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(target, join(modules, name));
  };
  if ("from" in packages) {
    const installed = join(folderOf(packages), "node_modules");
    for (const name of readdirSync(installed)) if (name !== ".bin") link(join(installed, name), name);
    for (const name of readdirSync(join(installed, ".bin"))) link(join(installed, ".bin", name), join(".bin", name));
  } else for (const name of packages) link(join(name === "solc" ? folderOf(solc) : root, "node_modules", name), name);
  link(root, "firn-node");
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: Record<string, string> };
  for (const [name, path] of Object.entries(bin)) link(join(root, path), join(".bin", name));
}

/** Programs that a page has npx run, and that the project does not have: npx would fetch a stranger's package of that name. */
export function strangePrograms(name: ExampleName): string[] {
  const text = readFileSync(join(root, `docs/contracts/${name}.md`), "utf8");
  const programs = [...text.matchAll(/\bnpx (?:-\S+ )*(\S+)/g)].map(([, program]) => program!.replace(/`.*/, ""));
  const { packages } = exampleOf(name);
  const own = packages !== undefined && "from" in packages ? readdirSync(join(folderOf(packages), "node_modules", ".bin")) : [];
  return programs.filter((program) => program !== "firn-node" && !own.includes(program));
}

function environmentFor(
  { path = () => [] }: Example,
  project: string,
  { scratch, url }: { readonly scratch: string; readonly url: string },
): NodeJS.ProcessEnv {
  const cache = join(scratch, "cache");
  putCompilers(join(cache, "hardhat-nodejs"));
  return {
    ...process.env,
    // where npx looks, too; without it there is only the tool's own output, sooner
    PATH: [...path(), join(project, "node_modules", ".bin"), join(root, "bin"), process.env.PATH].join(delimiter),
    FIRN_URL: url,
    // no questions, no telemetry
    CI: "true",
    XDG_CACHE_HOME: cache,
    FOUNDRY_SOLC: compilerOf(solc),
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
  };
}

const compilerOf = (installation: Installation) => join(folderOf(installation), "solc.cjs");

/** Hardhat finds the compiler where it would have put the one that it downloads. */
function putCompilers(folder: string): void {
  const builds = [{ path: "solc", version: SOLC_VERSION, longVersion: `${SOLC_VERSION}+commit.73712a01` }];
  for (const platform of ["compilers-v2/linux-amd64", ...["linux-amd64", "linux-arm64", "wasm"].map((name) => `compilers-v3/${name}`)]) {
    const compilers = join(folder, platform);
    mkdirSync(compilers, { recursive: true });
    writeFileSync(join(compilers, "list.json"), JSON.stringify({ builds, releases: {}, latestRelease: SOLC_VERSION }));
    symlinkSync(compilerOf(solc), join(compilers, "solc"));
  }
}

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ output: string; isGood: boolean }> {
  const child = spawn("bash", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  return { output, isGood: code === 0 };
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
