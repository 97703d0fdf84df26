/**
 * `npm test`: everything that must hold before a change is ready. Works in a fresh clone.
 * Ends with one line, `N passed, N failed`, and exits 0 only if nothing failed.
 */
import "../bin/check-node.js";
import { check, end, install, tests } from "./checks.js";

install();
check("lint", "npx", ["biome", "check", "."]);
check("types", "npm", ["run", "--silent", "typecheck"]);
check("build", "npm", ["run", "--silent", "build"]);
tests();
end();
