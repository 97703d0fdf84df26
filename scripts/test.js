/**
 * `npm test`: what decides whether a change is ready, in minutes: a share of the tests that take long (`test/tiers.ts`), drawn by the seed of the
 * run. `npm run test:whole` has all of them. Works in a fresh clone.
 * Ends with one line, `N passed, N failed`, and exits 0 only if nothing failed.
 */
import "../bin/check-node.js";
import { check, end, install, tests } from "./checks.js";

install();
process.env.FIRN_TEST_PART = "share";
check("lint", "npx", ["biome", "check", "."]);
check("types", "npm", ["run", "--silent", "typecheck"]);
check("build", "npm", ["run", "--silent", "build"]);
tests();
end();
