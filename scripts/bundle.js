/**
 * `node scripts/bundle.js [DIRECTORY]`: puts the program that is run and published into DIRECTORY/lib (by default dist/lib): what is in `src`,
 * and the packages that it uses, in a few files that start in half the time of a thousand. Packages with binaries or files of their own stay
 * outside: the `dependencies` of package.json. Modules keep their names and lines in stack traces, and a comment says where each of them begins.
 */
import "../bin/check-node.js";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = join(root, "src");
const directory = join(resolve(root, process.argv[2] ?? "dist"), "lib");
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const isOutside = (id) =>
  id.startsWith("node:") ||
  builtinModules.includes(id) ||
  Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));

/** Modules that processes and threads begin with: those of the package, and those that others name beside themselves at run time. */
function entries() {
  const found = { main: join(sources, "cli/main.ts"), start: join(sources, "serve/local-network/start.ts") };
  for (const path of readdirSync(sources, { recursive: true })) {
    if (!path.endsWith(".ts")) continue;
    const text = readFileSync(join(sources, path), "utf8");
    for (const [, beside, forked] of text.matchAll(/"\.\/([\w-]+)\.js"|`([\w-]+)\$\{extname\(/g)) {
      const name = beside ?? forked;
      const module = join(sources, dirname(path), `${name}.ts`);
      if (name in found && found[name] !== module) throw new Error(`src/${path}: another module that is run is called ${name} as well`);
      found[name] = module;
    }
  }
  return found;
}

/**
 * What is always loaded together is one file: what the command line needs, then what serving needs besides until it listens. Everything else
 * is split by who imports it.
 */
const TOGETHER = [
  ["cli", ["cli/main.ts"]],
  ["store", ["serve/serve.ts"]],
  ["serving", ["serve/serve-here.ts", "serve/workers/worker-main.ts"]],
];

function grouping() {
  let groups;
  const running = new Set(Object.values(entries()));
  const closure = (id, context, seen) => {
    if (seen.has(id) || isOutside(id)) return seen;
    seen.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) closure(imported, context, seen);
    return seen;
  };
  return (id, context) => {
    groups ??= TOGETHER.map(([name, modules]) => [
      name,
      modules.reduce((seen, module) => closure(join(sources, module), context, seen), new Set()),
    ]);
    // an entry runs when it is loaded, so what others import must not lie in its file
    return running.has(id) ? null : (groups.find(([, members]) => members.has(id))?.[0] ?? null);
  };
}

/** The licences of the packages inside ask for their text to come along. */
function licences(modules) {
  const folders = new Set();
  for (const id of modules) folders.add(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0]);
  folders.delete(undefined);
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Firn's files in this folder contain parts of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

rmSync(directory, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: entries(),
  platform: "node",
  tsconfig: false,
  external: isOutside,
  // a module that one command loads late is often loaded at once by another
  checks: { ineffectiveDynamicImport: false },
  onLog(level, log, handle) {
    if (level === "warn") throw new Error(log.message);
    handle(level, log);
  },
});
const { output } = await bundle.write({
  dir: directory,
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  codeSplitting: { groups: [{ name: grouping(), debugName: "loaded together" }] },
});
await bundle.close();
// the pages of /docs, which are sent as they are
const pages = join(root, "node_modules", "@fastify", "swagger-ui", "static");
for (const name of ["swagger-ui.css", "index.css", "swagger-ui-bundle.js"]) {
  cpSync(join(pages, name), join(directory, "swagger-ui", name));
}
// beside the program, as they are beside the module that reads them
cpSync(join(sources, "chains", "atomic", "extra-data"), join(directory, "extra-data"), { recursive: true });
writeFileSync(join(directory, "LICENSES.txt"), licences([pages, ...output.flatMap((chunk) => chunk.moduleIds ?? [])]));
const entryFiles = output.filter(({ isEntry }) => isEntry).map(({ fileName }) => basename(fileName, ".js"));
for (const name of Object.keys(entries())) if (!entryFiles.includes(name)) throw new Error(`${name} was not bundled`);
