/**
 * `npm run check`: lint, types and unit tests, for every step of a change. `npm run check -- chains/platform` looks at one folder of `src` and `test`,
 * or several: at its unit tests, or, where all tests need processes or whole recordings, at these. `npm test` is still what decides.
 */
import "../bin/check-node.js";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { check, end, install, root, tests } from "./checks.js";

const folders = process.argv.slice(2).map((folder) => folder.replace(/^(?:src|test)\/|\/$/g, ""));
const unknown = folders.find((folder) => !existsSync(join(root, "test", folder)));
if (unknown !== undefined) {
  console.error(`there is no folder test/${unknown}; name one, such as chains/platform or api/data/evm`);
  process.exit(2);
}
const paths = folders.flatMap((folder) => [`src/${folder}`, `test/${folder}`]).filter((path) => existsSync(join(root, path)));

install();
check("lint", "npx", ["biome", "check", ...(folders.length > 0 ? paths : ["."])]);
check("types", "npm", ["run", "--silent", "typecheck"]);
if (folders.length === 0) tests("--project", "unit");
for (const folder of folders) tests(...(hasUnitTests(folder) ? ["--project", "unit"] : []), `test/${folder}/`);
end();

function hasUnitTests(folder) {
  const { stdout } = spawnSync("npx", ["vitest", "list", "--filesOnly", "--project", "unit", `test/${folder}/`], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout.includes(".test.ts");
}
