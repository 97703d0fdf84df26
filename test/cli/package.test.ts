/** The package as another project gets it: packed and installed, with only its own dependencies. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const example = join(root, "examples", "integration-test");
const project = join(root, "node_modules", ".cache", `firn-consumer-${process.pid}`);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;

function run(command: string, args: readonly string[], directory: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: directory, encoding: "utf8" });
  if (error !== undefined) throw error;
  expect(status, `${command} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** Names of packages in the lock file that are not only for development: with those for one platform if `hasOptional`. */
function dependencies({ hasOptional = false } = {}): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; link?: boolean }>;
  };
  const topLevel = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/;
  return Object.entries(packages).flatMap(([path, { dev, optional, link }]) =>
    dev || link || (optional && !hasOptional) ? [] : (topLevel.exec(path)?.[1] ?? []),
  );
}

/** What the files of a folder take on disk, in bytes. */
function diskBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + 512 * statSync(join(parentPath, name)).blocks, 0);
}

function link(name: string): void {
  const path = join(project, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, "node_modules", name), path, "dir");
}

beforeAll(() => {
  // builds what is to be packed if it is not built
  run(process.execPath, [join(root, "bin", "firn"), "--version"], root);
  const folder = join(project, "node_modules", "firn-node");
  mkdirSync(folder, { recursive: true });
  [packed] = JSON.parse(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], root)) as [Packed];
  run("tar", ["-xzf", join(project, packed.filename), "-C", folder, "--strip-components=1"], root);
  for (const name of dependencies()) link(name);
  const platform = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  for (const name of [platform, "@types/node", "@avalabs/avalanchejs"]) link(name);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("it holds the program, its types, its pages, its examples and what operates it, and nothing else", () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of [
    "bin/firn",
    "dist/lib/main.js",
    "dist/lib/start.js",
    "dist/lib/LICENSES.txt",
    "dist/serve/local-network/start.d.ts",
    "docs/devnet.md",
    "LICENSE",
  ]) {
    expect(paths).toContain(path);
  }
  expect(paths).toContain("examples/integration-test/payments.test.js");
  expect(paths.filter((path) => path.endsWith(".map") || path.startsWith("docs/reference/"))).toEqual([]);
  const folders = new Set(paths.map((path) => (path.includes("/") ? path.slice(0, path.indexOf("/")) : path)));
  expect([...folders].sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "bin",
    "deploy",
    "dist",
    "docs",
    "examples",
    "package.json",
  ]);
});

test("it takes less than 50 MB when it is installed, besides the EVM, which is optional", () => {
  const installed = dependencies({ hasOptional: true }).filter((name) => !name.startsWith("@foundry-rs/"));
  const folders = installed.map((name) => join(root, "node_modules", name)).filter((folder) => existsSync(folder));
  expect(folders.length).toBeGreaterThan(5);
  const bytes = [join(project, "node_modules", "firn-node"), ...folders].reduce((sum, folder) => sum + diskBytes(folder), 0);
  expect(bytes).toBeLessThan(50e6);
});

test("its types are those of startDevnet", () => {
  const program = `
    import { type Devnet, type LocalNetwork, type NetworkDescription, startDevnet } from "firn-node";
    const network: LocalNetwork = await startDevnet({ upgrades: "etna", blockTimeMs: 100 });
    const id: string = await network.fund(network.accounts[0]!.addresses.P, 5n);
    // @ts-expect-error: amounts are bigint
    await network.fund(id, 5);
    // @ts-expect-error: there is no such member
    network.nothing;
    await using another = await startDevnet();
    export const chainId: number = another.evmChainId;
    export const [inside, outside]: [Devnet, NetworkDescription] = [another.devnet, another];
  `;
  const options = {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    types: ["node"],
  };
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(project, "program.ts"), program);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
  run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", project], project);
});

test("the example's tests pass against it", () => {
  cpSync(example, project, { recursive: true });
  run(process.execPath, ["--test"], project);
});

test("what docs/devnet.md shows of it runs", () => {
  const page = readFileSync(join(root, "docs", "devnet.md"), "utf8");
  const programs = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, program]) => program!);
  expect(programs).toHaveLength(1);
  for (const program of programs) {
    writeFileSync(join(project, "documented.js"), program);
    run(process.execPath, ["documented.js"], project);
  }
});

test("its program runs from another folder", () => {
  const program = join(project, "node_modules", "firn-node", "bin", "firn");
  expect(run(process.execPath, [program, "devnet", "--help"], scratchDirectory())).toContain("firn devnet --data-dir my-network");
});
