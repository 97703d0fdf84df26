/**
 * `npm run test:whole`: all tests, with all of the cases of which `npm test` draws a share. `-- --rest` leaves out what `npm test` has run wholly
 * with the same FIRN_TEST_SEED. Ends with one line, `N passed, N failed`, and exits 0 only if nothing failed.
 */
import "../bin/check-node.js";
import { end, install, tests } from "./checks.js";

install();
process.env.FIRN_TEST_WHOLE = "1";
if (process.argv.includes("--rest")) process.env.FIRN_TEST_PART = "rest";
tests();
end();
