/**
 * `npm run test:nodes -- [22 24 26]`: a share of the tests (EVERY_NODE of `test/tiers.ts`) with other versions of Node, which come from the
 * package registry into the user's cache. One that cannot be got is named, and counts as neither. Ends with one line, `N passed, N failed`.
 */
import "../bin/check-node.js";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { end, install, root, testsThrough } from "./checks.js";

const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24", "26"];
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "firn", "node");

/** The folder of the program `node`; undefined: the registry has none for this machine, or cannot be reached. */
function folderOf(version) {
  const folder = join(CACHE, version);
  const name = `node-${process.platform}-${process.arch}`;
  const bin = join(folder, "node_modules", name, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  // also where one is there: it may be an older one of this version
  spawnSync("npm", ["install", ...options, `${name}@${version}`], { cwd: folder, timeout: 120_000 });
  return existsSync(join(bin, "node")) ? bin : undefined;
}

install();
process.chdir(root);
const { EVERY_NODE } = await import("../test/tiers.ts");
const path = process.env.PATH;
for (const version of VERSIONS) {
  const bin = folderOf(version);
  if (bin === undefined) {
    console.log(`\nNode ${version} is not tested: the registry has no program of it for this machine, or cannot be reached`);
    continue;
  }
  process.env.PATH = bin + delimiter + path;
  console.log(`\n▸ ${spawnSync("node", ["--version"], { encoding: "utf8" }).stdout.trim()}`);
  testsThrough([], ...EVERY_NODE);
}
end();
